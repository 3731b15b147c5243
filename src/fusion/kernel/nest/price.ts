/**
 * @file What a fold takes, from its factors: the time to move its bytes, the lines of memory that its loads ask for, and the time that
 * its workgroups wait where too few of them are on their way to hide it. The constants hold for current GPUs within a factor of two.
 */
import { CACHED_SPEEDUP, CACHE_USED } from "./cache";
import type { Machine } from "./nest";
import { networkBytes, type Network } from "./networks";
import { THREADS } from "./waves";

export type Side = "outer" | "folded";

/** What decides the factors of a fold. Bytes are those of one element of the space. */
export interface FoldShape {
  readonly rows: number;
  readonly columns: number;
  /** The loop that four neighbours of one load lie along; null where they lie nowhere. */
  readonly vector: Side | null;
  /** The loop whose neighbours lie side by side in memory, and how many of them before the other loop moves on. */
  readonly contiguous: Side;
  readonly run: number;
  /** Neighbours of the outer loop lie so far apart, with columns of their own between them: windows that do not overlap. 1: side by side. */
  readonly between: number;
  readonly readBytes: number;
  /** Share of its loads that ask for what no other asks for: windows have most of their elements in common, which a cache then has. */
  readonly fresh: number;
  readonly writeBytes: number;
  /** Walks over a row that registers don't save; those of another count where some of it is folded as it goes by. */
  readonly walks: number;
  /** Folds that wait for one another, and accumulators of the stage that has most. */
  readonly stages: number;
  /** Running folds of a row, whose every element is asked for. */
  readonly scans: number;
  readonly accumulators: number;
  /** Values of an element that wait in registers from one walk to the next; null where they can't. */
  readonly waiting: number | null;
  /** µs that a thread waits, besides, for loads whose addresses are loaded first: once in a row, and for each of its vectors. */
  readonly addressing: { readonly row: number; readonly vector: number };
  /** Values alive at once while an element is computed. */
  readonly live: number;
  /** Statements an element takes: what is written out is read by somebody. */
  readonly statements: number;
  /** Ops that an element takes, in all walks and nests together. */
  readonly ops: number;
  /** Bytes of workgroup memory that a thread takes to meet the others of its row. */
  readonly meetingBytes: number;
  /** The same where parts of rows are folded and joined by kernels of their own. */
  readonly partsBytes: number;
  /** The same to scan what it holds of the row in one turn. */
  readonly scanningBytes: number;
  /** Whether parts of a row may be folded apart and joined by a second nest. */
  readonly cut: boolean;
  /** Nests that walk the parts of a row where it is cut, one after another; whether one more joins what the last of them leaves. */
  readonly steps: number;
  readonly joined: boolean;
  /** Whether several rows may share a workgroup, and whether a thread may walk a row alone. */
  readonly several: boolean;
  readonly alone: boolean;
  /** Whether several threads may share a row. */
  readonly together: boolean;
  /** The sorts of a workgroup's row. */
  readonly networks: readonly Network[];
}

/** Threads that share a row, rows (or vectors of rows) beside one another in a workgroup, turns of a thread, parts of a row. */
export interface FoldFactors {
  readonly lanes: number;
  readonly beside: number;
  readonly turns: number;
  readonly held: boolean;
  /** Vectors that a thread loads in one iteration of its loop before it folds them; 1 where the row is held. */
  readonly ahead: number;
  readonly chunks: number;
  /** Every second walk goes from the end of the row to its start, which meets what the cache still holds. */
  readonly alternating: boolean;
  /** Lanes of a vector along each loop. */
  readonly wide: { readonly outer: 1 | 4; readonly folded: 1 | 4 };
  readonly fastest: Side;
}

