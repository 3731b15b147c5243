/** @file One side note: its sentences, the programs that show it with their counts, and what it stands beside. */
import { useEffect } from "react";
import { passCatalogue, type Sums } from "../../fusion";
import { findExample, type Note, type Try } from "../../lessons";
import { Figure, InlineCode, showBytes, showMicros, tallyOf } from "../../panels";
import { playground, usePlayground } from "../../state";

function openExample(id: string): void {
  const { actions } = playground.getState();
  actions.openDialog("none");
  actions.openExample(id);
}

const arrow = (before: string | number, after: string | number): string => `${before} → ${after}`;

/** `19 → 3`, as the score counts them. */
function transferWords(naive: Sums, fused: Sums): string {
  const { text, noun } = tallyOf(naive);
  return `${arrow(text(naive), text(fused))}${noun === "transfers" ? " of all sizes" : ""}`;
}

function TryLine({ title, opens }: Try) {
  const totals = usePlayground((state) => state.lessonTotals.get(opens));
  const shown = usePlayground((state) => state.document.example === opens);
  const { naive, fused } = totals ?? {};
  return (
    <tr>
      <th scope="row">
        <button type="button" className="plain" aria-pressed={shown} onClick={() => openExample(opens)}>
          {title}
        </button>
      </th>
      {naive && fused ? (
        <>
          <td>{arrow(naive.kernels, fused.kernels)}</td>
          <td>{transferWords(naive, fused)}</td>
          <td>{showBytes(fused.bytes)}</td>
          <td>{showMicros(fused.predictedMicros)}</td>
        </>
      ) : (
        <td colSpan={4}>counting…</td>
      )}
    </tr>
  );
}

function Tries({ tries }: { readonly tries: readonly Try[] }) {
  useEffect(() => void playground.getState().actions.countLessons(tries.map(({ opens }) => opens)), [tries]);
  return (
    <table className="note-tries">
      <thead>
        <tr>
          <th scope="col">Open</th>
          <th scope="col">kernels</th>
          <th scope="col">full-size transfers</th>
          <th scope="col">fused traffic</th>
          <th scope="col">predicted</th>
        </tr>
      </thead>
      <tbody>
        {tries.map((each) => (
          <TryLine key={each.opens} {...each} />
        ))}
      </tbody>
    </table>
  );
}

/** Examples that the table above does not have already. */
const besideOf = ({ examples = [], tries = [] }: Note) =>
  examples.filter((id) => !tries.some(({ opens }) => opens === id)).flatMap((id) => findExample(id) ?? []);

export function NoteText({ note }: { readonly note: Note }) {
  const examples = besideOf(note);
  const passes = passCatalogue.filter(({ name }) => note.passes?.includes(name));
  return (
    <article className="note" aria-label={note.title}>
      <h3>{note.title}</h3>
      {note.text.map((paragraph) => (
        <p key={paragraph}>
          <InlineCode text={paragraph} />
        </p>
      ))}
      {note.figure && <Figure name={note.figure} />}
      {note.tries && note.tries.length > 0 && <Tries tries={note.tries} />}
      {examples.length > 0 && (
        <div className="note-beside">
          <h4>See it in</h4>
          {examples.map(({ id, title }) => (
            <button key={id} type="button" className="note-link" onClick={() => openExample(id)}>
              {title}
            </button>
          ))}
        </div>
      )}
      {passes.length > 0 && (
        <p className="note-passes">
          Beside the {passes.length === 1 ? "pass" : "passes"} {passes.map(({ title }) => title).join(", ")}.
        </p>
      )}
    </article>
  );
}
