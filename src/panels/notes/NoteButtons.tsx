/** @file Buttons that open a note: beside an example, and beside the pass of the shown step. In a chunk with the notes' texts. */
import { notesOfExample, notesOfPass } from "../../lessons";
import { playground, selectStep, usePlayground } from "../../state";

const open = (id: string): void => playground.getState().actions.openNote(id);

/** Notes to read beside the example that is open. */
export function ExampleNotes({ example }: { readonly example: string }) {
  const notes = notesOfExample(example);
  if (notes.length === 0) return null;
  return (
    <p className="example-notes">
      <span>Notes</span>
      {notes.map(({ id, title }) => (
        <button key={id} type="button" onClick={() => open(id)}>
          {title}
        </button>
      ))}
    </p>
  );
}

/** What to read about the pass of the shown step: how others do it, where a note says so. */
export function PassNote() {
  const pass = usePlayground((state) => selectStep(state)?.pass ?? null);
  const notes = pass === null ? [] : notesOfPass(pass);
  const note = notes.find(({ kind }) => kind === "elsewhere") ?? notes[0];
  if (!note) return null;
  return (
    <button type="button" className="scrub-note" title={`About this pass: ${note.title}`} onClick={() => open(note.id)}>
      Note
    </button>
  );
}
