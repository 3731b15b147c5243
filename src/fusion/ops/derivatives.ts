/** @file What derivative rules of several ops have in common. Ties of maxima are split equally, as JAX does. */
import { sizeOf, type NodeId, type Shape, type TensorType } from "../ir";
import type { Derivative, DerivativeContext } from "./define";
import { modeOf, widthsOf } from "./padding";
import { axesOf, normalAxis, numberOf, numbersOf } from "./shapes";

/** 1 where `a` wins over `b`, a half or another `part` where they are equal, else 0. */
export const share = (
  of: DerivativeContext["of"],
  wins: "gt" | "lt",
  a: NodeId,
  b: NodeId,
  part: NodeId | number = 0.5,
): NodeId => of("where", [of(wins, [a, b]), 1, of("where", [of("eq", [a, b]), part, 0])]);

/** An op that passes its operand on where `open` holds: so does its derivative. */
export function gated(open: (context: DerivativeContext) => NodeId): Derivative {
  return {
    vjp: (context, cotangent) => context.of("where", [open(context), cotangent, 0]),
    jvp: (context, [tangent]) => context.of("where", [open(context), tangent!, 0]),
  };
}

/** A linear op that puts elements elsewhere: `back` puts them where they came from. */
export const moved = (
  back: (context: DerivativeContext, cotangent: NodeId, operand: number) => NodeId,
): Derivative => ({ vjp: back });

const shapeOf = (context: DerivativeContext, id: NodeId): Shape => context.typeOf(id).shape;
export const like = (context: DerivativeContext, id: NodeId, { shape }: TensorType): NodeId =>
  context.of("reshape", [id], { shape });

/** The folded axes of a reduction, and its result's shape with them as 1. */
function folded(context: DerivativeContext): { readonly axes: readonly number[]; readonly keepdimShape: Shape } {
  const x = shapeOf(context, context.inputs[0]!);
  const axes = axesOf(context.attrs["axes"], x.length);
  return { axes, keepdimShape: x.map((extent, axis) => (axes.includes(axis) ? 1 : extent)) };
}

/** A value of a reduction's result, once for every element that was folded into it. */
export function spread(context: DerivativeContext, value: NodeId): NodeId {
  const { keepdimShape } = folded(context);
  return context.of("expand", [context.of("reshape", [value], { shape: keepdimShape })], {
    shape: shapeOf(context, context.inputs[0]!),
  });
}

/** A reduction whose result changes by `slope` with each element: x and the spread result are in its reach. */
export const foldedBy = (slope: (context: DerivativeContext, x: NodeId) => NodeId): Derivative => ({
  vjp: (context, cotangent) => context.of("mul", [spread(context, cotangent), slope(context, context.inputs[0]!)]),
  jvp: (context, [tangent]) =>
    context.of("sum", [context.of("mul", [tangent!, slope(context, context.inputs[0]!)])], context.attrs),
});

/** Largest or smallest: equal winners share. */
export const extremum: Derivative = foldedBy((context, x) => {
  const wins = context.of("where", [context.of("eq", [x, spread(context, context.output)]), 1, 0]);
  const { axes } = folded(context);
  return context.of("div", [wins, context.of("sum", [wins], { axes, keepdims: true })]);
});

/** Elements over which a reduction folds. */
export function countOf(context: DerivativeContext): number {
  const x = shapeOf(context, context.inputs[0]!);
  return folded(context).axes.reduce((count, axis) => count * x[axis]!, 1);
}

/** Sums of a value over the axes along which `shape` was broadcast to get to it. */
export function sumTo(context: Pick<DerivativeContext, "of" | "typeOf">, value: NodeId, shape: Shape): NodeId {
  const from = context.typeOf(value).shape;
  const lead = from.length - shape.length;
  const axes = from.flatMap((extent, axis) =>
    axis < lead || (shape[axis - lead] === 1 && extent !== 1) ? [axis] : [],
  );
  if (axes.length === 0) return value;
  const total = context.of("sum", [value], { axes, keepdims: true });
  return lead === 0 ? total : context.of("reshape", [total], { shape });
}

/** The product of all other elements along the folded axis, without a division: an element may be 0. */
export function othersProduct(context: DerivativeContext, x: NodeId): NodeId {
  const { axes } = folded(context);
  const [axis] = axes;
  if (axes.length !== 1) return context.of("div", [spread(context, context.output), x]);
  const before = context.of("cumprod", [x], { axis: axis!, exclusive: true });
  return context.of("mul", [before, context.of("cumprod", [x], { axis: axis!, exclusive: true, reverse: true })]);
}

/** Sums over copies that stand side by side. */
export function tilesVjp(context: DerivativeContext, cotangent: NodeId): NodeId {
  const from = shapeOf(context, cotangent);
  const x = shapeOf(context, context.inputs[0]!);
  const own = from.map((_, axis) => x[axis - (from.length - x.length)] ?? 1);
  const split = context.of("reshape", [cotangent], {
    shape: from.flatMap((extent, axis) => [own[axis]! === 0 ? 0 : extent / own[axis]!, own[axis]!]),
  });
  return context.of("reshape", [context.of("sum", [split], { axes: from.map((_, axis) => 2 * axis) })], { shape: x });
}

