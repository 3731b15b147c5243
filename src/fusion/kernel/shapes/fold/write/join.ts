/**
 * @file How threads join what each has folded: by a tree in workgroup memory, whose steps take in up to sixteen parts each; or each
 * subgroup by handing over registers (a butterfly: every thread ends with all), and then from one part a subgroup, of any size.
 */
import { node } from "../../../../ir";
import { MIN_SUBGROUP } from "../../../nest/threads";
import type { Joining } from "../../../types";
import { wordFor } from "../../../emit/emitter";
import type { Index } from "../../../emit/index-space";
import type { Expr, Reg, Scalar, SharedArray, Width } from "../../../emit/kernel-ir";
import type { Lowering } from "../../../emit/lowering";
import { merge, type Accumulator } from "../../../emit/accumulate";

/** Workgroup memory where threads leave their parts: reused by every second stage, with a barrier of the stage between. */
export class JoinMemory {
  #arrays = new Map<string, SharedArray>();

  readonly low: Lowering;
  readonly threads: number;
  readonly joining: Joining;

  /** @param threads a power of two */
  constructor(low: Lowering, threads: number, joining: Joining = "tree") {
    this.low = low;
    this.threads = threads;
    this.joining = joining;
  }

  array(stage: number, slot: number, scalar: Scalar, width: Width): SharedArray {
    const key = `${stage % 2} ${slot} ${scalar} ${width}`;
    let array = this.#arrays.get(key);
    if (!array) {
      const name = this.#arrays.size === 0 ? "partial" : `partial_${this.#arrays.size + 1}`;
      const parts = this.joining === "tree" ? this.threads : Math.max(1, this.threads / MIN_SUBGROUP);
      array = this.low.sharedArray(name, scalar, parts, width);
      this.#arrays.set(key, array);
    }
    return array;
  }
}

/** A fold, and where its parts lie in workgroup memory: values, and the indices of an argmax. */
interface Slot {
  readonly acc: Accumulator;
  readonly cells: SharedArray;
  readonly spots: SharedArray | null;
}

/** The threads that share a row: this one's number among `slots`, and where each has its slot. */
export interface Sharers {
  readonly slot: Index;
  readonly slots: number;
  readonly cell: (slot: Index) => Index;
}

/** All threads' parts of one row become one value that every thread knows. @param among a whole workgroup, or those of a row */
export function joinThreads(
  accs: readonly Accumulator[],
  tid: Index,
  memory: JoinMemory,
  stage: number,
  among: Sharers = { slot: tid, slots: memory.threads, cell: (slot) => slot },
): Accumulator[] {
  const { low } = memory;
  const slots = accs.map((acc, slot): Slot => ({
    acc,
    cells: memory.array(stage, 2 * slot, acc.scalar, acc.value.width),
    spots: acc.position ? memory.array(stage, 2 * slot + 1, "i32", acc.value.width) : null,
  }));
  return memory.joining === "tree" ? joinByTree(low, slots, among) : joinBySubgroups(low, slots, memory.threads);
}

function leave(low: Lowering, { acc, cells, spots }: Slot, index: Index): void {
  low.emit({ kind: "storeShared", array: cells, index, value: acc.value, lane: null, nodes: [acc.id] });
  if (spots) low.emit({ kind: "storeShared", array: spots, index, value: acc.position!, lane: null, nodes: [acc.id] });
}

/** Parts that one thread takes in at most; more are joined in two steps. */
const AT_ONCE = 16;

/** A tree of one step or two: in each, a thread takes in the parts of up to sixteen. */
function joinByTree(low: Lowering, slots: readonly Slot[], { slot, slots: count, cell }: Sharers): Accumulator[] {
  const { space } = low;
  for (const own of slots) leave(low, own, cell(slot));
  low.barrier();
  const last = count <= AT_ONCE ? count : 2 ** Math.ceil(Math.log2(count) / 2);
  if (last < count) {
    low.branch(space.less(slot, last), () => {
      const some = gathered(low, slots, "some", count / last, (other) => cell(space.add(slot, space.mul(other, last))));
      some.forEach((acc, i) => leave(low, { ...slots[i]!, acc }, cell(slot)));
    });
    low.barrier();
  }
  return gathered(low, slots, null, last, cell).map((acc) => ({ ...acc, settled: true }));
}

