/** @file How much GPU memory a run may use: in sight, and changed on the spot. */
import { MOST_MEMORY_MIB, playground, usePlayground } from "../../state";

export function MemoryField() {
  const memory = usePlayground((state) => state.memoryMiB);
  const write = (field: HTMLInputElement): void => {
    if (field.validity.valid && field.value !== "") playground.getState().actions.setMemory(field.valueAsNumber);
    else field.value = String(memory);
  };
  return (
    <label className="measured-memory" title="A run that needs more asks first. Saved on this machine, not in links.">
      A run may use
      <input
        key={memory}
        type="number"
        min={1}
        max={MOST_MEMORY_MIB}
        step={1}
        defaultValue={memory}
        aria-label="GPU memory that a run may use, MiB"
        onBlur={(event) => write(event.currentTarget)}
        onKeyDown={(event) => event.key === "Enter" && write(event.currentTarget)}
      />
      MiB of GPU memory
    </label>
  );
}
