/** @file Scans: what each thread keeps of a row so far, and the tree by which the threads of a workgroup learn what stands before them. */
import { node, type DType, type NodeId } from "../../../../ir";
import { opDef, type OpDef } from "../../../../ops";
import { registerScalar, wordFor } from "../../../emit/emitter";
import type { Cond, Index, Tuple } from "../../../emit/index-space";
import {
  literal,
  widthOf,
  type KernelProgram,
  type Reg,
  type Scalar,
  type SharedArray,
  type Value,
} from "../../../emit/kernel-ir";
import { loweringOf, programOf, workgroupPerItem, type Job } from "../../../emit/kernel-frame";
import type { Lowering } from "../../../emit/lowering";
import { passComment, pointAt, rowsOf, storePoint } from "../../fold/write/rows";
import { lineOf } from "../../../types";

interface Scan {
  readonly id: NodeId;
  readonly operand: NodeId;
  readonly fold: OpDef;
  readonly scalar: DType;
  readonly backwards: boolean;
  readonly exclusive: boolean;
  readonly start: Value;
  readonly word: string;
}

function scanOf(low: Lowering, id: NodeId): Scan {
  const n = node(low.graph, id);
  const { fold, reverse, exclusive } = opDef(n.op).scan!;
  const scalar = registerScalar(n.type.dtype);
  return {
    id,
    operand: n.inputs[0]!,
    fold,
    scalar,
    backwards: reverse(n.attrs),
    exclusive: exclusive(n.attrs),
    start: literal(fold.reduce!.identity(scalar), scalar),
    word: wordFor(n),
  };
}

const joined = (low: Lowering, { fold, scalar, id, word }: Scan, a: Value, b: Value, what: string): Reg => {
  const width = widthOf(a) === 4 ? 4 : widthOf(b);
  return low.let(`${word}_${what}`, scalar, width, { kind: "combine", def: fold, a, b }, [id]);
};

const operandAt = (low: Lowering, { operand, scalar }: Scan, at: Tuple): Value =>
  low.converted(low.valueAt(operand, at), scalar, operand);

/** Four neighbours in the order of the walk: for each, the fold of `before` and those up to it; and the fold of all. */
function alongLanes(low: Lowering, scan: Scan, x: Value, before: Value | null): { lanes: Value[]; total: Value } {
  const lanes: Value[] = [];
  let total = before;
  for (const lane of scan.backwards ? [3, 2, 1, 0] : [0, 1, 2, 3]) {
    const part = low.part(x, lane, [scan.id]);
    const upTo = total === null ? part : joined(low, scan, total, part, "to");
    lanes[lane] = scan.exclusive ? (total ?? scan.start) : upTo;
    total = upTo;
  }
  return { lanes, total: total! };
}

/** One thread walks a row: what it has folded so far, over the turns of its loop. */
export class ThreadScan {
  readonly id: NodeId;
  readonly scan: Scan;
  readonly #carry: Reg;
  readonly low: Lowering;
  /** The lanes of one load lie along the row. */
  readonly along: boolean;

  constructor(low: Lowering, id: NodeId, lane: "columns" | "rows" | "none") {
    this.id = id;
    this.low = low;
    this.scan = scanOf(low, id);
    this.along = lane === "columns";
    const { word, scalar, start } = this.scan;
    this.#carry = low.variable(`${word}_so_far`, scalar, lane === "rows" ? 4 : 1, start, [id]);
  }