/** The parts in so many slots, as one. @param suffix of its name; null for what the fold is called in the end */
function gathered(
  low: Lowering,
  slots: readonly Slot[],
  suffix: string | null,
  count: number,
  cell: (other: Index) => Index,
): Accumulator[] {
  const first = cell(low.space.int(0));
  const read = (array: SharedArray, index: Index): Expr => ({ kind: "loadShared", array, index });
  const whole = slots.map(({ acc, cells, spots }) => {
    const word = wordFor(node(low.graph, acc.id));
    const { value, position } =
      suffix === null ? namesOf(low, acc) : { value: `${word}_${suffix}`, position: `${word}_${suffix}_at` };
    const open = (name: string, array: SharedArray): Reg =>
      low[count > 1 ? "variable" : "let"](name, array.scalar, array.width, read(array, first), [acc.id]);
    return { ...acc, value: open(value, cells), position: spots && open(position, spots) };
  });
  if (count === 1) return whole;
  low.others("other", low.space.int(count), (other) => {
    whole.forEach((acc, i) => {
      const { cells, spots } = slots[i]!;
      const next = (array: SharedArray, name: string): Reg =>
        low.let(name, array.scalar, array.width, read(array, cell(other)), [acc.id]);
      const word = wordFor(node(low.graph, acc.id));
      take(low, acc, next(cells, `${word}_part`), spots && next(spots, `${word}_part_at`));
    });
  });
  return whole;
}

function namesOf(
  low: Lowering,
  { id, def, position }: Accumulator,
): { readonly value: string; readonly position: string } {
  const word = wordFor(node(low.graph, id));
  const plain = !def.reduce!.finish && !low.isBufferName(word);
  return { value: position ? `${word}_best` : plain ? word : `${word}_all`, position: word };
}

function joinBySubgroups(low: Lowering, slots: readonly Slot[], threads: number): Accumulator[] {
  const { space } = low;
  const { peers, own, count, lane } = low.subgroups(threads);
  low.comment("Threads of a subgroup hand each other what they hold; one leaves it for the other subgroups.");
  const joint = slots.map((slot) => ({ ...slot, acc: copyOf(low, slot.acc) }));
  low.halving("apart", space.div(peers, 2), (apart) => {
    for (const { acc } of joint) {
      const theirs = wordFor(node(low.graph, acc.id));
      const other = (of: Reg): Reg =>
        low.let(`${theirs}_other`, of.scalar, of.width, { kind: "shuffle", a: of, by: apart }, [acc.id]);
      take(low, acc, other(acc.value), acc.position && other(acc.position));
    }
  });
  low.branch(space.less(lane, 1), () => {
    for (const slot of joint) leave(low, slot, own);
  });
  low.barrier();
  const whole = joint.map((slot) => ({ ...slot, acc: startOf(low, slot) }));
  low.others("group", count, (index) => {
    for (const { acc, cells, spots } of whole) {
      const read = (array: SharedArray): Reg =>
        low.let(
          `${wordFor(node(low.graph, acc.id))}_part`,
          array.scalar,
          array.width,
          { kind: "loadShared", array, index },
          [acc.id],
        );
      take(low, acc, read(cells), spots && read(spots));
    }
  });
  return whole.map(({ acc }) => ({ ...acc, settled: true }));
}

/** A variable with the thread's own part. */
function copyOf(low: Lowering, acc: Accumulator): Accumulator {
  const word = wordFor(node(low.graph, acc.id));
  return {
    ...acc,
    value: low.variable(`${word}_joint`, acc.scalar, acc.value.width, acc.value, [acc.id]),
    position: acc.position && low.variable(`${word}_joint_at`, "i32", acc.position.width, acc.position, [acc.id]),
  };
}

/** A variable that the parts of all subgroups go into, with the first one's. */
function startOf(low: Lowering, slot: Slot): Accumulator {
  const { acc, cells, spots } = slot;
  const { value, position } = namesOf(low, acc);
  const index = low.space.int(0);
  const start = (name: string, array: SharedArray): Reg =>
    low.variable(name, array.scalar, array.width, { kind: "loadShared", array, index }, [acc.id]);
  return { ...acc, value: start(value, cells), position: spots && start(position, spots) };
}

function take(low: Lowering, acc: Accumulator, value: Reg, position: Reg | null): void {
  if (position) merge(low, acc, value, position);
  else low.set(acc.value, { kind: "combine", def: acc.def, a: acc.value, b: value }, [acc.id]);
}
