/** @file The example that is open: what it shows, its variants, its task and its notes. Gone once the program is another. */
import { findExample, presetOf, variantId, type Example } from "../../lessons";
import { playground, selectIsEdited, usePlayground } from "../../state";
import { useNoteButtons } from "../notes/note-buttons";
import { ExampleTask } from "./ExampleTask";
import "./chapter-notes.css";
import "./measured.css";

function Variants({ preset, shown }: { readonly preset: Example; readonly shown: string | null }) {
  const choices = [
    { id: preset.id, title: "Original" },
    ...(preset.variants ?? []).map((variant) => ({ id: variantId(preset, variant), title: variant.title })),
  ];
  if (choices.length === 1) return null;
  return (
    <div className="chapter-variants" role="group" aria-label={`Variants of ${preset.title}`}>
      {choices.map(({ id, title }) => (
        <button
          key={id}
          type="button"
          aria-pressed={id === shown}
          onClick={() => playground.getState().actions.openExample(id)}
        >
          {title}
        </button>
      ))}
    </div>
  );
}

export function ExampleVariants() {
  const shown = usePlayground((state) => state.document.example);
  const edited = usePlayground(selectIsEdited);
  const notes = useNoteButtons();
  const preset = presetOf(shown);
  const example = findExample(shown);
  if (!preset || !example || edited) return null;
  const { task } = example;
  const solved = task && `${preset.id}/${task.solved}`;
  return (
    <div className="measured-block">
      <h3>{preset.title}</h3>
      <Variants preset={preset} shown={shown} />
      <p className="measured-note">{example.sentence}</p>
      {task && solved !== shown && (
        <ExampleTask
          key={shown}
          task={task}
          onSolved={() => solved && playground.getState().actions.openExample(solved)}
        />
      )}
      {notes && <notes.ExampleNotes example={example.id} />}
    </div>
  );
}
