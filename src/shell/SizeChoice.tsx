/** @file The example's size, with the memory that its naive plan needs at its peak. */
import { showBytes } from "../panels";
import { playground, selectExample, selectNaivePeak, selectSize, usePlayground } from "../state";

const sizes = ["S", "M", "L"] as const;

export function SizeChoice() {
  const example = usePlayground(selectExample);
  const size = usePlayground(selectSize);
  const peak = usePlayground(selectNaivePeak);
  if (!example?.sizes) return null;
  const { name } = example.sizes;
  return (
    <fieldset className="sizes" aria-label="Size">
      {sizes.map((choice) => (
        <label key={choice} className="size" title={`${name} = ${example.sizes?.[choice]}`}>
          <input
            type="radio"
            name="size"
            checked={choice === size}
            onChange={() => void playground.getState().actions.setSize(choice)}
          />
          <span>{choice}</span>
        </label>
      ))}
      {peak !== null && <span className="size-peak">peak {showBytes(peak)}</span>}
    </fieldset>
  );
}
