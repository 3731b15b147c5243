/**
 * @file Folds: two loops, one that is outer (rows) and one that is folded (columns), whatever axes they are made of. Row and column
 * softmax, statistics over several axes, full sums: the same nest with other factors. Which of them, the price says.
 */
import { extentOf, type Factor, type Loop, type Machine } from "../../nest/nest";
import { foldMicros, launchesOfCut, LOAD, START, type FoldFactors, type FoldShape, type Side } from "../../nest/price";
import { MAX_RETAINED, networkMicros } from "../sort/network-price";

/** What of a fold a person has chosen. */
export interface FoldChoice {
  /** Threads of a workgroup, and those that share a row. */
  readonly threads?: number | undefined;
  readonly lanes?: number | undefined;
  readonly held?: boolean | undefined;
}

/** Two loops; `fastest` says along which of them neighbouring threads lie, `alternating` that every second walk goes backwards. */
export interface FoldNest {
  readonly outer: Loop;
  readonly folded: Loop;
  readonly fastest: Side;
  readonly alternating: boolean;
}

const width = (loop: Loop): 1 | 4 => (extentOf(loop, "vector") === 4 ? 4 : 1);

export const factorsOf = ({ outer, folded, fastest, alternating }: FoldNest): FoldFactors => ({
  lanes: extentOf(folded, "thread"),
  beside: extentOf(outer, "thread"),
  turns: extentOf(folded, "serial") * extentOf(folded, "unrolled"),
  held: extentOf(folded, "serial") === 1,
  ahead: extentOf(folded, "serial") === 1 ? 1 : extentOf(folded, "unrolled"),
  chunks: extentOf(folded, "grid"),
  wide: { outer: width(outer), folded: width(folded) },
  fastest,
  alternating,
});

const split = (extent: number, factors: readonly Factor[]): Loop => ({
  extent,
  factors: factors.filter((factor) => factor.extent !== 1),
});

interface Wanted {
  readonly lanes: number;
  readonly beside: number;
  readonly held: boolean;
  readonly chunks: number;
  /** Vectors of an iteration: taken where they divide the turns. */
  readonly ahead: number;
  readonly alternating: boolean;
}

/** The nest with these factors; chunks are whole vectors, and none of them is empty. */
export function nestOf(
  shape: FoldShape,
  { lanes, beside, held, chunks: wanted, ahead, alternating }: Wanted,
): FoldNest {
  const { rows, columns, vector } = shape;
  const [outerWidth, foldedWidth] = [vector === "outer" ? 4 : 1, vector === "folded" ? 4 : 1];
  const units = columns / foldedWidth;
  const share = Math.ceil(units / wanted);
  // Chunks of whole iterations need no guard of their own.
  const iteration = lanes * ahead;
  const each = wanted > 1 ? Math.ceil(share / iteration) * iteration : share;
  const [chunks, turns] = [Math.max(1, Math.ceil(units / Math.max(1, each))), Math.ceil(each / lanes)];
  const together = turns % ahead === 0 && turns > ahead ? ahead : 1;
  return {
    outer: split(rows, [
      { part: "grid", extent: Math.ceil(rows / outerWidth / beside) },
      { part: "thread", extent: beside },
      { part: "vector", extent: outerWidth },
    ]),
    folded: split(columns, [
      { part: "grid", extent: chunks },
      { part: "serial", extent: held ? 1 : turns / together },
      { part: "unrolled", extent: held ? turns : together },
      { part: "thread", extent: lanes },
      { part: "vector", extent: foldedWidth },
    ]),
    fastest: shape.contiguous,
    alternating,
  };
}

/** Values that a thread holds at most, and statements that are written out at most where a loop would do. */
const MAX_HELD = 64;
const MAX_STATEMENTS = 400;
const MAX_AHEAD = 8;
/** Threads of a workgroup that are tried; of equal ones the first. */
const WORKGROUPS = [256, 128, 64, 512, 1024];
/** Chunks are tried that give each multiprocessor so many workgroups. */
const SHARES = [1, 2, 4, 8];

const nextPowerOfTwo = (value: number): number => 2 ** Math.ceil(Math.log2(Math.max(1, value)));
const powersTo = (most: number): number[] =>
  Array.from({ length: Math.floor(Math.log2(Math.max(1, most))) + 1 }, (_, i) => 2 ** i);

