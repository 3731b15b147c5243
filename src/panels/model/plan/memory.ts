/** @file What is alive while each kernel of a plan runs: a stack of values over the kernels, and the plan's peak. */
import {
  kernelTitle,
  aliveIn,
  liveBytes,
  showType,
  type BufferPlan,
  type Graph,
  type NodeId,
  type Plan,
} from "../../../fusion";
import { count, plural, showBytes, significant } from "../units";
import { tensorName } from "./traffic";

/** A stretch of kernels through which a value stays at one height of the stack. */
export interface LiveBar {
  /** Null: the small ones together. */
  readonly value: NodeId | null;
  readonly name: string;
  /** `h, f32[512, 512], 1 MiB: written by K1, read last by K3` */
  readonly text: string;
  readonly role: BufferPlan["role"];
  /** Columns, both included. */
  readonly from: number;
  readonly to: number;
  /** Bytes from the bottom. */
  readonly low: number;
  readonly high: number;
}

export interface LiveColumn {
  readonly kernel: string;
  readonly bytes: number;
  /** `K3 row stats: 12 MiB alive. x 6 MiB, h 6 MiB` */
  readonly text: string;
}

export interface LivePicture {
  readonly columns: readonly LiveColumn[];
  readonly bars: readonly LiveBar[];
  readonly peakBytes: number;
  /** The column with the peak, the first of them. */
  readonly peakAt: number;
}

/** Columns of a picture: of longer plans each stands for several kernels, and shows the fullest of them. */
const MAX_COLUMNS = 64;
/** A value with less than this share of the peak is drawn together with its like. */
const LEAST_SHARE = 0.02;
/** Values that a column names. */
const MAX_NAMES = 5;

interface Living {
  readonly buffer: BufferPlan;
  readonly name: string;
  readonly text: string;
  readonly first: number;
  readonly last: number;
}

/** The picture of a plan whose values are nodes of `graph`; null for a plan without kernels. */
export function livePicture(plan: Plan, graph: Graph): LivePicture | null {
  const { buffers, kernels } = plan;
  const live = liveBytes(buffers, kernels.length);
  if (live.length === 0) return null;
  const { peakBytes } = plan.totals;
  const living = buffers.map((buffer) => livingOf(buffer, plan, graph)).toSorted(bySlot);
  const steps = shownSteps(live);
  const least = peakBytes * LEAST_SHARE;
  const alive = steps.map((step) => living.filter(({ first, last }) => first <= step && step <= last));
  const columns = steps.map((step, column): LiveColumn => {
    const [kernel, bytes] = [kernels[step]!, live[step]!];
    return { kernel: kernel.id, bytes, text: `${kernelTitle(kernel)}: ${aliveWords(bytes, alive[column]!)}` };
  });
  const peakAt = columns.findIndex(({ bytes }) => bytes === peakBytes);
  return { columns, bars: joined(alive.map((values) => stackOf(values, least))), peakBytes, peakAt };
}

/** What is there throughout lies at the bottom, the rest in the order in which it comes. */
const bySlot = (a: Living, b: Living): number =>
  Number(a.buffer.role !== "input") - Number(b.buffer.role !== "input") || a.first - b.first || b.last - a.last;

function livingOf(buffer: BufferPlan, { kernels }: Plan, graph: Graph): Living {
  const { value, type, bytes, role } = buffer;
  const [first, last] = aliveIn(buffer, kernels.length);
  const name = tensorName(graph, value);
  const [writer, reader] = [kernels[first]?.id, kernels[last]?.id];
  const life = {
    input: "an input, held throughout",
    output: `a result, written by ${writer}, held to the end`,
    temporary: first === last ? `within ${writer}` : `written by ${writer}, read last by ${reader}`,
  }[role];
  return { buffer, name, text: `${name}, ${showType(type)}, ${showBytes(bytes)}: ${life}`, first, last };
}

/** Every kernel, or the fullest of each of `MAX_COLUMNS` stretches. */
function shownSteps(live: readonly number[]): number[] {
  const columns = Math.min(live.length, MAX_COLUMNS);
  return Array.from({ length: columns }, (_, column) => {
    const [from, to] = [column, column + 1].map((at) => Math.floor((at * live.length) / columns)) as [number, number];
    let fullest = from;
    for (let step = from; step < to; step++) if (live[step]! > live[fullest]!) fullest = step;
    return fullest;
  });
}

type Layer = Omit<LiveBar, "from" | "to">;

function stackOf(alive: readonly Living[], least: number): Layer[] {
  const layers: Layer[] = [];
  const small = alive.filter(({ buffer }) => buffer.bytes < least);
  let low = 0;
  for (const { buffer, name, text } of alive) {
    if (buffer.bytes < least) continue;
    layers.push({ value: buffer.value, name, text, role: buffer.role, low, high: low + buffer.bytes });
    low += buffer.bytes;
  }
  const rest = small.reduce((sum, { buffer }) => sum + buffer.bytes, 0);
  const text = `${plural(small.length, "small value")}, ${showBytes(rest)}`;
  if (rest > 0) layers.push({ value: null, name: "", text, role: "temporary", low, high: low + rest });
  return layers;
}

/** Layers that go on at the same height are one bar. */
function joined(stacks: readonly (readonly Layer[])[]): LiveBar[] {
  const bars: LiveBar[] = [];
  let before = new Map<string, number>();
  stacks.forEach((stack, column) => {
    const now = new Map<string, number>();
    for (const layer of stack) {
      const key = `${layer.low} ${layer.high} ${layer.text}`;
      const known = before.get(key);
      now.set(key, known ?? bars.length);
      if (known === undefined) bars.push({ ...layer, from: column, to: column });
      else bars[known] = { ...bars[known]!, to: column };
    }
    before = now;
  });
  return bars;
}

function aliveWords(bytes: number, alive: readonly Living[]): string {
  const largest = alive.toSorted((a, b) => b.buffer.bytes - a.buffer.bytes);
  const names = largest.slice(0, MAX_NAMES).map(({ name, buffer }) => `${name} ${showBytes(buffer.bytes)}`);
  const more = largest.length - names.length;
  return `${showBytes(bytes)} alive. ${names.join(", ")}${more > 0 ? ` and ${count(more)} more` : ""}`;
}

/** `At its peak this step holds 13 MiB (K3 mul), 43 % less than naive: 23 MiB (K9 gelu).` */
export function peakSentence(naive: LivePicture, now: LivePicture, what = "this step"): string {
  const where = ({ columns, peakAt, peakBytes }: LivePicture): string =>
    `${showBytes(peakBytes)}, with ${columns[peakAt]!.kernel}`;
  const less = 1 - now.peakBytes / naive.peakBytes;
  const than =
    less > 0
      ? `${significant(100 * less, 2)} % less than`
      : less < 0
        ? `${significant(-100 * less, 2)} % more than`
        : "as much as";
  return `At its peak ${what} holds ${where(now)}: ${than} the naive plan (${where(naive)}).`;
}
