/** @file What derivative rules of several ops have in common. Ties of maxima are split equally, as JAX does. */
import { sizeOf, type NodeId, type Shape, type TensorType } from "../ir";
import type { Derivative, Tape } from "./define";
import { modeOf, widthsOf } from "./padding";
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
  const axes = from.flatMap((extent, axis) =>
    axis < lead || (shape[axis - lead] === 1 && extent !== 1) ? [axis] : [],
  );
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
  const split = tape.of("reshape", [cotangent], {
    shape: from.flatMap((extent, axis) => [own[axis]! === 0 ? 0 : extent / own[axis]!, own[axis]!]),
  });
  return tape.of("reshape", [tape.of("sum", [split], { axes: from.map((_, axis) => 2 * axis) })], { shape: x });
}

/** Sums over copies of each element, which stand beside it. */
export function copiesBack(tape: Tape, cotangent: NodeId): NodeId {
  const from = shapeOf(tape, cotangent);
  const x = shapeOf(tape, tape.inputs[0]!);
  const grown = from.length === x.length ? from.findIndex((extent, axis) => extent !== x[axis]) : -1;
  if (grown < 0 && from.length === x.length) return cotangent;
  const shape =
    grown < 0
      ? [sizeOf(x), sizeOf(from) / sizeOf(x)]
      : [...x.slice(0, grown), x[grown]!, from[grown]! / x[grown]!, ...x.slice(grown + 1)];
  const axis = grown < 0 ? 1 : grown + 1;
  return tape.of("reshape", [tape.of("sum", [tape.of("reshape", [cotangent], { shape })], { axes: [axis] })], {
    shape: x,
  });
}

/** The piece of a concatenation's cotangent that belongs to one operand. */
export function pieceOf({ inputs, attrs, typeOf, of }: Tape, cotangent: NodeId, operand: number): NodeId {
  const shapes = inputs.map((input) => typeOf(input).shape);
  const axis = normalAxis(numberOf(attrs["axis"], 0), shapes[0]!.length);
  const start = shapes.slice(0, operand).reduce((sum, shape) => sum + shape[axis]!, 0);
  return of("slice", [cotangent], { start: [start], stop: [start + shapes[operand]![axis]!], axes: [axis] });
}

/** Elements that each came from one place along the axis: there their cotangents go, from there tangents come. */
export const taken = (places: (tape: Tape) => NodeId): Derivative => {
  const axisOf = ({ inputs: [x], attrs, typeOf }: Tape): number =>
    normalAxis(numberOf(attrs["axis"], -1), typeOf(x!).shape.length);
  return {
    vjp(tape, g) {
      const zeros = tape.of("expand", [0], { shape: shapeOf(tape, tape.inputs[0]!) });
      return tape.of("scatter_add", [zeros, places(tape), g], { axis: axisOf(tape) });
    },
    jvp: (tape, [t]) => tape.of("gather_elements", [t!, places(tape)], { axis: axisOf(tape) }),
  };
};

/** A running maximum or minimum stands where the element itself was the best so far; of equal ones the latest counts. */
export const running: Derivative = taken((tape) => {
  const {
    inputs: [x],
    output,
    attrs,
    of,
  } = tape;
  const shape = shapeOf(tape, x!);
  const axis = normalAxis(numberOf(attrs["axis"], -1), shape.length);
  const [extent, back] = [shape[axis]!, attrs["reverse"] === true];
  const places = of("iota", [], { start: 0, stop: extent, step: 1, dtype: "i32" });
  const own = of("reshape", [places], { shape: shape.map((_, i) => (i === axis ? extent : 1)) });
  const best = of("where", [of("eq", [x!, output]), own, back ? extent : -1]);
  return of(back ? "cummin" : "cummax", [best], attrs);
});

/** What a border took from the elements goes back to them, axis by axis: from a constant one nothing, from an edge all to the edge, from a mirror to where it shows. */
export const padding: Derivative = {
  vjp(tape, cotangent) {
    const { attrs, of } = tape;
    const mode = modeOf(attrs);
    const x = shapeOf(tape, tape.inputs[0]!);
    if (mode === "constant") return of("pad", [cotangent], { pads: numbersOf(attrs["pads"]).map((width) => -width) });
    return widthsOf(attrs, x.length).reduce((g, { left, right }, axis) => {
      const [extent, first] = [x[axis]!, mode === "edge" ? 0 : 1];
      const part = (start: number, stop: number): NodeId =>
        of("slice", [g], { start: [start], stop: [stop], axes: [axis] });
      const folded = (side: NodeId): NodeId =>
        mode === "edge" ? of("sum", [side], { axes: [axis], keepdims: true }) : of("flip", [side], { axes: [axis] });
      const put = (sum: NodeId, side: NodeId, at: number): NodeId => {
        const after = extent - at - tape.typeOf(side).shape[axis]!;
        const pads = x.toReversed().flatMap((_, i) => (x.length - 1 - i === axis ? [at, after] : [0, 0]));
        return of("add", [sum, of("pad", [side], { pads })]);
      };
      const inside = left + right > 0 ? part(left, left + extent) : g;
      const before = left > 0 ? put(inside, folded(part(0, left)), first) : inside;
      if (right === 0) return before;
      return put(
        before,
        folded(part(left + extent, left + extent + right)),
        mode === "edge" ? extent - 1 : extent - 1 - right,
      );
    }, cotangent);
  },
  jvp: ({ attrs, of }, [tangent]) => of("pad", [tangent!], { ...attrs, value: 0 }),
};