/** Parts of a row: as many as give every multiprocessor work, of at least two turns each. */
function chunksFor(shape: FoldShape, lanes: number, beside: number, machine: Machine): number[] {
  if (!shape.cut) return [1];
  const units = shape.columns / (shape.vector === "folded" ? 4 : 1);
  const tiles = Math.ceil(shape.rows / (shape.vector === "outer" ? 4 : 1) / beside);
  const most = Math.floor(units / lanes / 2);
  return [
    1,
    ...SHARES.map((share) => Math.min(most, Math.floor((share * machine.multiprocessors) / tiles))).filter(
      (chunks) => chunks > 1,
    ),
  ];
}

/** Vectors that a thread may load at once and then fold: at most eight, which divide its turns. Chunks are cut to the most of them. */
function aheadsFor({ scans, networks, statements }: FoldShape, turns: number, chunks: number): number[] {
  if (scans > 0 || networks.length > 0) return [1];
  const written = Array.from({ length: MAX_AHEAD - 1 }, (_, i) => i + 2).filter(
    (ahead) => turns > ahead && ahead * statements <= MAX_STATEMENTS,
  );
  return [1, ...(chunks > 1 ? written.slice(-1) : written.filter((ahead) => turns % ahead === 0))];
}

/** Whether walks may go to and fro: no scan has a way of its own, and threads share the row. */
const mayAlternate = ({ walks, scans, networks }: FoldShape, lanes: number, chunks: number): boolean =>
  walks > 1 && scans === 0 && networks.length === 0 && lanes > 1 && chunks === 1;

/** Rows side by side in a workgroup: a power of two, or all of a short run of them. */
function besideFor(shape: FoldShape, threads: number, lanes: number): number[] {
  const units = Math.ceil(shape.rows / (shape.vector === "outer" ? 4 : 1));
  const run = shape.contiguous === "outer" ? shape.run / (shape.vector === "outer" ? 4 : 1) : units;
  const plain = Math.min(Math.max(1, threads / lanes), nextPowerOfTwo(units));
  const whole = run < plain && run >= 8 && Number.isInteger(run) ? [run] : [];
  return shape.several || lanes === 1 ? [plain, ...whole] : [1];
}

/** Threads to a row. Who asks for a row to be read again gets a loop to read it in. */
function lanesFor(shape: FoldShape, threads: number, { lanes, held }: FoldChoice): number[] {
  if (!shape.together) return [1];
  if (!shape.several) return lanes === 1 && shape.alone ? [1] : [threads, ...(shape.alone ? [1] : [])];
  if (lanes && (lanes > 1 || shape.alone)) return [lanes];
  const units = shape.columns / (shape.vector === "folded" ? 4 : 1);
  const most = held === false ? Math.max(1, Math.floor(units / 2)) : nextPowerOfTwo(units);
  const shares = powersTo(Math.min(threads, most)).filter((some) => some > 1 || shape.alone);
  return shares.length > 0 ? shares : [Math.min(threads, 2)];
}

function* offers(shape: FoldShape, machine: Machine, choice: FoldChoice): Generator<Wanted> {
  const { threads, held } = choice;
  const units = Math.max(1, shape.columns / (shape.vector === "folded" ? 4 : 1));
  const mayHold = held === true || (shape.waiting !== null && held !== false);
  if (machine.sharing === "alone" && shape.alone) {
    const beside = threads ?? Math.min(64, machine.maxThreads);
    const few = shape.cut && shape.rows < 64 && shape.columns >= 4096;
    const chunks = few ? Math.min(256, Math.ceil(shape.columns / 1024)) : 1;
    const short = units * Math.max(1, shape.waiting ?? Infinity) <= 4;
    yield {
      lanes: 1,
      beside,
      held: chunks === 1 && (units === 1 || (mayHold && short)),
      chunks,
      ahead: 1,
      alternating: false,
    };
    return;
  }
  const sizes = threads ? [threads] : WORKGROUPS.filter((size) => size <= machine.maxThreads);
  for (const size of sizes.length > 0 ? sizes : [machine.maxThreads]) {
    for (const some of lanesFor(shape, size, choice)) {
      for (const beside of threads ? [Math.max(1, threads / some)] : besideFor(shape, size, some)) {
        for (const chunks of chunksFor(shape, some, beside, machine)) {
          const turns = Math.ceil(units / chunks / some);
          const written = turns * (shape.waiting ?? 1) * (shape.vector === null ? 1 : 4);
          const saves = shape.walks > 1 || (shape.waiting ?? 0) > 0;
          const holds =
            chunks === 1 &&
            mayHold &&
            (held === true || (saves && written <= MAX_HELD && turns * shape.statements <= MAX_STATEMENTS));
          const wanted = { lanes: some, beside, chunks, ahead: 1, alternating: false };
          if (holds || turns === 1) yield { ...wanted, held: true };
          if (turns === 1 || held === true) continue;
          for (const alternating of mayAlternate(shape, some, chunks) ? [false, true] : [false])
            for (const ahead of aheadsFor(shape, turns, chunks)) yield { ...wanted, held: false, ahead, alternating };
        }
      }
    }
  }
}

