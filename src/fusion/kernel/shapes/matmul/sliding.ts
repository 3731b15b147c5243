/**
 * @file Long convolutions along one axis with weights of their own for each row (depthwise filters): what neighbouring outputs see overlaps
 * but for one element. A workgroup keeps what all of its outputs see in workgroup memory, once, with the zeros around it, and each thread
 * slides over it: of a step of taps it reads a few vectors, which serve all of its outputs. Taps that see nothing but zeros are left out.
 */
import { node, type Graph, type NodeId, type Target } from "../../../ir";
import { windowOf, zerosAround } from "../../../ops";
import { SHARED_LOADS } from "../../nest/price";
import { LOAD, machinesOf, meanMicros, PEAK, residents, START, wavesMicros } from "../../nest/waves";
import { isFreeView } from "../../indices/views";
import type { SlidingAxis, SlidingFactors } from "../../types";
import type { MatmulSizes } from "./matmul";
import { shareOfPeak } from "./matmul-factors";

/** Fewer taps, or fewer windows, are not worth workgroup memory. */
const [LEAST_TAPS, LEAST_POSITIONS] = [16, 64];

/** The axis along which the windows of a product's right operand slide; null where that is no long convolution of one row of weights. */
export function slidingAxis(
  graph: Graph,
  members: readonly NodeId[],
  product: NodeId,
  { m, n, k }: MatmulSizes,
): SlidingAxis | null {
  if (m !== 1 || k < LEAST_TAPS) return null;
  const inside = new Set(members);
  let seen = node(graph, node(graph, product).inputs[1]!);
  while (isFreeView(seen)) seen = node(graph, seen.inputs[0]!);
  const axes = inside.has(seen.id) ? windowOf(seen) : null;
  if (!axes) return null;
  const lead = seen.type.shape.length - 2 * axes.length;
  const positions = axes.map((_, i) => seen.type.shape[lead + axes.length + i]!);
  const long = axes.flatMap(({ kernel }, i) => (kernel > 1 || positions[i]! > 1 ? [i] : []));
  const [at] = long;
  if (long.length !== 1 || at === undefined) return null;
  const axis = axes[at]!;
  const count = positions[at]!;
  if (axis.kernel !== k || axis.stride * axis.dilation * axis.interior !== 1) return null;
  if (count < LEAST_POSITIONS || count % 4 !== 0 || n % count !== 0) return null;
  const from = node(graph, seen.inputs[0]!);
  const { left, right } = inside.has(from.id) ? zerosAround(from, lead + at) : { left: 0, right: 0 };
  const first = axis.before + left;
  const end = axis.before + from.type.shape[lead + at]! - right;
  // Nothing is left out where what lies outside is no zero, or a tap meets nothing else anywhere: its weights count as read.
  const isOut = Number(seen.attrs["value"] ?? 0) === 0 && first <= count - 1 && end >= k;
  return { taps: k, positions: count, first: isOut ? first : 0, end: isOut ? end : k + count };
}

/** Threads that walk together, and the bounds of their steps with them. */
export const TOGETHER = 32;

/** Taps whose windows wait in workgroup memory at once. */
const PART = 1024;

/** Instructions that a warp starts in a µs: multiply-adds at their peak. */
const STARTED = PEAK / (2 * TOGETHER);
/** Instructions around a load of a vector from workgroup memory, and around a step. */
const [AROUND_LOAD, AROUND_STEP] = [2, 8];
/** Instructions that bring four elements to workgroup memory: loads one by one, comparisons, addresses. */
const STAGED = 64;
/** How much of the shorter time is added to the longer. */
const OVERLAP_LOST = 0.2;

/** Vectors that a thread reads of what its outputs see in one step. */
export const vectorsSeen = (vectors: number, step: number): number => vectors + Math.ceil((step - 1) / 4);

/** Outputs of a workgroup. */
export const blockOf = ({ vectors, threads }: Pick<SlidingFactors, "vectors" | "threads">): number =>
  4 * vectors * threads;

/** Vectors of what a workgroup sees of one part of the taps. */
export const staged = ({ vectors, threads, part }: Pick<SlidingFactors, "vectors" | "threads" | "part">): number =>
  threads * vectors + Math.ceil(part / 4);

