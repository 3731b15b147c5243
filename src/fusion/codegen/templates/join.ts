/**
 * @file How the threads of a workgroup join what each has folded: by a tree in workgroup memory; or each subgroup by handing over
 * registers (a butterfly: every thread ends with all), and then from one part a subgroup. Right for subgroups of any size.
 */
import { node } from "../../ir";
import { SMALLEST_SUBGROUP, type Joining } from "../../region";
import { wordFor } from "../emitter";
import type { Index } from "../index-space";
import type { Reg, Scalar, SharedArray } from "../kernel-ir";
import type { Lowering } from "../lowering";
import { mutated } from "../mutations";
import { merge, type Accumulator } from "./accumulate";

/** Places where threads leave their parts: reused by every second stage, with a barrier of the stage between. */
export class JoinPlaces {
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

  array(stage: number, slot: number, scalar: Scalar): SharedArray {
    const key = `${mutated("early-reuse") ? 0 : stage % 2} ${slot} ${scalar}`;
    let array = this.#arrays.get(key);
    if (!array) {
      const name = this.#arrays.size === 0 ? "partial" : `partial_${this.#arrays.size + 1}`;
      const parts = this.joining === "tree" ? this.threads : Math.max(1, this.threads / SMALLEST_SUBGROUP);
      array = this.low.sharedArray(name, scalar, parts);
      this.#arrays.set(key, array);
    }
    return array;
  }
}

/** A fold, and where its parts lie in workgroup memory: values, and the places of an argmax. */
interface Slot {
  readonly acc: Accumulator;
  readonly cells: SharedArray;
  readonly spots: SharedArray | null;
}

/** All threads' parts of one row become one value that every thread knows. */
export function joinThreads(
  accs: readonly Accumulator[],
  tid: Index,
  places: JoinPlaces,
  stage: number,
): Accumulator[] {
  const { low } = places;
  const slots = accs.map((acc, slot): Slot => ({
    acc,
    cells: places.array(stage, 2 * slot, acc.scalar),
    spots: acc.position ? places.array(stage, 2 * slot + 1, "i32") : null,
  }));
  return places.joining === "tree"
    ? joinByTree(low, slots, tid, places.threads)
    : joinBySubgroups(low, slots, places.threads);
}

function leave(low: Lowering, { acc, cells, spots }: Slot, index: Index): void {
  low.emit({ kind: "storeShared", array: cells, index, value: acc.value, lane: null, nodes: [acc.id] });
  if (spots) low.emit({ kind: "storeShared", array: spots, index, value: acc.position!, lane: null, nodes: [acc.id] });
}

function joinByTree(low: Lowering, slots: readonly Slot[], tid: Index, threads: number): Accumulator[] {
  const { space } = low;
  for (const slot of slots) leave(low, slot, tid);
  low.barrier();
  if (threads > 1) {
    low.halving("half", space.int(threads / 2), (half) => {
      low.branch(space.below(tid, half), () => {
        for (const { acc, cells, spots } of slots) step(low, acc, cells, spots, tid, space.add(tid, half));
      });
      low.barrier();
    });
  }
  return slots.map((slot) => firstOf(low, slot));
}

/** What stands in the first place, under the name of the fold. */
function firstOf(low: Lowering, { acc, cells, spots }: Slot): Accumulator {
  const { value, place } = namesOf(low, acc);
  const read = (name: string, array: SharedArray): Reg =>
    low.let(name, array.scalar, 1, { kind: "loadShared", array, index: low.space.int(0) }, [acc.id]);
  return { ...acc, value: read(value, cells), position: spots ? read(place, spots) : null, settled: true };
}

function namesOf(
  low: Lowering,
  { id, def, position }: Accumulator,
): { readonly value: string; readonly place: string } {
  const word = wordFor(node(low.graph, id));
  const plain = !def.reduce!.finish && !low.isBufferName(word);
  return { value: position ? `${word}_best` : plain ? word : `${word}_all`, place: word };
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
        low.let(`${theirs}_other`, of.scalar, 1, { kind: "shuffle", a: of, by: apart }, [acc.id]);
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
        low.let(`${wordFor(node(low.graph, acc.id))}_part`, array.scalar, 1, { kind: "loadShared", array, index }, [
          acc.id,
        ]);
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
    value: low.variable(`${word}_joint`, acc.scalar, 1, acc.value, [acc.id]),
    position: acc.position && low.variable(`${word}_joint_at`, "i32", 1, acc.position, [acc.id]),
  };
}

/** A variable that the parts of all subgroups go into, with the first one's. */
function startOf(low: Lowering, slot: Slot): Accumulator {
  const { acc, cells, spots } = slot;
  const { value, place } = namesOf(low, acc);
  const index = low.space.int(0);
  const start = (name: string, array: SharedArray): Reg =>
    low.variable(name, array.scalar, 1, { kind: "loadShared", array, index }, [acc.id]);
  return { ...acc, value: start(value, cells), position: spots && start(place, spots) };
}

function take(low: Lowering, acc: Accumulator, value: Reg, place: Reg | null): void {
  if (place) merge(low, acc, value, place);
  else low.set(acc.value, { kind: "combine", def: acc.def, a: acc.value, b: value }, [acc.id]);
}

/** The lower half of the tree takes in the upper one. */
function step(
  low: Lowering,
  { id, def, scalar }: Accumulator,
  cells: SharedArray,
  spots: SharedArray | null,
  mine: Index,
  other: Index,
): void {
  if (!spots) {
    low.emit({ kind: "foldShared", array: cells, def, into: mine, from: other, nodes: [id] });
    return;
  }
  const read = (array: SharedArray, index: Index, name: string): Reg =>
    low.let(name, array.scalar, 1, { kind: "loadShared", array, index }, [id]);
  const [a, b] = [read(cells, mine, "near"), read(cells, other, "far")];
  const [ia, ib] = [read(spots, mine, "near_at"), read(spots, other, "far_at")];
  const better = low.let("better", "bool", 1, { kind: "better", def, a: b, b: a, ia: ib, ib: ia }, [id]);
  const value = low.let("best", scalar, 1, { kind: "choose", when: better, yes: b, no: a }, [id]);
  const at = low.let("best_at", "i32", 1, { kind: "choose", when: better, yes: ib, no: ia }, [id]);
  low.emit({ kind: "storeShared", array: cells, index: mine, value, lane: null, nodes: [id] });
  low.emit({ kind: "storeShared", array: spots, index: mine, value: at, lane: null, nodes: [id] });
}