/** µs: from a load to its value while many are on their way; for threads to meet at a barrier; to start and end a workgroup. */
export const LOAD = 0.8;
/** The same where a cache has it. */
const NEAR_LOAD = 0.05;
export const MEETING = 0.03;
export const MEETING_PER_THREAD = 0.00016;
export const START = 0.4;
/** µs: to fold what one load brings; for one op on it, in a loop, whose operands the thread waits for; between two workgroups that a multiprocessor starts. */
export const ISSUE = 0.03;
const OP_WAIT = 0.01;
export const STARTS = 0.025;
/** µs from a load of workgroup memory to its value. */
export const SHARED_WAIT = 0.02;
/** Loads of workgroup memory that are on their way at once where none waits for another. */
export const SHARED_AHEAD = 4;
/** Loads from workgroup memory that a multiprocessor makes in a µs, a warp at a time. */
export const SHARED_LOADS = 1700;
/** Instructions of warps that a multiprocessor issues in a µs: four a cycle, some of them for what no count names. */
const ISSUED = 5000;
/** What a multiprocessor has: workgroups, registers, bytes of workgroup memory and of first-level cache. */
const WORKGROUPS = 32;
const REGISTERS = 65_536;
const WORKGROUP_BYTES = 160 * 1024;
const CACHE_BYTES = 128 * 1024;
/** What it takes in a µs: bytes, and lines of memory. */
const BYTES_PER_MICRO = 32_000;
export const LINES_PER_MICRO = 1100;
/** Loads of a thread that are on their way at once: of a loop, which compilers unroll or not, and where turns are written out. */
export const LOOPED = 2.5;
const WRITTEN = 16;
/** Loads of a thread, of so many one after the other, that are made together before the first is used. */
export const loadedTogether = (loads: number): number => [8, 4, 2].find((few) => loads % few === 0) ?? 1;
/** Bytes that memory hands over at a time, and bytes of a line; threads that ask together. */
const SECTOR = 32;
/** What a sector costs that is fetched without its neighbour. */
const LONE_SECTOR = 1.35;
export const LINE = 128;
export const WARP = 32;
/** How much of the shorter times is added to the longest: they overlap, but not wholly. */
const OVERLAP_LOST = 0.1;
/** The same where threads meet in every turn, so that all of them wait at once. */
export const TURN_LOST = 0.5;
/** What each turn that is written out costs the rest: instructions, and registers that the compiler needs besides. */
const WRITTEN_LOST = 0.004;
/** µs for each part of a row that a second nest joins. */
const PART = 0.002;

/** Steps in which the threads of a row meet: each takes in the parts of up to sixteen. */
export const meetings = (lanes: number): number => (lanes === 1 ? 0 : lanes <= 16 ? 1 : 2);

/** Barriers of a scan: threads of a row learn from those 1, 2, 4 … before them what stands before themselves; twice more in a loop. */
const scanBarriers = (lanes: number, held: boolean): number =>
  lanes === 1 ? 0 : 2 * Math.log2(lanes) + (held ? 2 : 4);

/** Bytes fetched for each that is used, where so many lie side by side. */
const wasteOf = (together: number): number =>
  together >= 2 * SECTOR ? 1 : LONE_SECTOR * Math.max(1, SECTOR / together);

/** How a warp's loads meet memory: bytes fetched per byte used, and lines that one of them asks for. */
function meetingMemory(
  shape: FoldShape,
  { lanes, beside, wide, fastest }: FoldFactors,
): { waste: number; lines: number } {
  const { contiguous, columns, between } = shape;
  // A run without elements asks for nothing; no count of its lines may be infinite for that.
  const run = Math.max(1, shape.run);
  const vector = wide.outer * wide.folded;
  // A thread that takes all that lies between loads neighbours in fours; others load one by one what their warp's neighbours load, too.
  const inFours = lanes === 1 && (between * wide.outer) % 4 === 0;
  if (between > 1 && contiguous === "outer" && !inFours)
    return { waste: 1, lines: vector * Math.max(1, (4 * WARP * vector * between) / LINE) };
  const asked = 4 * WARP * vector;
  const sides = { outer: beside * wide.outer, folded: lanes * wide.folded };
  const other = contiguous === "outer" ? "folded" : "outer";
  if (fastest === contiguous && sides[contiguous] >= run && sides[other] > 1) {
    // Short runs follow one another along the other loop: what its threads load is one piece of memory.
    const along = Math.min(WARP * vector, sides[contiguous]);
    const piece = (4 * run * WARP * vector) / along;
    return { waste: wasteOf(4 * run * sides[other]), lines: Math.max(1, along / run) * Math.max(1, piece / LINE) };
  }
  const side = sides[fastest];
  const together = 4 * (fastest === contiguous ? Math.max(vector, Math.min(side, run)) : vector);
  const pieces = Math.max(1, asked / together);
  const apart = pieces * Math.max(1, Math.min(together, asked) / LINE);
  if (contiguous === "outer" || run < columns) return { waste: wasteOf(together), lines: apart };
  // Whole rows follow one another: the rows of a warp are one piece of memory, which the cache may hold until it is used up.
  const lines = Math.max(1, Math.min(apart, (4 * columns * WARP) / Math.min(lanes, WARP) / LINE));
  const held = (4 * columns * THREADS) / lanes <= CACHE_BYTES || lanes * wide.folded >= columns;
  return { waste: held ? 1 : wasteOf(together), lines };
}

/** Workgroups that a multiprocessor runs side by side. */
export function residentOf(threads: number, registers: number, bytes: number): number {
  const limits = [THREADS / threads, REGISTERS / registers / threads, ...(bytes > 0 ? [WORKGROUP_BYTES / bytes] : [])];
  return Math.max(1, Math.min(WORKGROUPS, ...limits.map(Math.floor)));
}

