/** @file Folding: accumulators, their lanes, and the tree in workgroup memory. */
import { node, type DType, type NodeId } from "../../ir";
import { opDef, type OpDef } from "../../ops";
import type { Cond, Index, Tuple } from "../index-space";
import { literal, widthOf, type Reg, type Scalar, type SharedArray, type Value, type Width } from "../kernel-ir";
import { registerScalar, wordFor } from "../emitter";
import type { Lowering } from "../lowering";
import { mutated } from "../mutations";

/** A running fold of one reduction; argmax and argmin carry the position beside the value. */
export interface Accumulator {
  readonly id: NodeId;
  readonly def: OpDef;
  readonly operand: NodeId;
  readonly scalar: DType;
  readonly value: Reg;
  readonly position: Reg | null;
  /** No longer a variable: it can be read by its own name. */
  readonly settled: boolean;
}

/** What a reduction folds, and as what. */
export type Fold = Pick<Accumulator, "id" | "def" | "operand" | "scalar">;

export function foldOf(low: Lowering, id: NodeId): Fold {
  const n = node(low.graph, id);
  const def = opDef(n.op);
  const operand = n.inputs[0]!;
  const from = node(low.graph, operand).type.dtype;
  return { id, def, operand, scalar: registerScalar(def.operandTypes?.([from], n.attrs)[0] ?? from) };
}

/** @param number ends the names where a thread has one for each of several rows */
export function accumulator(low: Lowering, id: NodeId, width: Width, number = ""): Accumulator {
  const { def, operand, scalar } = foldOf(low, id);
  const start = mutated("wrong-reduce-start") ? 1 : def.reduce!.identity(scalar);
  const word = wordFor(node(low.graph, id));
  const value = low.variable(`${word}_acc${number}`, scalar, width, literal(start, scalar), [id]);
  const position = def.reduce!.arg ? low.variable(`${word}_at${number}`, "i32", width, literal(0, "i32"), [id]) : null;
  return { id, def, operand, scalar, value, position, settled: false };
}

/** Folds the operand at `at` in; lanes outside `inside` add the start value. */
export function foldIn(low: Lowering, acc: Accumulator, at: Tuple, column: Index, inside: Cond): void {
  const { id, def, operand, scalar } = acc;
  let x: Value = low.converted(low.valueAt(operand, at), scalar, operand);
  const word = wordFor(node(low.graph, id));
  if (def.reduce!.map) x = low.let(`${word}_part`, scalar, widthOf(x), { kind: "map", def, a: x }, [id]);
  if (inside.kind !== "always" && !mutated("unmasked-columns")) {
    const no = literal(def.reduce!.identity(scalar), scalar);
    x = low.let(`${word}_in`, scalar, widthOf(x), { kind: "select", when: inside, yes: x, no }, [id]);
  }
  if (!acc.position) {
    low.set(acc.value, { kind: "combine", def, a: acc.value, b: x }, [id]);
    return;
  }
  const here = low.place(`${word}_here`, column, acc.value.width, [id]);
  merge(low, acc, x, here);
}

/** Takes over `value` and its place where it is better. */
export function merge(low: Lowering, acc: Accumulator, value: Value, position: Value): void {
  const { id, def } = acc;
  const width = acc.value.width;
  const better = low.let(
    `${wordFor(node(low.graph, id))}_better`,
    "bool",
    width,
    { kind: "better", def, a: value, b: acc.value, ia: position, ib: acc.position! },
    [id],
  );
  low.set(acc.position!, { kind: "choose", when: better, yes: position, no: acc.position! }, [id]);
  low.set(acc.value, { kind: "choose", when: better, yes: value, no: acc.value }, [id]);
}

/** Four lanes of one row become one. */
export function foldLanes(low: Lowering, acc: Accumulator): Accumulator {
  if (acc.value.width === 1) return acc;
  const { id, def, scalar } = acc;
  const word = wordFor(node(low.graph, id));
  if (acc.position) return bestLane(low, acc, acc.position);
  const pair = (name: string, lanes: readonly [number, number]): Reg =>
    low.let(`${word}_${name}`, scalar, 1, { kind: "combine", def, a: acc.value, b: acc.value, lanes }, [id]);
  const [a, b] = [pair("xy", [0, 1]), pair("zw", mutated("lost-lane-fold") ? [2, 2] : [2, 3])];
  const value = low.let(`${word}_lanes`, scalar, 1, { kind: "combine", def, a, b }, [id]);
  return { ...acc, value, settled: true };
}

