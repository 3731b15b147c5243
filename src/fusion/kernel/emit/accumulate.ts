/** @file Folding: accumulators and their lanes. How threads join what they have folded is join.ts's. */
import { node, type DType, type NodeId } from "../../ir";
import { opDef, type OpDef } from "../../ops";
import type { Cond, Index, Tuple } from "./index-space";
import { literal, widthOf, type Reg, type Value, type Width } from "./kernel-ir";
import { registerScalar, wordFor } from "./emitter";
import type { Lowering } from "./lowering";

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
  const start = def.reduce!.identity(scalar);
  const word = wordFor(node(low.graph, id));
  const value = low.variable(`${word}_acc${number}`, scalar, width, literal(start, scalar), [id]);
  const position = def.reduce!.arg ? low.variable(`${word}_at${number}`, "i32", width, literal(0, "i32"), [id]) : null;
  return { id, def, operand, scalar, value, position, settled: false };
}

/** Whether the lanes of a vector differ in it. */
export const dependsOnLane = (cond: Cond): boolean =>
  cond.kind === "both" ? cond.parts.some(dependsOnLane) : "index" in cond && cond.index.lane;

function condAt(low: Lowering, cond: Cond, lane: number): Cond {
  if (cond.kind === "both") return { kind: "both", parts: cond.parts.map((part) => condAt(low, part, lane)) };
  return cond.kind === "less" ? low.space.less(low.atLane(cond.index, lane), cond.bound) : cond;
}

interface Mask {
  readonly inside: Cond;
  readonly no: Value;
  readonly name: string;
  readonly scalar: DType;
  readonly id: NodeId;
}

/** `value` where `inside` holds, else `no`; lane by lane where the lanes of a vector differ in that. */
export function masked(low: Lowering, value: Value, { inside, no, name, scalar, id }: Mask): Value {
  if (inside.kind === "always") return value;
  const select = (when: Cond, yes: Value): Value =>
    low.let(name, scalar, widthOf(yes), { kind: "select", when, yes, no }, [id]);
  if (!dependsOnLane(inside)) return select(inside, value);
  const parts = [0, 1, 2, 3].map((lane) =>
    select(low.namedCond(condAt(low, inside, lane)), low.part(value, lane, [id])),
  );
  return low.let(name, scalar, 4, { kind: "pack", parts }, [id]);
}

/** Folds the operand at `at` in; lanes outside `inside` add the start value. */
export function foldIn(low: Lowering, acc: Accumulator, at: Tuple, column: Index, inside: Cond): void {
  const { id, def, operand, scalar } = acc;
  let x: Value = low.converted(low.valueAt(operand, at), scalar, operand);
  const word = wordFor(node(low.graph, id));
  if (def.reduce!.map) x = low.let(`${word}_part`, scalar, widthOf(x), { kind: "map", def, a: x }, [id]);
  if (inside.kind !== "always") {
    const no = literal(def.reduce!.identity(scalar), scalar);
    x = masked(low, x, { inside, no, name: `${word}_in`, scalar, id });
  }
  if (!acc.position) {
    low.set(acc.value, { kind: "combine", def, a: acc.value, b: x }, [id]);
    return;
  }
  const here = low.indexReg(`${word}_here`, column, acc.value.width, [id]);
  merge(low, acc, x, here);
}

/** Takes over `value` and its index where it is better. */
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
  const [a, b] = [pair("xy", [0, 1]), pair("zw", [2, 3])];
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
  if (!def.reduce!.finish)
    return acc.settled || low.isBufferName(word)
      ? acc.value
      : low.let(word, acc.scalar, acc.value.width, acc.value, [id]);
  return low.let(word, scalar, acc.value.width, { kind: "finish", def, a: acc.value, count }, [id]);
}
