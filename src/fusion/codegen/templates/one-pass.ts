/** @file Two folds of a row in one walk: what the second took from the first is repaired when the first moves on (region/one-pass.ts says which pairs). */
import { node, type NodeId } from "../../ir";
import { opDef } from "../../ops";
import type { MergedStages } from "../../region";
import { wordFor } from "../emitter";
import type { Cond, Index, Tuple } from "../index-space";
import { literal, widthOf, type Expr, type Reg, type Value, type Width } from "../kernel-ir";
import type { Lowering } from "../lowering";
import { mutated } from "../mutations";
import { accumulator, finished, foldIn, type Accumulator } from "./accumulate";
import { kept, LOWEST, scale } from "./running-row";

/** What a thread visits of a row, turn by turn. */
export interface Walk {
  readonly low: Lowering;
  readonly width: Width;
  readonly columns: number;
  /** What all lanes and threads of the row have folded. */
  readonly join: (acc: Accumulator, stage: number) => Accumulator;
  each(visit: (at: Tuple, column: Index, inside: Cond, turn: Index) => void): void;
  /** How many columns each lane of this thread has seen in the end. */
  seen(): Value;
  /** How many the part of the row has that this workgroup folds; null where it folds all of it. */
  count(): Value | null;
}

const ZERO = literal(0, "f32");

/** Folds both reductions of the pair. Of a whole row each is known from then on; of a part, what it leaves is returned. */
export const foldMerged = (walk: Walk, pair: MergedStages): readonly Accumulator[] =>
  pair.kind === "peak" ? foldPeak(walk, pair) : foldMoments(walk, pair);

/** One arithmetic op on registers. */
function arithmetic(
  { low, width }: Pick<Walk, "low" | "width">,
  id: NodeId,
): (name: string, op: string, ...args: Value[]) => Reg {
  return (name, op, ...args) =>
    low.let(name, "f32", width, { kind: "op", def: opDef(op), args, attrs: {}, index: null }, [id]);
}

/** One of them is joined: of a whole row, its node means the row's value from here on. */
function settle({ low, columns }: Walk, joined: Accumulator, part: boolean): Value {
  const value = part ? joined.value : finished(low, joined, columns);
  if (!part) low.setRowValue(joined.id, value);
  return value;
}

/** An accumulator whose value is at hand. */
function holding(low: Lowering, id: NodeId, value: Reg): Accumulator {
  const n = node(low.graph, id);
  return { id, def: opDef(n.op), operand: n.inputs[0]!, scalar: "f32", value, position: null, settled: false };
}

/** A sum of exponentials below a running peak: when the peak rises by d, the sum so far shrinks by e^d. */
function foldPeak(walk: Walk, { stage, first, second, operand }: MergedStages): Accumulator[] {
  const part = walk.count() !== null;
  const { low, width } = walk;
  const name = wordFor(node(low.graph, first));
  const make = arithmetic(walk, first);
  const top = low.variable(`${name}_top`, "f32", width, LOWEST, [first]);
  const acc = accumulator(low, second, width);
  const fade = (to: Value): Value => make("fade", "exp", make("fallen", "sub", top, to));
  walk.each((at, column, inside) => {
    const x = kept(low, low.converted(low.valueAt(operand, at), "f32", operand), inside, LOWEST, operand);
    const def = opDef(node(low.graph, first).op);
    const now = low.let(`${name}_now`, "f32", width, { kind: "combine", def, a: top, b: x }, [first]);
    if (!mutated("lost-fade")) scale(low, acc.value, fade(now), second);
    low.setRowValue(first, now);
    foldIn(low, acc, at, column, inside);
    low.set(top, now, [first]);
  });
  const highest = walk.join(holding(low, first, top), stage);
  scale(low, acc.value, fade(settle(walk, highest, part)), second);
  const sum = walk.join(acc, stage + 1);
  settle(walk, sum, part);
  return [highest, sum];
}

/** Welford's mean and sum of squares around it, joined over threads as Chan, Golub and LeVeque do. */
function foldMoments(walk: Walk, { stage, first, second, operand }: MergedStages): Accumulator[] {
  const { low, width } = walk;
  const name = wordFor(node(low.graph, first));
  const make = arithmetic(walk, first);
  const mean = low.variable(`${name}_so_far`, "f32", width, ZERO, [first]);
  const acc = accumulator(low, second, width);
  const add = (reg: Reg, value: Value): void =>
    low.set(reg, { kind: "op", def: opDef("add"), args: [reg, value], attrs: {}, index: null }, [first]);
  walk.each((at, _column, inside, turn) => {
    const x = low.converted(low.valueAt(operand, at), "f32", operand);
    const number = low.let("number", "i32", 1, { kind: "index", index: low.space.add(turn, low.space.int(1)) }, [
      first,
    ]);
    const off = kept(low, make("off", "sub", x, mean), inside, ZERO, first);
    add(mean, make("moved", "div", off, low.converted(number, "f32", first)));
    const rest = kept(low, make("rest", "sub", x, mean), inside, ZERO, first);
    add(acc.value, make("squared", "mul", off, rest));
  });
  const seen = walk.seen();
  const total = walk.join(holding(low, first, make("weighted", "mul", mean, seen)), stage);
  const count = walk.count();
  const whole = count ? quotient(low, first, total.value, count) : settle(walk, total, false);
  const apart = make("apart", "sub", mean, whole);
  if (!mutated("lost-fade")) add(acc.value, make("between", "mul", make("apart_squared", "mul", apart, apart), seen));
  const squares = walk.join(acc, stage + 1);
  settle(walk, squares, count !== null);
  return [total, squares];
}

/** The mean of a part. */
const quotient = (low: Lowering, id: NodeId, total: Value, count: Value): Reg =>
  low.let("part_mean", "f32", widthOf(total), op("div", total, count), [id]);

const op = (name: string, ...args: Value[]): Expr => ({ kind: "op", def: opDef(name), args, attrs: {}, index: null });

/**
 * The parts of a row as one: sums below peaks of their own fade to the highest, squares around means of their own move to the mean of all.
 * @param each visits the parts that this thread joins: what each has left of both, and how many columns it had
 */
export function joinMerged(
  walk: Pick<Walk, "low" | "width" | "columns" | "join">,
  { kind, first, second }: MergedStages,
  each: (visit: (of: (id: NodeId) => Reg, count: () => Value) => void) => void,
): void {
  const { low, width, columns, join } = walk;
  const top =
    kind === "peak"
      ? holding(low, first, low.variable("top", "f32", width, LOWEST, [first]))
      : accumulator(low, first, width);
  each((of) => low.set(top.value, { kind: "combine", def: top.def, a: top.value, b: of(first) }, [first]));
  const whole = finished(low, join(top, 0), columns);
  low.setRowValue(first, whole);
  const acc = accumulator(low, second, width);
  const make = arithmetic({ low, width }, second);
  each((of, count) => {
    const [head, part] = [of(first), of(second)];
    const moved =
      kind === "peak"
        ? make("faded", "mul", part, make("fade", "exp", make("fallen", "sub", head, whole)))
        : make("moved", "add", part, between(make, head, whole, count()));
    if (!mutated("lost-fade")) low.set(acc.value, op("add", acc.value, moved), [second]);
  });
  low.setRowValue(second, finished(low, join(acc, 1), columns));
}

/** What the squares of a part gain where they are taken around another mean. */
function between(make: ReturnType<typeof arithmetic>, sum: Value, whole: Value, count: Value): Reg {
  const apart = make("apart", "sub", make("part_mean", "div", sum, count), whole);
  return make("between", "mul", make("apart_squared", "mul", apart, apart), count);
}
