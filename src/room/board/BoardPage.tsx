/** @file The class board: what thirty laptops handed in, as a table, a chart by adapter and the predictions. All of it stays here. */
import { useEffect, useMemo, useState, type DragEvent } from "react";
import { findLessonHead } from "../../course";
import { Icon } from "../../icons";
import { download, showMicros, significant } from "../../panels";
import { playground, usePlayground } from "../../state";
import { CopyButton } from "../CopyButton";
import { STANDING_WORDS } from "../check/verdict";
import { decodeHandIn, HAND_IN_PREFIX, type HandIn } from "../hand-in";
import { QrCode } from "../QrCode";
import { AdapterChart, AdapterRows } from "./AdapterChart";
import { adapterRows, boardCsv, classRows, classWords, predictionRows, type ClassRow } from "./class-rows";
import { readFile, readText, type Reading } from "./read-answers";
import "../room.css";
import "./board.css";

/** Fragments on the board with what they hold; those that can't be read any more are left out. */
function useHandedIn(): readonly (readonly [string, HandIn])[] {
  const board = usePlayground((state) => state.board);
  const [read, setRead] = useState<readonly (readonly [string, HandIn])[]>([]);
  useEffect(() => {
    let open = true;
    void Promise.all(board.map(async (each) => [each, await decodeHandIn(each)] as const)).then((all) => {
      if (open) setRead(all.flatMap(([each, { ok, ...rest }]) => (ok && "value" in rest ? [[each, rest.value]] : [])));
    });
    return () => {
      open = false;
    };
  }, [board]);
  return read;
}

const speak = ({ fragments, faults }: Reading, stored: boolean): readonly string[] => [
  ...(fragments.length > 0 ? [`${fragments.length} added.`] : []),
  ...(stored ? [] : ["The browser could not store the board: it is gone when this tab is closed."]),
  ...faults,
];

function put(reading: Reading): readonly string[] {
  const stored = reading.fragments.length === 0 || playground.getState().actions.addToBoard(reading.fragments);
  return speak(reading, stored);
}

const boardNow = (): readonly string[] => playground.getState().board;

async function putFiles(files: readonly File[]): Promise<readonly string[]> {
  const said: string[] = [];
  for (const file of files)
    said.push(...put(await readFile(file.name, await file.text(), file.lastModified, boardNow())));
  return said;
}

/** A link that somebody scanned or opened puts its result on the board; the address forgets it. */
function useAddressed(say: (said: readonly string[]) => void): void {
  useEffect(() => {
    const read = (): void => {
      const { hash } = location;
      if (!hash.startsWith(HAND_IN_PREFIX)) return;
      history.replaceState(null, "", `${location.pathname}${location.search}#board`);
      void readText(hash, boardNow()).then((reading) => say(put(reading)));
    };
    read();
    window.addEventListener("hashchange", read);
    return () => window.removeEventListener("hashchange", read);
  }, [say]);
}

function AddPanel({
  said,
  say,
}: {
  readonly said: readonly string[];
  readonly say: (said: readonly string[]) => void;
}) {
  const [text, setText] = useState("");
  const add = async (written: string): Promise<void> => {
    const reading = await readText(written, boardNow());
    setText("");
    say(reading.fragments.length + reading.faults.length > 0 ? put(reading) : ["There is nothing to read in this."]);
  };
  return (
    <section className="room-panel" aria-label="Add results">
      <h2>Add results</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void add(text);
        }}
      >
        <label className="board-paste">
          Links or lines, as many as you like
          <textarea className="field" rows={4} value={text} onChange={(event) => setText(event.target.value)} />
        </label>
        <div className="board-buttons">
          <button type="submit" className="action">
            Add
          </button>
          <label className="plain file-button">
            Open files…
            <input
              type="file"
              multiple
              onChange={(event) => {
                void putFiles([...(event.target.files ?? [])]).then(say);
                event.target.value = "";
              }}
            />
          </label>
          <span className="room-quiet">or drop files anywhere here</span>
        </div>
      </form>
      <div role="status" aria-label="What was read">
        <ul className="board-said">
          {said.map((line, i) => (
            <li key={`${i} ${line}`}>{line}</li>
          ))}
        </ul>
      </div>
    </section>
  );
}

function ForStudents() {
  const address = `${location.origin}${location.pathname}#check`;
  return (
    <section className="room-panel" aria-label="For students">
      <h2>For students</h2>
      <div className="board-students">
        <QrCode text={address} name="QR code of the laptop check" />
        <div>
          <p>
            Open this page, wait for the verdict, and hand in. After the lessons, hand in again: predictions and solved
            tasks come along.
          </p>
          <p className="room-code">{address}</p>
          <CopyButton text={address} label="Copy address" />
        </div>
      </div>
    </section>
  );
}

function Row({ row }: { readonly row: ClassRow }) {
  const { name, laptop, times, right, asked, solved, speedUp, fragments } = row;
  const [bench] = times;
  return (
    <tr>
      <th scope="row">{name}</th>
      <td data-tone={laptop?.standing === "ready" ? "yes" : laptop ? "warn" : undefined}>
        {laptop ? STANDING_WORDS[laptop.standing] : "–"}
        {laptop && <small>{`${laptop.browser}, ${laptop.system}`}</small>}
      </td>
      <td>{laptop?.adapter ?? "–"}</td>
      <td className="number">{bench && bench.naive !== null ? showMicros(bench.naive) : "–"}</td>
      <td className="number">{bench ? showMicros(bench.fused) : "–"}</td>
      <td className="number">
        {speedUp === null ? (laptop?.standing === "software" ? "CPU" : "–") : `${significant(speedUp)}×`}
      </td>
      <td className="number">{asked > 0 ? `${right} of ${asked}` : "–"}</td>
      <td className="number">{solved > 0 ? solved : "–"}</td>
      <td>
        <button
          type="button"
          className="icon-button"
          aria-label={`Remove ${name}`}
          title={`Remove ${name}`}
          onClick={() => playground.getState().actions.takeFromBoard(fragments)}
        >
          <Icon name="cross" size={14} />
        </button>
      </td>
    </tr>
  );
}

