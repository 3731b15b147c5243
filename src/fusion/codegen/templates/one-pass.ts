/** @file Two folds of a row in one walk: what the second took from the first is repaired when the first moves on (region/one-pass.ts says which pairs). */
import { node, type NodeId } from "../../ir";
import { opDef } from "../../ops";
import type { MergedStages } from "../../region";
import { wordFor } from "../emitter";
import type { Cond, Index, Tuple } from "../index-space";
import { literal, type Reg, type Value, type Width } from "../kernel-ir";
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
}

const ZERO = literal(0, "f32");

/** Folds both reductions of the pair; from then on each is known for the row. */
export function foldMerged(walk: Walk, pair: MergedStages): void {
  if (pair.kind === "peak") foldPeak(walk, pair);
  else foldMoments(walk, pair);
}

/** One arithmetic op on registers. */
function arithmetic({ low, width }: Walk, id: NodeId): (name: string, op: string, ...args: Value[]) => Reg {
  return (name, op, ...args) =>
    low.let(name, "f32", width, { kind: "op", def: opDef(op), args, attrs: {}, index: null }, [id]);
}

/** All lanes and threads of one fold; from here on its node means the row's value. */
function settle({ low, join, columns }: Walk, acc: Accumulator, stage: number): Value {
  const value = finished(low, join(acc, stage), columns);
  low.setRowValue(acc.id, value);
  return value;
}

/** An accumulator whose value is at hand. */
function holding(low: Lowering, id: NodeId, value: Reg): Accumulator {
  const n = node(low.graph, id);
  return { id, def: opDef(n.op), operand: n.inputs[0]!, scalar: "f32", value, position: null, settled: false };
}

/** A sum of exponentials below a running peak: when the peak rises by d, the sum so far shrinks by e^d. */
function foldPeak(walk: Walk, { stage, first, second, operand }: MergedStages): void {
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
  const peak = settle(walk, holding(low, first, top), stage);
  scale(low, acc.value, fade(peak), second);
  settle(walk, acc, stage + 1);
}

/** Welford's mean and sum of squares around it, joined over threads as Chan, Golub and LeVeque do. */
function foldMoments(walk: Walk, { stage, first, second, operand }: MergedStages): void {
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
  const whole = settle(walk, holding(low, first, make("weighted", "mul", mean, seen)), stage);
  const apart = make("apart", "sub", mean, whole);
  if (!mutated("lost-fade")) add(acc.value, make("between", "mul", make("apart_squared", "mul", apart, apart), seen));
  settle(walk, acc, stage + 1);
}