/** What a loop of several vectors must gain, of which a reader has more to read. */
const LONGER = 1.03;
/** The same of each doubling of a workgroup past the largest that every machine grants: its threads wait for one another. */
const LARGER = 1.03;
const PLAIN_WORKGROUP = 256;
/** The same of rows that are walked beside one another: memory is asked in smaller pieces. */
const BESIDE = 1.03;
/** Share of a launch that a second dispatch waits for: the queue holds it ready. */
const SECOND_LAUNCH = 0.5;

/** µs in which the threads of a workgroup sort its row, or its part of it; and in which those of another sort what all parts of a row have left. */
export function sortMicros(
  { networks }: FoldShape,
  { lanes, beside, wide, turns, chunks }: FoldFactors,
  machine: Machine,
): readonly [parts: number, again: number] {
  const threads = lanes * beside;
  let [parts, again] = [0, 0];
  // A selection while the row goes by needs all threads of its workgroup.
  if (beside > 1 && networks.some(({ retained, byThread }) => retained > 0 && !byThread)) return [Infinity, 0];
  for (const network of networks) {
    const { rows, retained } = network;
    if (chunks === 1) parts += networkMicros(network, lanes, wide.folded, machine, beside);
    else {
      const [own, left] = [turns * lanes * wide.folded, chunks * retained];
      const width = left % 4 === 0 ? 4 : 1;
      parts += networkMicros({ ...network, rows: rows * chunks, columns: own }, threads, wide.folded, machine);
      // Its threads meet in every turn: each waits for the load of its own.
      again += networkMicros({ ...network, columns: left }, threads, width, machine);
      again += START + Math.ceil(left / (threads * width)) * LOAD;
    }
  }
  return [parts, again];
}

/** The shape with its first few retained by the threads that meet them, where the threads of a row are of one subgroup and that takes less. */
export function retainingByThread(shape: FoldShape, factors: FoldFactors, machine: Machine): FoldShape {
  const { networks } = shape;
  const { lanes, beside, chunks, fastest } = factors;
  const together = lanes <= (machine.peers ?? 0) && (fastest === "folded" || beside === 1);
  if (networks.length === 0 || chunks > 1 || lanes === 1 || !together) return shape;
  if (networks.some(({ count }) => count > MAX_RETAINED)) return shape;
  const byThread = { ...shape, networks: networks.map((network) => ({ ...network, byThread: true as const })) };
  const micros = (of: FoldShape): number => foldMicros(of, factors, machine) + sortMicros(of, factors, machine)[0];
  return micros(byThread) < micros(shape) ? byThread : shape;
}

const known = new Map<string, FoldNest>();
/** Nests that are remembered: far more than any program has. */
const REMEMBERED = 20_000;

/** The nest of least price among those that the machine can run; the smallest where it can run none. */
export function foldNest(shape: FoldShape, machine: Machine, choice: FoldChoice = {}): FoldNest {
  const key = JSON.stringify([shape, machine, choice]);
  const found = known.get(key);
  if (found) return found;
  let [best, least]: [FoldNest | null, number] = [null, Infinity];
  for (const wanted of offers(shape, machine, choice)) {
    const nest = nestOf(shape, wanted);
    const factors = factorsOf(nest);
    const further = factors.chunks > 1 ? launchesOfCut(shape) - 1 : 0;
    const launch = further * machine.launchMicros * SECOND_LAUNCH;
    const doublings = Math.max(0, Math.log2((factors.lanes * factors.beside) / PLAIN_WORKGROUP));
    const pieces = factors.beside > 1 && !factors.held ? BESIDE : 1;
    const sorted = retainingByThread(shape, factors, machine);
    const [parts, again] = sortMicros(sorted, factors, machine);
    const longer = factors.ahead > 1 ? LONGER : 1;
    const micros =
      (foldMicros(sorted, factors, machine) + parts + again + launch) * longer * pieces * LARGER ** doublings;
    if (best === null || micros < least) [best, least] = [nest, micros];
  }
  if (known.size >= REMEMBERED) known.clear();
  known.set(key, best!);
  return best!;
}
