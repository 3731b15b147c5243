/** @file The example's size, with the memory that its naive plan needs at its peak. */
import { useState } from "react";
import { showBytes } from "../panels";
import { playground, selectExample, selectIsEmpty, selectNaivePeak, selectSize, usePlayground } from "../state";

const sizes = ["S", "M", "L"] as const;

export function SizeChoice() {
  const example = usePlayground(selectExample);
  const written = usePlayground(selectSize);
  // Chosen at once, though the text is rewritten a moment later.
  const [asked, setAsked] = useState<(typeof sizes)[number] | null>(null);
  const size = asked ?? written;
  const peak = usePlayground(selectNaivePeak);
  const stale = usePlayground((state) => state.derived.status === "broken" || selectIsEmpty(state));
  if (!example?.sizes) return null;
  const { name } = example.sizes;
  return (
    <fieldset className="sizes" aria-label="Size">
      <span className="sizes-name" aria-hidden="true">
        Size
      </span>
      {sizes.map((choice) => (
        <label key={choice} className="size" title={`${name} = ${example.sizes?.[choice]}`}>
          <input
            type="radio"
            name="size"
            checked={choice === size}
            onChange={() => {
              setAsked(choice);
              void playground
                .getState()
                .actions.setSize(choice)
                .then(() => setAsked(null));
            }}
          />
          <span>{choice}</span>
        </label>
      ))}
      {peak !== null && !stale && <span className="size-peak">peak {showBytes(peak)}</span>}
    </fieldset>
  );
}