type Sorting = (a: ClassRow, b: ClassRow) => number;
const part = ({ right, asked }: ClassRow): number => (asked > 0 ? right / asked : -1);
const columns: readonly { readonly title: string; readonly number?: boolean; readonly by: Sorting }[] = [
  { title: "Who", by: (a, b) => a.name.localeCompare(b.name, "en", { numeric: true }) },
  { title: "Laptop", by: (a, b) => (a.laptop?.standing ?? "").localeCompare(b.laptop?.standing ?? "") },
  { title: "Adapter", by: (a, b) => (a.laptop?.adapter ?? "").localeCompare(b.laptop?.adapter ?? "") },
  { title: "Naive", number: true, by: (a, b) => (a.times[0]?.naive ?? Infinity) - (b.times[0]?.naive ?? Infinity) },
  { title: "Fused", number: true, by: (a, b) => (a.times[0]?.fused ?? Infinity) - (b.times[0]?.fused ?? Infinity) },
  { title: "Speed-up", number: true, by: (a, b) => (b.speedUp ?? 0) - (a.speedUp ?? 0) },
  { title: "Predictions", number: true, by: (a, b) => part(b) - part(a) },
  { title: "Tasks", number: true, by: (a, b) => b.solved - a.solved },
];

function Board({ rows }: { readonly rows: readonly ClassRow[] }) {
  const [sorted, setSorted] = useState<number | null>(null);
  const shown = sorted === null ? rows : rows.toSorted(columns[sorted]!.by);
  return (
    <div className="board-scroll">
      <table className="board-table">
        <thead>
          <tr>
            {columns.map(({ title, number }, i) => (
              <th
                key={title}
                scope="col"
                className={number ? "number" : undefined}
                aria-sort={sorted === i ? "other" : "none"}
              >
                <button type="button" onClick={() => setSorted(sorted === i ? null : i)}>
                  {title}
                </button>
              </th>
            ))}
            <th scope="col">
              <span className="offscreen">Remove</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <Row key={row.fragments.join()} row={row} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

const MAX_QUESTIONS = 12;

function Predictions({ rows }: { readonly rows: readonly ClassRow[] }) {
  const questions = predictionRows(rows).slice(0, MAX_QUESTIONS);
  if (questions.length === 0) return null;
  return (
    <section className="room-panel" aria-label="Predictions">
      <h2>
        Predictions <small>the hardest first</small>
      </h2>
      <ul className="board-predictions">
        {questions.map(({ lesson, step, right, asked }) => (
          <li key={`${lesson}/${step}`}>
            <button
              type="button"
              className="plain"
              onClick={() => void playground.getState().actions.openLesson(lesson, step)}
            >
              {findLessonHead(lesson)?.title ?? lesson}, step {step + 1}
            </button>
            <i>
              <b style={{ width: `${(100 * right) / asked}%` }} />
            </i>
            <span>
              {right} of {asked} right
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Asks first: nothing else has what the board holds. */
function ClearBoard() {
  const [asked, setAsked] = useState(false);
  const clear = (): void => {
    if (asked) playground.getState().actions.takeFromBoard("all");
    setAsked(!asked);
  };
  return (
    <button type="button" className="plain" onClick={clear} onBlur={() => setAsked(false)}>
      {asked ? "Really clear the board?" : "Clear the board"}
    </button>
  );
}

export function BoardPage() {
  const handed = useHandedIn();
  const rows = useMemo(() => classRows(handed), [handed]);
  const adapters = useMemo(() => adapterRows(rows), [rows]);
  const [said, say] = useState<readonly string[]>([]);
  useAddressed(say);
  const csv = useMemo(() => boardCsv(rows), [rows]);
  const drop = (event: DragEvent): void => {
    const files = [...event.dataTransfer.files];
    const text = event.dataTransfer.getData("text/plain");
    event.preventDefault();
    if (files.length > 0) void putFiles(files).then(say);
    else if (text) void readText(text, boardNow()).then((reading) => say(put(reading)));
  };
  return (
    <div className="room-columns board" onDrop={drop} onDragOver={(event) => event.preventDefault()}>
      <div>
        <section className="room-panel" aria-label="Class board">
          <h1 className="board-title">Class board</h1>
          <p role="status">
            {rows.length > 0
              ? classWords(rows)
              : "Nobody has handed in yet. What is added here stays in this browser; nothing is sent."}
          </p>
          {rows.length > 0 && (
            <>
              <Board rows={rows} />
              <div className="board-buttons">
                <CopyButton text={csv} label="Copy as CSV" />
                <button
                  type="button"
                  className="plain"
                  onClick={() => download("class-board.csv", "text/csv", `${csv}\n`)}
                >
                  Download CSV
                </button>
                <ClearBoard />
              </div>
            </>
          )}
        </section>
        {adapters.length > 0 && (
          <section className="room-panel" aria-label="By adapter">
            <h2>
              By adapter <small>the two-second bench, medians over laptops: grey naive, violet fused</small>
            </h2>
            <AdapterRows value={adapters}>
              <AdapterChart />
            </AdapterRows>
          </section>
        )}
        <Predictions rows={rows} />
      </div>
      <div>
        <AddPanel said={said} say={say} />
        <ForStudents />
      </div>
    </div>
  );
}