  /** The next element, or the next four: from here on, in this iteration, the scan is known at `at`. */
  take(at: Tuple): void {
    const { low, scan } = this;
    const { id, word, scalar } = scan;
    const x = operandAt(low, scan, at);
    if (this.along) {
      const { lanes, total } = alongLanes(low, scan, x, low.let(`${word}_before`, scalar, 1, this.#carry, [id]));
      low.setValueAt(id, at, low.let(word, scalar, 4, { kind: "pack", parts: lanes }, [id]));
      this.#keep(total);
      return;
    }
    const before = low.let(`${word}_before`, scalar, this.#carry.width, this.#carry, [id]);
    const upTo = joined(low, scan, before, x, "to");
    low.setValueAt(id, at, scan.exclusive ? before : upTo);
    this.#keep(upTo);
  }

  #keep(total: Value): void {
    this.low.set(this.#carry, total, [this.scan.id]);
  }
}

/** One element of a row, or four neighbours. */
export interface ScanPoint {
  readonly at: Tuple;
  readonly inside: Cond;
}
/** A thread's share of a row in one iteration: neighbours. */
export type ScanChunk = readonly ScanPoint[];

/** The threads that share a row, and memory where they meet: one array for each iteration that is scanned at once. */
export interface ScanMemory {
  /** This thread's number among them, of `slots`. */
  readonly slot: Index;
  readonly slots: number;
  readonly cell: (slot: Index) => Index;
  /** The lanes of one load lie along the row. */
  readonly wide: boolean;
  readonly array: (iteration: number, scalar: Scalar) => SharedArray;
}

/** What the turns before have folded; null where all turns are scanned at once. */
export const openCarry = (low: Lowering, id: NodeId): Reg => {
  const { word, scalar, start } = scanOf(low, id);
  return low.variable(`${word}_so_far`, scalar, 1, start, [id]);
};

interface Part {
  readonly chunk: ScanChunk;
  /** For each point, what the thread itself has folded up to it; null: nothing. */
  readonly own: readonly (Value | null)[];
  /** Fold of the thread's own; after the tree, of all threads up to it. */
  readonly sum: Reg;
  readonly cells: SharedArray;
}

/**
 * Scans the threads' shares, all turns in `chunks` at once: from here on the scan is known there.
 * Every thread runs this, and nobody may still read that memory when it begins.
 */
function scanChunks(
  low: Lowering,
  id: NodeId,
  chunks: readonly ScanChunk[],
  memory: ScanMemory,
  carry: Reg | null,
): void {
  const scan = scanOf(low, id);
  const { space } = low;
  const { slots, cell } = memory;
  const slot = scan.backwards ? space.add(space.int(slots - 1), space.mul(memory.slot, -1)) : memory.slot;
  const ordered = scan.backwards ? chunks.toReversed() : chunks;
  const parts = ordered.map((chunk, iteration): Part => {
    const cells = memory.array(iteration, scan.scalar);
    const { own, total } = memory.wide ? ownLanes(low, scan, chunk[0]!) : ownPoints(low, scan, chunk);
    const sum = low.variable(`${scan.word}_sum`, scan.scalar, 1, total, [id]);
    low.emit({ kind: "storeShared", array: cells, index: cell(slot), value: sum, lane: null, nodes: [id] });
    return { chunk, own, sum, cells };
  });
  low.barrier();
  climb(low, scan, parts, slot, memory);
  let soFar: Value | null = carry;
  for (const [iteration, { chunk, own, cells }] of parts.entries()) {
    const before = low.variable(`${scan.word}_before`, scan.scalar, 1, soFar ?? scan.start, [id]);
    low.branch(space.atLeast(slot, 1), () => {
      const near = read(low, scan, cells, cell(space.add(slot, space.int(-1))), "near");
      low.set(before, { kind: "combine", def: scan.fold, a: before, b: near }, [id]);
    });
    for (const [i, { at }] of chunk.entries())
      low.setValueAt(id, at, own[i] ? joined(low, scan, before, own[i], "to") : before);
    if (iteration + 1 === parts.length && !carry) break;
    const all = read(low, scan, cells, cell(space.int(slots - 1)), "all");
    soFar = soFar === null ? all : joined(low, scan, soFar, all, "so_far");
  }
  if (carry) low.set(carry, soFar!, [id]);
}

/** Four neighbours of one load. */
function ownLanes(low: Lowering, scan: Scan, { at, inside }: ScanPoint): { own: (Value | null)[]; total: Value } {
  const x = insideOnly(low, scan, operandAt(low, scan, at), inside);
  const { lanes, total } = alongLanes(low, scan, x, null);
  return { own: [low.let(`${scan.word}_within`, scan.scalar, 4, { kind: "pack", parts: lanes }, [scan.id])], total };
}

/** Neighbours that are loaded one by one. */
function ownPoints(low: Lowering, scan: Scan, points: ScanChunk): { own: (Value | null)[]; total: Value } {
  const own: (Value | null)[] = points.map(() => null);
  let total: Value | null = null;
  const order = [...points.entries()];
  for (const [i, { at, inside }] of scan.backwards ? order.toReversed() : order) {
    const x = insideOnly(low, scan, operandAt(low, scan, at), inside);
    const upTo: Value = total === null ? x : joined(low, scan, total, x, "to");
    own[i] = scan.exclusive ? total : upTo;
    total = upTo;
  }
  return { own, total: total! };
}

/** Each thread adds what stands 1, 2, 4 … before it, whatever of these was added there already. */
function climb(
  low: Lowering,
  { id, fold, word, scalar }: Scan,
  parts: readonly Part[],
  slot: Index,
  { slots, cell }: ScanMemory,
): void {
  const { space } = low;
  if (slots === 1) return;
  low.halving("step", space.int(slots / 2), (step) => {
    low.branch(space.below(step, space.add(slot, space.int(1))), () => {
      for (const { sum, cells } of parts) {
        const index = cell(space.add(slot, space.mul(step, -1)));
        const near = low.let(`${word}_near`, scalar, 1, { kind: "loadShared", array: cells, index }, [id]);
        low.set(sum, { kind: "combine", def: fold, a: sum, b: near }, [id]);
      }
    });
    low.barrier();
    for (const { sum, cells } of parts)
      low.emit({ kind: "storeShared", array: cells, index: cell(slot), value: sum, lane: null, nodes: [id] });
    low.barrier();
  });
}

/** What lies past the end of the row adds nothing. */
function insideOnly(low: Lowering, { word, scalar, start, id }: Scan, x: Value, inside: Cond): Value {
  if (inside.kind === "always") return x;
  return low.let(`${word}_in`, scalar, widthOf(x), { kind: "select", when: inside, yes: x, no: start }, [id]);
}

const read = (low: Lowering, { word, scalar, id }: Scan, array: SharedArray, index: Index, what: string): Reg =>
  low.let(`${word}_${what}`, scalar, 1, { kind: "loadShared", array, index }, [id]);

/** Runs scans one after the other in the same memory. */
export function openScans(
  low: Lowering,
  threads: number,
  shared: Omit<ScanMemory, "array">,
): { run: (id: NodeId, chunks: readonly ScanChunk[], carry?: Reg) => void } {
  const arrays = new Map<string, SharedArray>();
  const array: ScanMemory["array"] = (iteration, scalar) => {
    const key = `${iteration} ${scalar}`;
    const found =
      arrays.get(key) ?? low.sharedArray(arrays.size === 0 ? "scan" : `scan_${arrays.size + 1}`, scalar, threads);
    arrays.set(key, found);
    return found;
  };
  let used = false;
  return {
    run(id, chunks, carry) {
      // A loop comes back to the memory that its last iteration has read.
      if (used || carry) low.barrier();
      used = true;
      scanChunks(low, id, chunks, { ...shared, array }, carry ?? null);
    },
  };
}

// ---- rows that lie across memory: a workgroup walks neighbouring rows together, so that neighbouring threads read neighbours ----

/** Variant `scan-band`: `chunks` rows side by side, `chunkLength` neighbours of each a thread, iteration by iteration. */
export function lowerScanBand(job: Job): KernelProgram {
  const { form, schedule, target } = job;
  const { threadsPerWorkgroup: threads, chunks: across, chunkLength: each } = schedule;
  const low = loweringOf(job);
  const rows = rowsOf(job);
  const { space } = low;
  const grid = workgroupPerItem(low, Math.ceil(rows.rows / across), threads, target, "band");
  const [lane, slot] = [space.mod(grid.tid, across), low.bind("slot", space.div(grid.tid, across))];
  const unheld = space.add(space.mul(grid.index, across), lane);
  const [row, exists] = [low.bind("row", space.clamp(unheld, rows.rows - 1)), space.less(unheld, rows.rows)];
  const slots = threads / across;
  const turns = Math.ceil(rows.columns / (slots * each));
  const cell = (of: Index): Index => space.add(space.mul(of, across), lane);
  const scanning = openScans(low, threads, { slot, slots, cell, wide: false });
  for (const pass of rows.stages) {
    low.comment(passComment(low, pass));
    const carries = pass.scans.map((id) => ({ id, carry: openCarry(low, id) }));
    low.loop("turn", turns, (iteration) => {
      const at = rows.backwards ? space.add(space.int(turns - 1), space.mul(iteration, -1)) : iteration;
      const first = space.add(space.mul(at, slots * each), space.mul(slot, each));
      const points = Array.from({ length: each }, (_, i) => {
        const unit = space.add(first, space.int(i));
        const column = space.clamp(unit, rows.columns - 1);
        return { column, inside: space.less(unit, rows.columns), at: pointAt(space, rows, row, column) };
      });
      for (const { id, carry } of carries) scanning.run(id, [points], carry);
      for (const { column, inside } of points) {
        const both: Cond = space.and(exists, inside);
        storePoint(low, rows, pass.outputs, row, column, both);
      }
    });
  }
  return programOf(low, job, {
    template: form.template,
    schedule: `One workgroup of ${threads} threads per ${across} neighbouring ${lineOf(form)}s of ${rows.columns}, ${each} values of each, one iteration after the other.`,
    workgroupSize: grid.workgroupSize,
    workgroups: grid.workgroups,
  });
}
