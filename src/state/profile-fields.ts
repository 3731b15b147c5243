/** @file The numbers of a device profile as a person reads and types them: words, unit, bounds. */
import type { DeviceProfile, ProfileField } from "../fusion";

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
    sentence: "Every byte of traffic is priced by it.",
  },
  {
    field: "peakFlops",
    words: "Peak arithmetic, f32",
    unit: "TFLOP/s",
    scale: 1e12,
    least: 0.0001,
    most: 100_000,
    sentence: "With the bandwidth it makes the ridge: left of it traffic counts, right of it arithmetic.",
  },
  {
    field: "launchMicros",
    words: "Launch",
    unit: "µs",
    scale: 1,
    least: 0,
    most: 100_000,
    sentence: "Every kernel that fusion removes saves it.",
  },
  {
    field: "l2Bytes",
    words: "L2 cache",
    unit: "MB",
    scale: 1e6,
    least: 0,
    most: 100_000,
    sentence: "What is read again and fits is read faster.",
  },
  {
    field: "multiprocessors",
    words: "Multiprocessors",
    unit: "",
    scale: 1,
    least: 1,
    most: 10_000,
    whole: true,
    sentence: "Fewer workgroups than these leave some idle.",
  },
  {
    field: "registersPerMultiprocessor",
    words: "Registers of one",
    unit: "",
    scale: 1,
    least: 256,
    most: 1e7,
    whole: true,
    sentence: "Threads that hold many values share them with fewer others.",
  },
  {
    field: "workgroupBytes",
    words: "Workgroup memory",
    unit: "KiB",
    scale: 2 ** 10,
    least: 1,
    most: 1024,
    sentence: "Tiles and rows that a workgroup keeps must fit.",
  },
  {
    field: "maxBindings",
    words: "Storage bindings",
    unit: "",
    scale: 1,
    least: 2,
    most: 1000,
    whole: true,
    sentence: "A kernel reads and writes no more tensors than these.",
  },
  {
    field: "maxBindingBytes",
    words: "Largest binding",
    unit: "MiB",
    scale: 2 ** 20,
    least: 1,
    most: 1e6,
    sentence: "No tensor of a kernel may be larger.",
  },
  {
    field: "memoryLimitBytes",
    words: "Memory limit",
    unit: "MiB",
    scale: 2 ** 20,
    least: 1,
    most: 1e8,
    sentence: "No merge may lift the peak above it.",
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
};

/** What the page calls a profile that it has ready, or the device that was measured. */
export const profileTitle = ({ name }: DeviceProfile): string => titles[name] ?? `This device as measured: ${name}`;
