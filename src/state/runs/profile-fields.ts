/** @file The numbers of a device profile as a person reads and types them: words, unit, bounds. */
import type { DeviceProfile, ProfileField } from "../../fusion";

export interface FieldWords {
  readonly field: ProfileField;
  readonly words: string;
  /** Empty for a bare count. */
  readonly unit: string;
  /** Base units in one shown unit. */
  readonly scale: number;
  /** Bounds in the shown unit, both allowed. */
  readonly least: number;
  readonly most: number;
  readonly whole?: true;
  /** What the planner does with it. */
  readonly sentence: string;
}

export const profileFields: readonly FieldWords[] = [
  {
    field: "bandwidth",
    words: "Memory bandwidth",
    unit: "GB/s",
    scale: 1e9,
    least: 0.01,
    most: 100_000,
    sentence: "Converts bytes into time.",
  },
  {
    field: "peakFlops",
    words: "Peak arithmetic",
    unit: "TFLOP/s",
    scale: 1e12,
    least: 0.0001,
    most: 100_000,
    sentence:
      "Divided by the bandwidth, it gives the ridge of the roofline. It also converts FLOP into time; for the datasheets, whose peak is that of matrix units in f16, the f32 rate of shaders does that.",
  },
  {
    field: "launchMicros",
    words: "Launch",
    unit: "µs",
    scale: 1,
    least: 0,
    most: 100_000,
    sentence: "The time saved by each kernel that fusion removes.",
  },
  {
    field: "l2Bytes",
    words: "L2 cache",
    unit: "MB",
    scale: 1e6,
    least: 0,
    most: 100_000,
    sentence: "Data that fits is faster to read a second time.",
  },
  {
    field: "multiprocessors",
    words: "Multiprocessors",
    unit: "",
    scale: 1,
    least: 1,
    most: 10_000,
    whole: true,
    sentence: "With fewer workgroups, some multiprocessors are idle.",
  },
  {
    field: "registersPerMultiprocessor",
    words: "Registers per multiprocessor",
    unit: "",
    scale: 1,
    least: 256,
    most: 1e7,
    whole: true,
    sentence: "If each thread needs more registers, fewer threads run at once.",
  },
  {
    field: "workgroupBytes",
    words: "Workgroup memory",
    unit: "KiB",
    scale: 2 ** 10,
    least: 1,
    most: 1024,
    sentence: "The tiles and rows of a workgroup must fit.",
  },
  {
    field: "maxBindings",
    words: "Storage bindings",
    unit: "",
    scale: 1,
    least: 2,
    most: 1000,
    whole: true,
    sentence: "The most tensors that a kernel can read and write.",
  },
  {
    field: "maxBindingBytes",
    words: "Largest binding",
    unit: "MiB",
    scale: 2 ** 20,
    least: 1,
    most: 1e6,
    sentence: "The largest tensor that a kernel can read or write.",
  },
  {
    field: "memoryLimitBytes",
    words: "Memory limit",
    unit: "MiB",
    scale: 2 ** 20,
    least: 1,
    most: 1e8,
    sentence: "No merge may raise peak memory above it.",
  },
];

const shown = (value: number): string => value.toLocaleString("en-US", { maximumFractionDigits: 4 });

/** A field's number as it is typed: six digits at most. */
export const shownField = ({ field, scale }: FieldWords, profile: DeviceProfile): string =>
  String(Number((profile[field] / scale).toPrecision(6)));

/** What was typed, in base units; or what may be typed instead. */
export function readField(
  { scale, least, most, whole, unit }: FieldWords,
  typed: string,
): { readonly ok: true; readonly value: number } | { readonly ok: false; readonly text: string } {
  const value = Number(typed);
  const fits = typed.trim() !== "" && value >= least && value <= most && (!whole || Number.isInteger(value));
  if (fits) return { ok: true, value: value * scale };
  const kind = whole ? "a whole number" : "a number";
  return { ok: false, text: `${kind} from ${shown(least)} to ${shown(most)}${unit && ` ${unit}`}` };
}

const titles: Readonly<Record<string, string>> = {
  generic: "Data-centre GPU, round numbers",
  a100: "NVIDIA A100, datasheet",
  h100: "NVIDIA H100, datasheet",
  laptop: "Laptop, integrated GPU",
  own: "Your own numbers",
};

/** What the page calls a profile that it has ready, or a device that was measured, here or where a link was made. */
export const profileTitle = ({ name }: DeviceProfile): string => titles[name] ?? `As measured: ${name}`;
