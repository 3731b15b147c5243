/** @file Scatter inverted: each element of the result looks for the updates that name it, so no two threads write one element. */
import { sizeOf, stridesOf, type Attrs, type DType, type Node, type NodeId, type Shape } from "../ir";
import type { GraphBuilder, Param } from "./define";
import { ABOVE_ALL, BELOW_ALL } from "./limits";
import { along, indexWord, offsetOf, scaled } from "./linear-indices";
import { wrong, type Failed } from "./shapes";

export const REDUCTION: Param = {
  names: ["reduction", "reduce"],
  kind: "string",
  default: "none",
  doc: "none (the last update wins), add, mul, max or min.",
};

const FOLDS: ReadonlyMap<
  string,
  { readonly fold: string; readonly join: string; readonly start: (dtype: DType) => number }
> = new Map([
  ["add", { fold: "sum", join: "add", start: () => 0 }],
  ["mul", { fold: "prod", join: "mul", start: () => 1 }],
  ["max", { fold: "max", join: "maximum", start: BELOW_ALL }],
  ["min", { fold: "min", join: "minimum", start: ABOVE_ALL }],
]);

export const checkReduction = (attrs: Attrs): Failed | null => {
  const reduction = attrs["reduction"] ?? "none";
  if (reduction === "none" || FOLDS.has(String(reduction))) return null;
  return wrong("bad-attr", `There is no reduction ${JSON.stringify(reduction)}; they are none, add, mul, max and min.`);
};

interface Scatter {
  /** bool […, elements, updates, …]: does this update name this element? */
  readonly match: NodeId;
  /** The axis of `match` that numbers the updates; the elements are on the axis before it. */
  readonly axis: number;
  /** Values in `match`'s rank, 1 along the elements. */
  readonly values: NodeId;
  /** Fetches the update at an index along the updates' axis (same rank as x). */
  readonly fetch: (last: NodeId) => NodeId;
}

/** x with the updates put in. */
export function joinUpdates(b: GraphBuilder, x: NodeId, { match, axis, values, fetch }: Scatter, attrs: Attrs): NodeId {
  const { dtype } = b.typeOf(x);
  const folds = FOLDS.get(String(attrs["reduction"] ?? "none"));
  if (folds) {
    const start = b.scalar(folds.start(dtype), dtype);
    const mine = b.op("mine", "where", [match, values, start]);
    const total = b.op("total", folds.fold, [mine], { axes: [axis], keepdims: false });
    return b.op("joined", folds.join, [x, total]);
  }
  const { shape } = b.typeOf(match);
  const number = along(b, "number", shape[axis]!, 1, axis, shape.length);
  const named = b.op("matched", "where", [match, number, b.scalar(-1, "i32")]);
  const last = b.op("last", "max", [named], { axes: [axis], keepdims: false });
  const written = b.op("written", "ge", [last, b.scalar(0, "i32")]);
  return b.op("joined", "where", [written, fetch(last), x]);
}

/** `index` and `updates` filled up to x's extents on every axis but one, with indices that match nothing. */
export function filledUp(b: GraphBuilder, part: string, value: NodeId, x: Shape, axis: number, fill: number): NodeId {
  const { shape } = b.typeOf(value);
  const missing = shape.map((extent, i) => (i === axis ? 0 : x[i]! - extent));
  if (missing.every((count) => count === 0)) return value;
  const pads = missing.toReversed().flatMap((count) => [0, count]);
  return b.op(part, "pad", [value], { pads, mode: "constant", value: fill });
}

/** Linear index of each tuple of indices, −1 where one lies outside. */
export function tupleIndicesInside(b: GraphBuilder, extents: Shape, index: NodeId): NodeId {
  const { shape } = b.typeOf(index);
  const last = shape.length - 1;
  const strides = stridesOf(extents);
  const terms: NodeId[] = [];
  let inside: NodeId | null = null;
  for (const [d, extent] of extents.entries()) {
    const word = indexWord(d, extents.length);
    const one = b.op(`${word}_apart`, "slice", [index], { start: [d], stop: [d + 1], step: null, axes: [last] });
    const flat = b.op(word, "reshape", [one], { shape: [sizeOf(shape.slice(0, last))] });
    const from = b.op(`${word}_begins`, "ge", [flat, b.scalar(0, "i32")]);
    const to = b.op(`${word}_ends`, "lt", [flat, b.scalar(extent, "i32")]);
    const fits = b.op(`${word}_fits`, "and", [from, to]);
    terms.push(scaled(b, `${word}_offset`, flat, strides[d]!));
    inside =
      inside === null ? fits : b.op(d === extents.length - 1 ? "all_fit" : `all_fit_${d}`, "and", [inside, fits]);
  }
  const linear = offsetOf(b, terms);
  if (linear === null || inside === null)
    return b.op("origin", "expand", [b.scalar(0, "i32")], { shape: [sizeOf(shape.slice(0, last))] });
  return b.op("place", "where", [inside, linear, b.scalar(-1, "i32")]);
}

/** The comparison by which the operand of a fold takes an update, and the update: null where each counts as one. `inside`: a node that may be looked through. */
export function chosenUpdate<N extends Pick<Node, "op" | "inputs">>(
  inside: (id: NodeId) => N | null,
  operand: NodeId,
  fold: string,
  isNothing: (id: NodeId) => boolean,
): { readonly match: N; readonly value: NodeId | null } | null {
  let current = inside(operand);
  if (current?.op === "where" && isNothing(current.inputs[2]!)) {
    const match = inside(current.inputs[0]!);
    return match?.op === "eq" ? { match, value: current.inputs[1]! } : null;
  }
  const isCast = current?.op === "cast";
  while (current?.op === "cast") current = inside(current.inputs[0]!);
  return fold === "sum" && isCast && current?.op === "eq" ? { match: current, value: null } : null;
}