/** Steps of all warps of a row, and how many there would be if none were left out. */
function stepsOf({ taps, positions, first, end }: SlidingAxis, vectors: number, step: number, threads: number) {
  const warp = 4 * vectors * TOGETHER;
  const blocks = Math.ceil(positions / (threads * 4 * vectors));
  const full = Math.floor(taps / step);
  let steps = 0;
  for (let at = 0; at < blocks * threads * 4 * vectors; at += warp) {
    const from = Math.floor(Math.max(0, first - (at + warp - 1)) / step);
    const to = Math.min(full, Math.ceil(Math.max(0, end - at) / step));
    steps += Math.max(0, to - from);
  }
  const rest = taps % step === 0 ? 0 : (blocks * threads) / TOGETHER;
  return { steps: steps + rest, all: (full * blocks * threads) / TOGETHER + rest };
}

interface Candidate extends SlidingFactors {
  readonly micros: number;
  readonly share: number;
}

/** Registers of a thread: accumulators, what it sees of a step and its weights, addresses. */
export const slidingRegisters = ({ vectors, step }: Pick<SlidingFactors, "vectors" | "step">): number =>
  4 * (vectors + vectorsSeen(vectors, step)) + step + 24;

/** Cells of four that threads reach at once, each `vectors` from the next: as many times as banks are asked for. */
const turnsOf = (vectors: number): number => 4 * Math.min(8, vectors & -vectors);

function priced(axis: SlidingAxis, rows: number, own: Omit<SlidingFactors, "axis">, target: Target): Candidate {
  const { vectors, step, threads, part } = own;
  const machines = machinesOf(target);
  const { steps, all } = stepsOf(axis, vectors, step, threads);
  const blocks = Math.ceil(axis.positions / blockOf(own));
  const weights = step / 4;
  const seen = vectorsSeen(vectors, step);
  const started = 4 * vectors * step + AROUND_LOAD * (seen + weights) + AROUND_STEP;
  const shared = seen * turnsOf(vectors) + weights;
  const times = [started / STARTED, shared / SHARED_LOADS];
  const each = Math.max(...times) + OVERLAP_LOST * Math.min(...times);
  const parts = Math.ceil(axis.taps / part);
  const staging = ((parts * (staged(own) + part / 4)) / TOGETHER) * (STAGED / STARTED);
  // Of a multiprocessor that does nothing else.
  const work = (steps / blocks) * each + staging;
  const most = residents(threads, slidingRegisters(own), bytesOf(own));
  const micros = meanMicros(
    machines,
    (multiprocessors) =>
      START +
      wavesMicros(rows * blocks, multiprocessors, most, (beside) => Math.max(START + parts * LOAD, beside * work)),
  );
  return { ...own, axis, micros, share: steps / all };
}

/** Workgroup memory: what is seen, and the weights. */
export const bytesOf = (own: Pick<SlidingFactors, "vectors" | "threads" | "part">): number =>
  16 * (staged(own) + Math.ceil(own.part / 4));

/** The cheapest way to slide over `rows` rows. */
export function slidingFactors(axis: SlidingAxis, rows: number, target: Target): Candidate | null {
  const part = Math.min(PART, 4 * Math.ceil(axis.taps / 4));
  const offers = [1, 2, 3, 5].flatMap((vectors) =>
    [8, 16].flatMap((step) =>
      [1, 2, 4]
        .map((warps) => ({ vectors, step, threads: warps * TOGETHER, part }))
        .filter(
          (own) =>
            own.threads <= target.maxWorkgroupSize &&
            bytesOf(own) <= target.maxWorkgroupBytes &&
            (own.threads === TOGETHER || blockOf(own) < 2 * axis.positions),
        ),
    ),
  );
  return offers.reduce<Candidate | null>((least, own) => {
    const made = priced(axis, rows, own, target);
    return least === null || made.micros < least.micros ? made : least;
  }, null);
}

/** What a schedule says of them. */
export function slidingFigures({ micros, share, ...own }: Candidate, { batch, n, k }: MatmulSizes, target: Target) {
  const { positions } = own.axis;
  return {
    sliding: own,
    leastMicros: micros,
    computedShare: share,
    reached: shareOfPeak(2 * share * batch * n * k, micros, target),
    threadsPerWorkgroup: own.threads,
    workgroups: ((batch * n) / positions) * Math.ceil(positions / blockOf(own)),
    workgroupBytes: bytesOf(own),
    waiting: 4 * own.vectors,
  };
}

/** How often each weight, and each element of the windows, is brought to workgroup memory. */
export function visitsOf(own: SlidingFactors): readonly [weights: number, windows: number] {
  const { taps, positions } = own.axis;
  const blocks = Math.ceil(positions / blockOf(own));
  const parts = Math.ceil(taps / own.part);
  return [blocks, (blocks * (taps + parts * blockOf(own))) / (taps * positions)];
}
