/** @file A recorded kernel in words and numbers: what happens at a moment, and what is where after it. */
import { dtypeBytes, type KernelRecording, type RecordedMoment } from "../../../fusion";
import { count, plural } from "../units";

/** Bytes that memory hands out at once. */
const SEGMENT = 128;

export const threadsOf = ({ workgroupSize: [x, y, z] }: KernelRecording): number => x * y * z;
export const groupsOf = ({ workgroups: [x, y, z] }: KernelRecording): number => x * y * z;

/** The recorded moments, and the end of all workgroups. */
export const lengthOf = ({ moments }: KernelRecording): number => moments.length + 1;

/** Elements `first … last` that are touched; null where none is. */
function rangeOf({ at, width }: RecordedMoment): { readonly first: number; readonly last: number } | null {
  let [first, last] = [Infinity, -1];
  for (const each of at) {
    if (each < 0) continue;
    first = Math.min(first, each);
    last = Math.max(last, each + width - 1);
  }
  return last < 0 ? null : { first, last };
}

/** `x[0 … 63]`: 64 elements, 256 B in 2 segments of 128 B. */
function touched(recording: KernelRecording, moment: RecordedMoment): string {
  const range = rangeOf(moment);
  if (!range) return moment.memory;
  const { first, last } = range;
  const where = `${moment.memory}[${first === last ? first : `${first} … ${last}`}]`;
  const tensor = recording.memory.find(({ name }) => name === moment.memory);
  if (!tensor) return `${where} in workgroup memory`;
  const bytes = dtypeBytes(tensor.type.dtype);
  const elements = new Set<number>();
  const segments = new Set<number>();
  for (const each of moment.at)
    for (let lane = 0; each >= 0 && lane < moment.width; lane++) {
      elements.add(each + lane);
      segments.add(Math.floor(((each + lane) * bytes) / SEGMENT));
    }
  return `${where}: ${count(elements.size * bytes)} B in ${plural(segments.size, "segment")} of ${SEGMENT} B`;
}

/** What the threads do at a moment, in one sentence. */
export function momentWords(recording: KernelRecording, at: number): string {
  const moment = recording.moments[at];
  if (!moment) {
    const groups = groupsOf(recording);
    return groups === 1 ? "The only workgroup has finished" : `All ${count(groups)} workgroups have finished`;
  }
  const who = plural(moment.threads.length, "thread");
  const one = moment.threads.length === 1;
  switch (moment.doing) {
    case "load":
      return `${who} ${one ? "loads" : "load"} ${touched(recording, moment)}`;
    case "store":
      return `${who} ${one ? "stores" : "store"} ${touched(recording, moment)}`;
    case "read":
      return `${who} ${one ? "reads" : "read"} ${touched(recording, moment)}`;
    case "write":
      return `${who} ${one ? "writes" : "write"} ${touched(recording, moment)}`;
    case "fold":
      return `${who} ${one ? "combines" : "combine"} two cells of ${moment.memory} in workgroup memory`;
    case "exchange":
      return `${who} ${one ? "puts" : "put"} two cells of ${moment.memory} in order`;
    case "shuffle":
      return `${who} ${one ? "reads" : "read"} a register of another thread into ${moment.register}`;
    case "compute":
      return `${who} ${one ? "computes" : "compute"} ${moment.register}`;
    case "barrier":
      return `A barrier: all ${who} wait until the last one arrives`;
  }
}

/** `i = 3, k = 0`; empty outside of loops. */
export const loopWords = (moment: RecordedMoment | undefined): string =>
  (moment?.loops ?? []).map(({ name, value }) => `${name} = ${value}`).join(", ");

/** Bytes that count so far: at a moment, and after all workgroups. */
export function movedAt({ moments, ended }: KernelRecording, at: number): RecordedMoment["moved"] {
  return moments[at]?.moved ?? ended.at(-1) ?? { read: 0, written: 0 };
}

/** Barriers up to a moment, itself included. */
export function barriersUpTo({ moments }: KernelRecording, at: number): number {
  let found = 0;
  for (let i = 0; i <= at && i < moments.length; i++) if (moments[i]!.doing === "barrier") found++;
  return found;
}

/** The moment of the next barrier, or of the one before. */
export function nextBarrier({ moments }: KernelRecording, at: number, direction: 1 | -1): number {
  const found =
    direction === 1
      ? moments.findIndex(({ doing }, i) => i > at && doing === "barrier")
      : moments.findLastIndex(({ doing }, i) => i < at && doing === "barrier");
  if (found >= 0) return found;
  return direction === 1 ? moments.length : 0;
}

/** What a register of a thread, workgroup memory and each tensor hold after a moment. */
export class Held {
  readonly recording: KernelRecording;
  /** The last number that each thread computed or read. */
  readonly registers: Float32Array;
  readonly shared: ReadonlyMap<string, Float32Array>;
  /** Elements of tensors that this workgroup has touched. */
  readonly touched: ReadonlyMap<string, Uint8Array>;
  #at = -1;

  constructor(recording: KernelRecording) {
    this.recording = recording;
    this.registers = new Float32Array(threadsOf(recording)).fill(Number.NaN);
    this.shared = new Map(recording.shared.map(({ name, cells }) => [name, new Float32Array(cells)]));
    this.touched = new Map(recording.memory.map(({ name, before }) => [name, new Uint8Array(before.length)]));
    this.#clear();
  }

  /** Goes to where moment `at` has happened; −1 is the beginning. */
  seek(at: number): void {
    if (at < this.#at) this.#clear();
    for (let i = this.#at + 1; i <= at && i < this.recording.moments.length; i++)
      this.#apply(this.recording.moments[i]!);
    this.#at = at;
  }

  #clear(): void {
    this.registers.fill(Number.NaN);
    for (const cells of this.shared.values()) cells.fill(Number.NaN);
    for (const cells of this.touched.values()) cells.fill(0);
    this.#at = -1;
  }

  #apply({ doing, threads, at, from, memory, width, values, register }: RecordedMoment): void {
    if (register !== "") threads.forEach((thread, i) => (this.registers[thread] = values[i * width]!));
    const cells = this.shared.get(memory);
    const seen = this.touched.get(memory);
    at.forEach((first, i) => {
      // Two cells that are swapped hold the same two numbers as before.
      if (cells && doing === "exchange" && first >= 0 && !Object.is(cells[first], values[i]))
        cells[from[i]!] = cells[first]!;
      for (let lane = 0; first >= 0 && lane < width; lane++) {
        if (seen) seen[first + lane] = 1;
        if (cells && (doing === "write" || doing === "fold" || doing === "exchange"))
          cells[first + lane] = values[i * width + lane]!;
      }
    });
  }
}
