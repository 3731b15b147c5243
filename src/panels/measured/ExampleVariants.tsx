/** @file The same example with another text or other options: what this one shows, and the others to open. Gone once the program is another. */
import { findExample, presetOf, variantId } from "../../lessons";
import { playground, selectIsEdited, usePlayground } from "../../state";
import "./chapter-notes.css";

export function ExampleVariants() {
  const shown = usePlayground((state) => state.document.example);
  const edited = usePlayground(selectIsEdited);
  const preset = presetOf(shown);
  if (!preset?.variants || edited) return null;
  const choices = [
    { id: preset.id, title: "as given" },
    ...preset.variants.map((variant) => ({ id: variantId(preset, variant), title: variant.title })),
  ];
  return (
    <div className="measured-block">
      <h3>{preset.title}</h3>
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
      <p className="measured-note">{findExample(shown)?.sentence}</p>
    </div>
  );
}
