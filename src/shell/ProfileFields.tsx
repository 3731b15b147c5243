/** @file The machine that the cost model believes in: a ready profile, or each number. */
import { useState } from "react";
import { allProfiles, type DeviceProfile } from "../fusion";
import { playground, usePlayground } from "../state";

type Field = Exclude<keyof DeviceProfile, "name">;

/** Field, words, unit, and how many base units one shown unit is. */
const fields: readonly (readonly [Field, string, string, number])[] = [
  ["bandwidth", "Memory bandwidth", "GB/s", 1e9],
  ["peakFlops", "Peak arithmetic, f32", "TFLOP/s", 1e12],
  ["launchMicros", "Launch", "µs", 1],
  ["l2Bytes", "L2 cache", "MiB", 2 ** 20],
  ["multiprocessors", "Multiprocessors", "", 1],
  ["registersPerMultiprocessor", "Registers of one", "", 1],
  ["workgroupBytes", "Workgroup memory", "KiB", 2 ** 10],
  ["maxBindings", "Storage bindings", "", 1],
  ["maxBindingBytes", "Largest binding", "MiB", 2 ** 20],
  ["memoryLimitBytes", "Memory limit", "MiB", 2 ** 20],
];

const whole: ReadonlySet<Field> = new Set(["maxBindings", "multiprocessors"]);

/** The number in a field as base units, or null when it means nothing. */
export function readField(field: Field, text: string, scale: number): number | null {
  const value = Number(text) * scale;
  if (text.trim() === "" || !Number.isFinite(value) || value < 0) return null;
  if (whole.has(field) && !Number.isInteger(value)) return null;
  if (field === "maxBindings" && (value < 2 || value > 1000)) return null;
  return value === 0 && field !== "launchMicros" && field !== "l2Bytes" ? null : value;
}

function NumberField({ field, words, unit, scale }: { field: Field; words: string; unit: string; scale: number }) {
  const profile = usePlayground((state) => state.document.options.profile);
  const [typed, setTyped] = useState<string | null>(null);
  const shown = typed ?? String(Number((profile[field] / scale).toPrecision(6)));
  const bad = typed !== null && readField(field, typed, scale) === null;
  const leave = (): void => {
    const value = typed === null ? null : readField(field, typed, scale);
    setTyped(null);
    if (value === null || value === profile[field]) return;
    playground.getState().actions.setProfile({ ...profile, name: "own", [field]: value });
  };
  return (
    <label className="field-line">
      <span>{words}</span>
      <input
        className="field"
        inputMode="decimal"
        value={shown}
        aria-invalid={bad}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={leave}
        onKeyDown={(event) => {
          if (event.key === "Enter") leave();
        }}
      />
      <span className="unit">{unit}</span>
    </label>
  );
}

export function ProfileFields() {
  const profile = usePlayground((state) => state.document.options.profile);
  return (
    <fieldset className="option">
      <legend>Plan for</legend>
      <label className="field-line">
        <span>Machine</span>
        <select
          className="field"
          value={allProfiles.some(({ name }) => name === profile.name) ? profile.name : "own"}
          onChange={(event) => {
            const chosen = allProfiles.find(({ name }) => name === event.target.value);
            if (chosen) playground.getState().actions.setProfile(chosen);
          }}
        >
          {allProfiles.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
          {!allProfiles.some(({ name }) => name === profile.name) && <option value="own">your own numbers</option>}
        </select>
      </label>
      {fields.map(([field, words, unit, scale]) => (
        <NumberField key={field} field={field} words={words} unit={unit} scale={scale} />
      ))}
    </fieldset>
  );
}
