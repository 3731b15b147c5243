/** @file Share: the link, how long it is, and that nothing is uploaded. */
import { useEffect, useState } from "react";
import { encodeFile, encodeLink, limits } from "../../document";
import { copyText, download, late, loadRace } from "../../panels";
import { QrCode } from "../../room";
import {
  pageAddress,
  playground,
  selectExample,
  selectIsCovered,
  selectPlanned,
  sharedState,
  sharePage,
  usePlayground,
} from "../../state";
import { Dialog } from "./Dialog";
import { Icon } from "../../icons";
import { openFile, READABLE } from "../open-file";
import { saveGraph } from "../save-graph";
import { saveReport } from "../save-report";

/** What a chat or a slide shows: naive against fused at their end. */
const LastFrame = late(async () => (await loadRace()).LastFrame);

/** Some chats cut off longer addresses. */
const CHAT_CHARACTERS = 2000;
/** Above this, a file travels better. */
const FILE_CHARACTERS = 8000;

interface Made {
  readonly link: string | null;
  /** HTML that shows the same inside another page. */
  readonly frame: string | null;
  /** Why there is no link. */
  readonly refusal: string | null;
}

/** Addresses of links have no character that HTML would read. */
const frameOf = (address: string): string =>
  `<iframe src="${address}" title="Fusion Playground" width="720" height="560" allow="cross-origin-isolated"></iframe>`;

function useLink(): Made | null {
  const [made, setMade] = useState<Made | null>(null);
  useEffect(() => {
    let open = true;
    const { base } = pageAddress();
    void encodeLink(sharedState(playground.getState())).then((encoded) => {
      if (!open) return;
      setMade(
        encoded.ok
          ? { link: base + encoded.value, frame: frameOf(`${base}?embed=1${encoded.value}`), refusal: null }
          : { link: null, frame: null, refusal: encoded.text },
      );
    });
    return () => {
      open = false;
    };
  }, []);
  return made;
}

/** What to say about the length of a link; null when any chat takes it. */
function lengthNote(characters: number): string | null {
  if (characters > FILE_CHARACTERS) return "Many apps reject addresses this long. Save a file instead.";
  return characters > CHAT_CHARACTERS ? "Some chats cut off addresses longer than 2,000 characters." : null;
}

const saveFile = (): void =>
  download("program.fusion.json", "application/json", encodeFile(sharedState(playground.getState())));

function CopyField({ name, text }: { readonly name: string; readonly text: string }) {
  const [copied, setCopied] = useState<"no" | "yes" | "failed">("no");
  const copy = (): void => {
    void copyText(text).then((done) => setCopied(done ? "yes" : "failed"));
  };
  return (
    <>
      <div className="share-row">
        <input
          className="field share-link"
          aria-label={name}
          readOnly
          value={text}
          onFocus={(event) => event.target.select()}
        />
        <button type="button" className="action" onClick={copy}>
          <Icon name={copied === "yes" ? "check" : "copy"} size={16} />
          {copied === "yes" ? "Copied" : "Copy"}
        </button>
      </div>
      {copied === "failed" && <p role="status">The browser did not allow copying. Select the link and copy it.</p>}
    </>
  );
}

export function ShareDialog() {
  const made = useLink();
  const weights = usePlayground((state) => state.document.weights);
  const planned = usePlayground((state) => selectPlanned(state) !== null && !selectIsCovered(state));
  const examplePage = usePlayground((state) => {
    const example = selectExample(state);
    return example?.text === state.document.text ? sharePage(example.id) : null;
  });
  const note = made?.link ? lengthNote(made.link.length) : null;
  return (
    <Dialog title="Share">
      <p className="dialog-note">
        The link holds the whole program: text, moved ops and choices, and what you see now: step, tab, selection, the
        part of the graph. Nothing is uploaded; whoever has the link has the program.
        {pageAddress().local &&
          " This page is a file, so the link opens on this computer only: save the program to take it elsewhere."}
        {weights && ` The weights of ${weights.file} are not in it: elsewhere, random numbers stand in for them.`}
      </p>
      {made?.link && <CopyField name="Link" text={made.link} />}
      {made?.refusal && <p className="dialog-refusal">{made.refusal}</p>}
      <p className="share-length" role="status">
        {made?.link &&
          `${made.link.length.toLocaleString("en-US")} of ${limits.linkCharacters.toLocaleString("en-US")} characters.`}{" "}
        {note}
      </p>
      {planned && <LastFrame />}
      {examplePage && (
        <details className="share-embed">
          <summary>A page of this example with a picture, for a chat</summary>
          <CopyField name="Page of the example" text={examplePage} />
        </details>
      )}
      {made?.link && (
        <details className="share-embed">
          <summary>QR code of the link</summary>
          <QrCode text={made.link} name="QR code of the link" />
        </details>
      )}
      {made?.frame && (
        <details className="share-embed">
          <summary>Inside another page or a slide</summary>
          <p className="dialog-note">
            Shows the graph, counts and steps, and runs when Run is pressed. It saves nothing. After embed=1,
            &amp;step=3, &amp;pane=text and &amp;fit=whole say what it begins with.
          </p>
          <CopyField name="HTML to embed" text={made.frame} />
        </details>
      )}
      <footer className="dialog-foot">
        <button type="button" className="plain" onClick={saveFile}>
          Save as a file
        </button>
        {(["svg", "png"] as const).map((kind) => (
          <button
            type="button"
            className="plain"
            key={kind}
            onClick={() => void saveGraph(playground.getState(), kind)}
          >
            Save the graph, .{kind}
          </button>
        ))}
        <button type="button" className="plain" onClick={() => void saveReport(playground.getState())}>
          Save a report, .html
        </button>
        <OpenFile />
      </footer>
    </Dialog>
  );
}

function OpenFile() {
  const [refusal, setRefusal] = useState<string | null>(null);
  const read = async (file: File | undefined): Promise<void> => {
    if (file) setRefusal(await openFile(file));
  };
  return (
    <label className="plain file-button">
      Open a file…
      <input type="file" accept={READABLE} onChange={(event) => void read(event.target.files?.[0])} />
      {refusal && <span role="alert">{refusal}</span>}
    </label>
  );
}
