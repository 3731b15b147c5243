/** @file What derivative rules of several ops have in common. Ties of maxima are split equally, as JAX does. */
import { sizeOf, type NodeId, type Shape, type TensorType } from "../ir";
import type { Derivative, Tape } from "./define";
import { modeOf } from "./padding";
import { axesOf, normalAxis, numberOf, numbersOf } from "./shapes";

/** 1 where `a` wins over `b`, a half where they are equal, else 0. */
export const share = (of: Tape["of"], wins: "gt" | "lt", a: NodeId, b: NodeId): NodeId =>
  of("where", [of(wins, [a, b]), 1, of("where", [of("eq", [a, b]), 0.5, 0])]);

/** An op that passes its operand on where `open` holds: so does its derivative. */
export function gated(open: (tape: Tape) => NodeId): Derivative {
  return {
    vjp: (tape, cotangent) => tape.of("where", [open(tape), cotangent, 0]),
    jvp: (tape, [tangent]) => tape.of("where", [open(tape), tangent!, 0]),
  };
}

/** A linear op that puts elements elsewhere: `back` puts them where they came from. */
export const moved = (back: (tape: Tape, cotangent: NodeId, operand: number) => NodeId): Derivative => ({ vjp: back });

const shapeOf = (tape: Tape, id: NodeId): Shape => tape.typeOf(id).shape;
export const like = (tape: Tape, id: NodeId, { shape }: TensorType): NodeId => tape.of("reshape", [id], { shape });

/** The folded axes of a reduction, and its result's shape with them kept. */
function folded(tape: Tape): { readonly axes: readonly number[]; readonly kept: Shape } {
  const x = shapeOf(tape, tape.inputs[0]!);
  const axes = axesOf(tape.attrs["axes"], x.length);
  return { axes, kept: x.map((extent, axis) => (axes.includes(axis) ? 1 : extent)) };
}

/** A value of a reduction's result, once for every element that was folded into it. */
export function spread(tape: Tape, value: NodeId): NodeId {
  const { kept } = folded(tape);
  return tape.of("expand", [tape.of("reshape", [value], { shape: kept })], { shape: shapeOf(tape, tape.inputs[0]!) });
}

/** A reduction whose result changes by `slope` with each element: x and the spread result are in its reach. */
export const foldedBy = (slope: (tape: Tape, x: NodeId) => NodeId): Derivative => ({
  vjp: (tape, cotangent) => tape.of("mul", [spread(tape, cotangent), slope(tape, tape.inputs[0]!)]),
  jvp: (tape, [tangent]) => tape.of("sum", [tape.of("mul", [tangent!, slope(tape, tape.inputs[0]!)])], tape.attrs),
});

/** Largest or smallest: equal winners share. */
export const extremum: Derivative = foldedBy((tape, x) => {
  const wins = tape.of("where", [tape.of("eq", [x, spread(tape, tape.output)]), 1, 0]);
  const { axes } = folded(tape);
  return tape.of("div", [wins, tape.of("sum", [wins], { axes, keepdims: true })]);
});

/** Elements over which a reduction folds. */
export function countOf(tape: Tape): number {
  const x = shapeOf(tape, tape.inputs[0]!);
  return folded(tape).axes.reduce((count, axis) => count * x[axis]!, 1);
}

/** Sums of a value over the axes along which `shape` was broadcast to get to it. */
export function sumTo(tape: Pick<Tape, "of" | "typeOf">, value: NodeId, shape: Shape): NodeId {
  const from = tape.typeOf(value).shape;
  const lead = from.length - shape.length;
  const axes = from.flatMap((extent, axis) => (axis < lead || (shape[axis - lead] === 1 && extent !== 1) ? [axis] : [])); // prettier-ignore
  if (axes.length === 0) return value;
  const total = tape.of("sum", [value], { axes, keepdims: true });
  return lead === 0 ? total : tape.of("reshape", [total], { shape });
}

/** The product of all other elements along the folded axis, without a division: an element may be 0. */
export function othersProduct(tape: Tape, x: NodeId): NodeId {
  const { axes } = folded(tape);
  const [axis] = axes;
  if (axes.length !== 1) return tape.of("div", [spread(tape, tape.output), x]);
  const before = tape.of("cumprod", [x], { axis: axis!, exclusive: true });
  return tape.of("mul", [before, tape.of("cumprod", [x], { axis: axis!, exclusive: true, reverse: true })]);
}

/** Sums over copies that stand side by side. */
export function tilesBack(tape: Tape, cotangent: NodeId): NodeId {
  const from = shapeOf(tape, cotangent);
  const x = shapeOf(tape, tape.inputs[0]!);
  const own = from.map((_, axis) => x[axis - (from.length - x.length)] ?? 1);
  const split = tape.of("reshape", [cotangent], { shape: from.flatMap((extent, axis) => [own[axis]! === 0 ? 0 : extent / own[axis]!, own[axis]!]) }); // prettier-ignore
  return tape.of("reshape", [tape.of("sum", [split], { axes: from.map((_, axis) => 2 * axis) })], { shape: x });
}

/** Sums over copies of each element, which stand beside it. */
export function copiesBack(tape: Tape, cotangent: NodeId): NodeId {
  const from = shapeOf(tape, cotangent);
  const x = shapeOf(tape, tape.inputs[0]!);
  const grown = from.length === x.length ? from.findIndex((extent, axis) => extent !== x[axis]) : -1;
  if (grown < 0 && from.length === x.length) return cotangent;
  const shape = grown < 0 ? [sizeOf(x), sizeOf(from) / sizeOf(x)] : [...x.slice(0, grown), x[grown]!, from[grown]! / x[grown]!, ...x.slice(grown + 1)]; // prettier-ignore
  const axis = grown < 0 ? 1 : grown + 1;
  return tape.of("reshape", [tape.of("sum", [tape.of("reshape", [cotangent], { shape })], { axes: [axis] })], { shape: x }); // prettier-ignore
}

/** The piece of a concatenation's cotangent that belongs to one operand. */
export function pieceOf({ inputs, attrs, typeOf, of }: Tape, cotangent: NodeId, operand: number): NodeId {
  const shapes = inputs.map((input) => typeOf(input).shape);
  const axis = normalAxis(numberOf(attrs["axis"], 0), shapes[0]!.length);
  const start = shapes.slice(0, operand).reduce((sum, shape) => sum + shape[axis]!, 0);
  return of("slice", [cotangent], { start: [start], stop: [start + shapes[operand]![axis]!], axes: [axis] });
}

/** A constant border is cut off again; a mirrored one has no rule. */
export const padding: Derivative = {
  ...moved(({ attrs, of }, g) => of("pad", [g], { pads: numbersOf(attrs["pads"]).map((width) => -width) })),
  holds: (attrs) => modeOf(attrs) === "constant" || numbersOf(attrs["pads"]).every((width) => width === 0),
};