/** What a kernel takes of a machine, whatever its loops are. */
export interface Taken {
  readonly workgroups: number;
  readonly threads: number;
  readonly registers: number;
  /** Bytes of workgroup memory. */
  readonly bytes: number;
  /** Bytes from and to memory, lines of it that warps ask for, and accesses of workgroup memory by warps. */
  readonly moved: number;
  readonly lines: number;
  readonly shared: number;
  /** Instructions of warps, where they are more than go along with what is moved. */
  readonly issued?: number;
  /** µs of a workgroup that has a multiprocessor for itself. */
  readonly alone: number;
}

/** Predicted time of a kernel that takes this, without its launch, µs. */
export function takenMicros(
  { workgroups, threads, registers, bytes, moved, lines, shared, issued = 0, alone }: Taken,
  { multiprocessors, bandwidth }: Machine,
): number {
  const slots = multiprocessors * residentOf(threads, registers, bytes);
  const waves = workgroups <= 4 * slots ? Math.ceil(workgroups / slots) : workgroups / slots;
  const busy = Math.min(workgroups, multiprocessors);
  const times = [
    (moved / bandwidth) * 1e6,
    lines / (LINES_PER_MICRO * busy),
    shared / (SHARED_LOADS * busy),
    issued / (ISSUED * busy),
    (workgroups / multiprocessors) * STARTS,
    waves * alone,
  ];
  const longest = Math.max(...times);
  return longest + OVERLAP_LOST * (times.reduce((sum, time) => sum + time, 0) - longest);
}

/** Share of a row that the cache still holds when it is walked again, while so many bytes of rows are on their way. */
function heldByCache(bytes: number, alternating: boolean, { l2Bytes }: Machine): number {
  const share = Math.min(1, (CACHE_USED * l2Bytes) / Math.max(1, bytes));
  // Walked from the start again, what is asked for first was dropped first.
  return alternating ? share : Math.max(0, 2 * share - 1);
}

/** Of a row whose loads have addresses that are known. */
export const NO_WAITING: FoldShape["addressing"] = { row: 0, vector: 0 };

/** Loads that an element takes: operands of its size, at least one. */
export const loadsOf = ({ readBytes }: FoldShape): number => Math.max(1, Math.ceil(readBytes / 4));

/** Predicted time of a fold without launches, µs, with what joins its parts; ∞ where the machine has no room for it. */
export function foldMicros(shape: FoldShape, factors: FoldFactors, machine: Machine): number {
  if (factors.chunks === 1) return walkMicros(shape, factors, machine);
  const step = { ...shape, walks: 1, stages: 1, ops: shape.ops / shape.steps, meetingBytes: shape.partsBytes };
  const before = shape.steps > 1 ? walkMicros({ ...step, writeBytes: 0 }, factors, machine) + factors.chunks * PART : 0;
  const joining = shape.joined ? joiningMicros(shape.rows, leftByPart(shape), factors.chunks, machine) : 0;
  return (shape.steps - 1) * before + walkMicros(step, factors, machine) + joining;
}

/** Values that a part of a row leaves for the kernel that joins the parts. */
export const leftByPart = ({ accumulators, networks }: FoldShape): number =>
  networks.length === 0
    ? accumulators
    : networks.reduce((sum, { retained, indices }) => sum + retained * (indices ? 2 : 1), 0);

/** Launches of a row that is cut. */
export const launchesOfCut = ({ steps, joined }: FoldShape): number => steps + (joined ? 1 : 0);

