/** @file Adaptive pools: output i of n covers the elements from ⌊i·L/n⌋ to ⌈(i + 1)·L/n⌉, as PyTorch splits an axis. */
import { showShape, type Attrs, type NodeId, type Shape, type TensorType } from "../ir";
import { composite, type CompositeSpec } from "./compose";
import type { CompositeDef, GraphBuilder } from "./define";
import { ONE_TENSOR } from "./families";
import { BELOW_ALL } from "./limits";
import { along } from "./linear-indices";
import { numbersOf, wrong, type Failed } from "./shapes";

/** Output sizes of the last axes; a single number stands for every axis but batch and channels. */
function sizesOf(x: Shape, attrs: Attrs): readonly number[] {
  const asked = numbersOf(attrs["output_size"]);
  const sizes = asked.length === 1 ? Array.from({ length: Math.max(1, x.length - 2) }, () => asked[0]!) : asked;
  const lead = x.length - sizes.length;
  return sizes.map((size, axis) => (size === -1 ? (x[lead + axis] ?? 0) : size));
}

function checkAdaptive([x]: readonly (TensorType | null)[], attrs: Attrs, names: readonly string[]): Failed | null {
  const sizes = sizesOf(x!.shape, attrs);
  const fits = sizes.length > 0 && sizes.length <= x!.shape.length && sizes.every((size) => size >= 1);
  if (fits && x!.shape.slice(-sizes.length).every((extent) => extent >= 1)) return null;
  return wrong(
    "shape-mismatch",
    `${names[0]} is ${showShape(x!.shape)}: its last axes can't be pooled to ${showShape(sizes)}.`,
  );
}

/** Axes whose size is a multiple of what is asked for: one reshape and one fold. */
function sharedOut(b: GraphBuilder, x: NodeId, sizes: readonly number[], fold: "mean" | "max"): NodeId {
  const { shape } = b.typeOf(x);
  const lead = shape.length - sizes.length;
  const split: number[] = [];
  const axes: number[] = [];
  for (const [axis, extent] of shape.entries()) {
    const size = axis < lead ? extent : sizes[axis - lead]!;
    split.push(size === extent || extent % size !== 0 ? extent : size);
    if (size === extent || extent % size !== 0) continue;
    axes.push(split.length);
    split.push(extent / size);
  }
  if (axes.length === 0) return x;
  return b.op(fold, fold, [b.op("shares", "reshape", [x], { shape: split })], { axes, keepdims: false });
}

/** An axis that does not divide: windows of two lengths, told by comparing indices. */
function comparedOut(b: GraphBuilder, x: NodeId, axis: number, size: number, fold: "mean" | "max"): NodeId {
  const { dtype, shape } = b.typeOf(x);
  const [extent, rank] = [shape[axis]!, shape.length + 1];
  const range = (part: string, count: number, by: number, first: number, at: number): NodeId => {
    const steps = along(b, part, count, by, at, rank);
    return first === 0 ? steps : b.op(`${part}_next`, "add", [steps, b.scalar(first, "i32")]);
  };
  const [own, next] = [range("begin", size, extent, 0, axis), range("end", size, extent, extent, axis)];
  const [here, after] = [range("place", extent, size, 0, axis + 1), range("past", extent, size, size, axis + 1)];
  const inside = b.op("inside", "and", [b.op("before", "lt", [here, next]), b.op("behind", "lt", [own, after])]);
  const spread = b.op("spread", "unsqueeze", [x], { axes: [axis] });
  const folded = { axes: [axis + 1], keepdims: false };
  if (fold === "max")
    return b.op("max", "max", [b.op("share", "where", [inside, spread, b.scalar(BELOW_ALL(dtype), dtype)])], folded);
  const sum = b.op("sum", "sum", [b.op("share", "where", [inside, spread, b.scalar(0, dtype)])], folded);
  const count = b.op("count", "sum", [b.op("counted", "where", [inside, b.scalar(1), b.scalar(0)])], folded);
  return b.op("mean", "div", [sum, count]);
}

/** The pooled tensor; a mean of means is the mean, since the windows are products of one window an axis. */
export function buildAdaptive(b: GraphBuilder, x: NodeId, attrs: Attrs, fold: "mean" | "max"): NodeId {
  const sizes = sizesOf(b.typeOf(x).shape, attrs);
  let pooled = sharedOut(b, x, sizes, fold);
  for (const [i, size] of sizes.entries()) {
    const axis = b.typeOf(pooled).shape.length - sizes.length + i;
    if (b.typeOf(pooled).shape[axis] !== size) pooled = comparedOut(b, pooled, axis, size, fold);
  }
  return pooled === x ? b.op("same", "identity", [x]) : pooled;
}

/** A composite that folds each axis to the sizes asked for. */
export const adaptivePool = (
  { formula, ...names }: Pick<CompositeSpec, "name" | "aliases"> & { readonly formula: string },
  fold: "mean" | "max",
): CompositeDef =>
  composite({
    ...names,
    doc: {
      formula,
      teaches:
        "Where the sizes divide, it is a reshape and a fold; elsewhere windows of two lengths, told by comparing indices.",
    },
    params: [
      ONE_TENSOR,
      { names: ["output_size"], kind: "ints", none: -1, doc: "Sizes of the last axes; None keeps one." },
    ],
    check: checkAdaptive,
    build: (b, [x], attrs) => buildAdaptive(b, x!, attrs, fold),
  });