function bestLane(low: Lowering, acc: Accumulator, position: Reg): Accumulator {
  const { id, scalar } = acc;
  const part = (reg: Reg, lane: number): Value =>
    low.let(`${reg.name}_${"xyzw"[lane]}`, reg.scalar, 1, { kind: "part", a: reg, lane }, [id]);
  const word = wordFor(node(low.graph, id));
  const one: Accumulator = {
    ...acc,
    value: low.variable(`${word}_one`, scalar, 1, part(acc.value, 0), [id]),
    position: low.variable(`${word}_one_at`, "i32", 1, part(position, 0), [id]),
  };
  for (const lane of [1, 2, 3]) merge(low, one, part(acc.value, lane), part(position, lane));
  return one;
}

/** What the fold means once it is complete: `mean` divides, `l2` takes the root, argmax answers the position. */
export function finished(low: Lowering, acc: Accumulator, count: number): Value {
  const { id, def } = acc;
  const n = node(low.graph, id);
  const word = wordFor(n);
  const scalar = registerScalar(n.type.dtype);
  if (acc.position) return acc.settled ? acc.position : low.let(word, scalar, acc.position.width, acc.position, [id]);
  if (!def.reduce!.finish || mutated("lost-finish"))
    return acc.settled || low.isBufferName(word)
      ? acc.value
      : low.let(word, acc.scalar, acc.value.width, acc.value, [id]);
  return low.let(word, scalar, acc.value.width, { kind: "finish", def, a: acc.value, count }, [id]);
}

/** Places for a tree: reused by every second stage, with a barrier of the stage between. */
export class TreePlaces {
  #arrays = new Map<string, SharedArray>();

  readonly low: Lowering;
  readonly threads: number;

  constructor(low: Lowering, threads: number) {
    this.low = low;
    this.threads = threads;
  }

  array(stage: number, slot: number, scalar: Scalar): SharedArray {
    const key = `${mutated("early-reuse") ? 0 : stage % 2} ${slot} ${scalar}`;
    let array = this.#arrays.get(key);
    if (!array) {
      array = this.low.sharedArray(
        this.#arrays.size === 0 ? "partial" : `partial_${this.#arrays.size + 1}`,
        scalar,
        this.threads,
      );
      this.#arrays.set(key, array);
    }
    return array;
  }
}

/** All threads' parts of one row become one value that every thread knows. `threads` is a power of two. */
export function treeReduce(
  low: Lowering,
  accs: readonly Accumulator[],
  tid: Index,
  places: TreePlaces,
  stage: number,
): Accumulator[] {
  const { space } = low;
  const slots = accs.map((acc, slot) => ({
    acc,
    cells: places.array(stage, 2 * slot, acc.scalar),
    spots: acc.position ? places.array(stage, 2 * slot + 1, "i32") : null,
  }));
  for (const { acc, cells, spots } of slots) {
    low.emit({ kind: "storeShared", array: cells, index: tid, value: acc.value, lane: null, nodes: [acc.id] });
    if (spots)
      low.emit({ kind: "storeShared", array: spots, index: tid, value: acc.position!, lane: null, nodes: [acc.id] });
  }
  low.barrier();
  if (places.threads > 1) {
    low.halving("half", space.int(places.threads / 2), (half) => {
      low.branch(space.below(tid, half), () => {
        for (const { acc, cells, spots } of slots) step(low, acc, cells, spots, tid, space.add(tid, half));
      });
      low.barrier();
    });
  }
  return slots.map(({ acc, cells, spots }) => {
    const word = wordFor(node(low.graph, acc.id));
    const first = space.int(0);
    const read = (name: string, array: SharedArray): Reg =>
      low.let(name, array.scalar, 1, { kind: "loadShared", array, index: first }, [acc.id]);
    const plain = !acc.def.reduce!.finish && !low.isBufferName(word);
    const value = read(spots ? `${word}_best` : plain ? word : `${word}_all`, cells);
    return { ...acc, value, position: spots ? read(word, spots) : null, settled: true };
  });
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
