/** @file Dated copies of earlier work: open, download, or begin again with the work of now among them. */
import { useEffect, useState } from "react";
import { download } from "../../panels";
import { lazyModule, playground, usePlayground, writtenProgress, type PreviousWork } from "../../state";
import { Dialog } from "./Dialog";
import "./earlier-work.css";

const dateOf = (when: number): string =>
  when > 0 ? new Date(when).toLocaleString([], { dateStyle: "medium", timeStyle: "short" }) : "date unknown";

const useReader = lazyModule(() => import("../../state/edits"));
/** Long programs take a while to read: one after the other, after the list is there. */
const READ_MILLIS = 40;

/** `18 ops`; null until the program is read. */
function useOps({ document }: PreviousWork, index: number): string | null {
  const reader = useReader();
  const [ops, setOps] = useState<number | null>(null);
  const text = document?.text ?? null;
  useEffect(() => {
    if (!reader || text === null) return undefined;
    const timer = setTimeout(() => setOps(reader.opsOf(text)), READ_MILLIS * index);
    return () => clearTimeout(timer);
  }, [reader, text, index]);
  return ops === null ? null : `${ops.toLocaleString("en-US")} ${ops === 1 ? "op" : "ops"}`;
}

function Copy({ work, index }: { readonly work: PreviousWork; readonly index: number }) {
  const { actions } = playground.getState();
  const ops = useOps(work, index);
  return (
    <li>
      <span className="earlier-title">{work.title}</span>
      <span className="earlier-ops">{ops}</span>
      <time className="earlier-date">{dateOf(work.when)}</time>
      <span className="earlier-actions">
        {work.document && (
          <button
            type="button"
            className="plain"
            aria-label={`Open ${work.title}`}
            onClick={() => {
              actions.openPrevious(index);
              actions.openDialog("none");
            }}
          >
            Open
          </button>
        )}
        <button
          type="button"
          className="plain"
          aria-label={`Download ${work.title}`}
          onClick={() => actions.downloadPrevious(index)}
        >
          Download
        </button>
      </span>
    </li>
  );
}

/** Asks first: the program leaves the screen, though not the machine. */
function Afresh() {
  const [asked, setAsked] = useState(false);
  const { actions } = playground.getState();
  if (!asked)
    return (
      <button type="button" className="plain" onClick={() => setAsked(true)}>
        Start afresh…
      </button>
    );
  return (
    <div className="earlier-ask" role="group" aria-label="Start afresh">
      <p>The first example replaces your program, which becomes the newest copy here.</p>
      <button type="button" className="plain" onClick={() => actions.downloadWork()}>
        Download it first
      </button>
      <button
        type="button"
        className="action"
        onClick={() => {
          actions.startAfresh();
          actions.openDialog("none");
        }}
      >
        Start afresh
      </button>
      <button type="button" className="plain" onClick={() => setAsked(false)}>
        Cancel
      </button>
    </div>
  );
}

/** Asks first, and offers what can be downloaded: afterwards nothing of it is left. */
function EraseAll() {
  const [asked, setAsked] = useState(false);
  const progress = usePlayground((state) => state.courseProgress);
  const { actions } = playground.getState();
  if (!asked)
    return (
      <button type="button" className="plain" onClick={() => setAsked(true)}>
        Clear everything…
      </button>
    );
  return (
    <div className="earlier-ask" role="group" aria-label="Clear everything">
      <p>
        This removes your program, all copies, predictions and solved tasks, the class board and all settings from this
        browser. Nobody else has them.
      </p>
      <button type="button" className="plain" onClick={() => actions.downloadWork()}>
        Download the program
      </button>
      {progress.size > 0 && (
        <button
          type="button"
          className="plain"
          onClick={() => download("fusion-course.json", "application/json", writtenProgress(progress))}
        >
          Download the progress
        </button>
      )}
      <button type="button" className="action" onClick={() => actions.eraseAll()}>
        Clear everything
      </button>
      <button type="button" className="plain" onClick={() => setAsked(false)}>
        Cancel
      </button>
    </div>
  );
}

export function EarlierWorkDialog() {
  const works = usePlayground((state) => state.previousWorks);
  return (
    <Dialog title="Earlier work" size="wide">
      <p className="dialog-note">
        When you open something else, your program is saved here with its date: the last ten, in this browser only.
      </p>
      {works.length === 0 ? (
        <p>No copies yet.</p>
      ) : (
        <ul className="earlier">
          {works.map((work, index) => (
            <Copy key={`${work.when} ${index}`} work={work} index={index} />
          ))}
        </ul>
      )}
      <div className="earlier-afresh">
        <Afresh />
        <EraseAll />
      </div>
    </Dialog>
  );
}
