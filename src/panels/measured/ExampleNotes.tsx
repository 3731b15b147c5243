/** @file Notes to read beside the example that is open. */
import { notesOfExample } from "../../lessons";
import { playground } from "../../state";

export function ExampleNotes({ example }: { readonly example: string }) {
  const notes = notesOfExample(example);
  if (notes.length === 0) return null;
  return (
    <p className="example-notes">
      <span>Notes</span>
      {notes.map(({ id, title }) => (
        <button key={id} type="button" onClick={() => playground.getState().actions.openNote(id)}>
          {title}
        </button>
      ))}
    </p>
  );
}