/** Sums over copies of each element, which stand beside it. */
export function copiesVjp(context: DerivativeContext, cotangent: NodeId): NodeId {
  const from = shapeOf(context, cotangent);
  const x = shapeOf(context, context.inputs[0]!);
  const grown = from.length === x.length ? from.findIndex((extent, axis) => extent !== x[axis]) : -1;
  if (grown < 0 && from.length === x.length) return cotangent;
  const shape =
    grown < 0
      ? [sizeOf(x), sizeOf(from) / sizeOf(x)]
      : [...x.slice(0, grown), x[grown]!, from[grown]! / x[grown]!, ...x.slice(grown + 1)];
  const axis = grown < 0 ? 1 : grown + 1;
  return context.of("reshape", [context.of("sum", [context.of("reshape", [cotangent], { shape })], { axes: [axis] })], {
    shape: x,
  });
}

/** The piece of a concatenation's cotangent that belongs to one operand. */
export function pieceOf({ inputs, attrs, typeOf, of }: DerivativeContext, cotangent: NodeId, operand: number): NodeId {
  const shapes = inputs.map((input) => typeOf(input).shape);
  const axis = normalAxis(numberOf(attrs["axis"], 0), shapes[0]!.length);
  const start = shapes.slice(0, operand).reduce((sum, shape) => sum + shape[axis]!, 0);
  return of("slice", [cotangent], { start: [start], stop: [start + shapes[operand]![axis]!], axes: [axis] });
}

/** Elements that each came from one index along the axis: there their cotangents go, from there tangents come. */
export const permutedAlong = (indices: (context: DerivativeContext) => NodeId): Derivative => {
  const axisOf = ({ inputs: [x], attrs, typeOf }: DerivativeContext): number =>
    normalAxis(numberOf(attrs["axis"], -1), typeOf(x!).shape.length);
  return {
    vjp(context, g) {
      const zeros = context.of("expand", [0], { shape: shapeOf(context, context.inputs[0]!) });
      return context.of("scatter_add", [zeros, indices(context), g], { axis: axisOf(context) });
    },
    jvp: (context, [t]) => context.of("gather_elements", [t!, indices(context)], { axis: axisOf(context) }),
  };
};

/** A running maximum or minimum stands where the element itself was the best so far; of equal ones the latest counts. */
export const running: Derivative = permutedAlong((context) => {
  const {
    inputs: [x],
    output,
    attrs,
    of,
  } = context;
  const shape = shapeOf(context, x!);
  const axis = normalAxis(numberOf(attrs["axis"], -1), shape.length);
  const [extent, back] = [shape[axis]!, attrs["reverse"] === true];
  const indices = of("iota", [], { start: 0, stop: extent, step: 1, dtype: "i32" });
  const own = of("reshape", [indices], { shape: shape.map((_, i) => (i === axis ? extent : 1)) });
  const best = of("where", [of("eq", [x!, output]), own, back ? extent : -1]);
  return of(back ? "cummin" : "cummax", [best], attrs);
});

/** What a border took from the elements goes back to them, axis by axis: from a constant one nothing, from an edge all to the edge, from a mirror to where it shows. */
export const padding: Derivative = {
  vjp(context, cotangent) {
    const { attrs, of } = context;
    const mode = modeOf(attrs);
    const x = shapeOf(context, context.inputs[0]!);
    if (mode === "constant") return of("pad", [cotangent], { pads: numbersOf(attrs["pads"]).map((width) => -width) });
    return widthsOf(attrs, x.length).reduce((g, { left, right }, axis) => {
      const extent = x[axis]!;
      const [first, last] =
        mode === "edge" ? [0, extent - 1] : mode === "wrap" ? [extent - left, 0] : [1, extent - 1 - right];
      const part = (start: number, stop: number): NodeId =>
        of("slice", [g], { start: [start], stop: [stop], axes: [axis] });
      const folded = (side: NodeId): NodeId =>
        mode === "edge"
          ? of("sum", [side], { axes: [axis], keepdims: true })
          : mode === "wrap"
            ? side
            : of("flip", [side], { axes: [axis] });
      const put = (sum: NodeId, side: NodeId, at: number): NodeId => {
        const after = extent - at - context.typeOf(side).shape[axis]!;
        const pads = x.toReversed().flatMap((_, i) => (x.length - 1 - i === axis ? [at, after] : [0, 0]));
        return of("add", [sum, of("pad", [side], { pads })]);
      };
      const inside = left + right > 0 ? part(left, left + extent) : g;
      const before = left > 0 ? put(inside, folded(part(0, left)), first) : inside;
      if (right === 0) return before;
      return put(before, folded(part(left + extent, left + extent + right)), last);
    }, cotangent);
  },
  jvp: ({ attrs, of }, [tangent]) => of("pad", [tangent!], { ...attrs, value: 0 }),
};