/** One nest: every walk over its rows. */
function walkMicros(shape: FoldShape, factors: FoldFactors, machine: Machine): number {
  const { rows, columns, stages, accumulators, live, meetingBytes } = shape;
  const { lanes, beside, turns, held, ahead: together, chunks, wide, alternating } = factors;
  const [vector, threads] = [wide.outer * wide.folded, lanes * beside];
  const sharing = meetingBytes * wide.outer + shape.scanningBytes * (held ? turns : 1);
  const bytes = networkBytes(shape.networks, threads * wide.folded, beside) + (lanes > 1 ? threads * sharing : 0);
  if (threads > machine.maxThreads || bytes > machine.maxBytes) return Infinity;
  const loads = loadsOf(shape);
  const waiting = held ? (shape.waiting ?? 0) * turns : (together - 1) * loads;
  const registers = 16 + (live + accumulators + waiting) * vector;
  if (threads * registers > REGISTERS) return Infinity;
  const resident = residentOf(threads, registers, bytes);
  const walks = held ? 1 : shape.walks;
  const tiles = Math.ceil(rows / wide.outer / beside);
  const workgroups = tiles * chunks;
  const memory = meetingMemory(shape, factors);
  const elements = rows * columns;
  const slots = machine.multiprocessors * resident;
  const underway = Math.min(workgroups, slots) * beside * wide.outer * columns * shape.readBytes;
  const again = chunks > 1 ? 0 : (walks - 1) * heldByCache(underway, alternating, machine);
  const cached = elements * shape.readBytes * again * memory.waste;
  const moved = elements * (shape.readBytes * (walks - again) + shape.writeBytes) * memory.waste;
  // What lies past the end of rows and columns asks, too.
  const asked = tiles * beside * wide.outer * lanes * turns * chunks * wide.folded;
  const requests = (asked * (walks + (shape.writeBytes > 0 ? 1 : 0))) / vector / WARP;
  // The threads of a scan, and of a selection, meet in every turn of a loop: no load is made ahead of it.
  const meets =
    !held &&
    lanes > 1 &&
    (shape.scans > 0 || shape.networks.some(({ retained, byThread }) => retained > 0 && !byThread));
  const ahead = held ? WRITTEN : meets ? loads : Math.min(WRITTEN, Math.max(LOOPED, together * loads));
  const alone =
    START +
    walks * (LOAD + Math.max(0, (turns * loads) / ahead - 1) * (shape.fresh * LOAD + (1 - shape.fresh) * NEAR_LOAD)) +
    shape.addressing.row +
    turns * (walks * shape.addressing.vector + (held ? ISSUE : Math.max(walks * ISSUE, shape.ops * OP_WAIT))) +
    (stages * 2 * meetings(lanes) + shape.scans * (held ? 1 : turns) * scanBarriers(lanes, held)) *
      (MEETING + MEETING_PER_THREAD * threads);
  const drawn =
    (((moved + cached) / workgroups) * Math.min(resident, Math.ceil(workgroups / machine.multiprocessors))) /
    BYTES_PER_MICRO;
  const waves = workgroups <= 4 * slots ? Math.ceil(workgroups / slots) : workgroups / slots;
  const times = [
    ((moved + cached / CACHED_SPEEDUP) / machine.bandwidth) * 1e6,
    (requests * memory.lines) / (LINES_PER_MICRO * machine.multiprocessors),
    (workgroups / machine.multiprocessors) * STARTS,
    // A workgroup that has a multiprocessor for itself loads, computes and stores in turn.
    waves * (resident > 1 ? Math.max(alone, drawn) : alone + drawn),
  ];
  const longest = Math.max(...times);
  const lost = (meets ? TURN_LOST : OVERLAP_LOST) * (times.reduce((sum, time) => sum + time, 0) - longest);
  return (longest + lost) * (held ? 1 + WRITTEN_LOST * turns : 1);
}

/** The second nest: each row's parts are read by one workgroup. */
export function joiningMicros(rows: number, left: number, chunks: number, { bandwidth }: Machine): number {
  const moved = (((4 + SECTOR) * rows * chunks * left) / bandwidth) * 1e6;
  return moved + START + LOAD + chunks * PART;
}

// ---- loops along rows: a thread owns an element of what is carried and goes through all rows ----

export interface RowLoopShape {
  /** Elements of what is carried: one thread each. */
  readonly elements: number;
  readonly iterations: number;
  /** Loads and stores of an element in one iteration; ops that wait for one another there. */
  readonly loads: number;
  readonly ops: number;
  readonly registers: number;
}

/** µs from an op to the next that needs its value. */
const OP = 0.004;

/** µs of all iterations, without the launch. No iteration knows what it carries before the one ahead of it is done; its loads are under way. */
export function rowLoopMicros(shape: RowLoopShape, threads: number, machine: Machine): number {
  const { elements, iterations, loads, ops, registers } = shape;
  const each = Math.max((Math.max(1, loads) * LOAD) / LOOPED / 4, ops * OP);
  return takenMicros(
    {
      workgroups: Math.ceil(elements / threads),
      threads,
      registers,
      bytes: 0,
      moved: 4 * elements * iterations * loads,
      lines: (elements / WARP) * iterations * loads,
      shared: 0,
      alone: START + LOAD + iterations * each,
    },
    machine,
  );
}

const OFFERED = [32, 64, 128, 256];

/** Threads of a workgroup for the least price. */
export function rowLoopThreads(shape: RowLoopShape, machine: Machine): number {
  const offered = OFFERED.filter((threads) => threads <= machine.maxThreads);
  const micros = offered.map((threads) => rowLoopMicros(shape, threads, machine));
  return offered[micros.indexOf(Math.min(...micros))] ?? machine.maxThreads;
}
