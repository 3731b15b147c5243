/** @file What conv and conv_transpose share: windows as the columns of a matrix product, groups as its batches. */
import { showShape, sizeOf, type Attrs, type NodeId, type Shape, type TensorType } from "../ir";
import type { GraphBuilder, Param } from "./define";
import { numberOf, numbersOf, wrong, type Failed } from "./shapes";
import { eachAxis } from "./windows";

/** One number an axis, or one for all. */
export const perAxis = (names: readonly string[], value: number, doc: string): Param => ({
  names,
  kind: "ints",
  default: value,
  doc,
});
export const STRIDE = perAxis(["stride", "strides"], 1, "Step from one window to the next.");
export const DILATION = perAxis(["dilation", "dilations"], 1, "From one tap to the next.");
export const PADDING = perAxis(["padding", "pads"], 0, "One number, one an axis, or all befores and then all afters.");
export const GROUPS: Param = {
  names: ["groups", "group"],
  kind: "int",
  default: 1,
  doc: "Number of groups that the channels are divided into.",
};

export const groupsOf = (attrs: Attrs): number => numberOf(attrs["groups"], 1);

/** Ranks, channels and groups must fit. `inAxis`: the weight's axis that meets the input's channels, `perGroup` whether it holds one group's share. */
export function checkConvolution(
  [x, w, bias]: readonly (TensorType | null)[],
  attrs: Attrs,
  names: readonly string[],
  weight: { readonly inAxis: number; readonly perGroup: boolean },
): Failed | null {
  const [a, b] = [x!.shape, w!.shape];
  const both = `${names[0]} is ${showShape(a)}, ${names[1]} is ${showShape(b)}`;
  const groups = groupsOf(attrs);
  if (a.length < 3 || a.length !== b.length)
    return wrong("shape-mismatch", `${both}: a convolution takes batch, channels and the same spatial axes of both.`);
  if (!Number.isInteger(groups) || groups < 1 || a[1]! % groups !== 0 || b[0]! % groups !== 0)
    return wrong("bad-attr", `${both}: channels can't be split into ${groups} groups.`);
  const channels = weight.perGroup ? a[1]! / groups : a[1]!;
  if (b[weight.inAxis] !== channels) {
    const each = groups > 1 && weight.perGroup ? ` in each of ${groups} groups` : "";
    return wrong(
      "shape-mismatch",
      `${both}: the weight takes ${b[weight.inAxis]} channels and gets ${channels}${each}.`,
    );
  }
  const rank = a.length - 2;
  for (const part of ["stride", "padding", "dilation", "output_padding"]) {
    const given = numbersOf(attrs[part]).length;
    if (given > 1 && given !== rank && !(part === "padding" && given === 2 * rank))
      return wrong("bad-attr", `There are ${rank} spatial axes; ${part} names ${given}.`);
  }
  const outputs = weight.inAxis === 1 ? b[0]! : b[1]! * groups;
  if (bias && sizeOf(bias.shape) !== outputs)
    return wrong(
      "shape-mismatch",
      `${names[2]} is ${showShape(bias.shape)}: it needs one number for each of the ${outputs} outputs.`,
    );
  return null;
}

/** A tensor in another shape; itself when it has that shape already. */
export const shaped = (b: GraphBuilder, part: string, x: NodeId, shape: Shape): NodeId =>
  b.typeOf(x).shape.join() === shape.join() ? x : b.op(part, "reshape", [x], { shape });

/**
 * weights · windows, group by group: [G, O/G, K] times [N, G, K, positions], then the bias, then the shape of an image again.
 * @param windows [N, C, taps…, positions…]
 * @param weights [O, C/G, taps…] or an equal number of elements in that order
 */
export function windowProduct(
  b: GraphBuilder,
  windows: NodeId,
  weights: NodeId,
  bias: NodeId | null,
  sizes: {
    readonly batch: number;
    readonly channels: number;
    readonly outputs: number;
    readonly groups: number;
    readonly taps: number;
    readonly positions: Shape;
  },
): NodeId {
  const { batch, channels, outputs, groups, taps, positions } = sizes;
  const depth = (channels / groups) * taps;
  const split = groups === 1 ? [] : [groups];
  const columns = shaped(b, "columns", windows, [batch, ...split, depth, sizeOf(positions)]);
  const rows = shaped(b, "rows", weights, [...split, outputs / groups, depth]);
  const matmul = b.op("matmul", "matmul", [rows, columns]);
  const shift = bias === null ? null : shaped(b, "shift", bias, [...split, outputs / groups, 1]);
  const biased = shift === null ? matmul : b.op("biased", "add", [matmul, shift]);
  return b.op("image", "reshape", [biased], { shape: [batch, outputs, ...positions] });
}

/** Stride and dilation of every spatial axis. */
export const stepsOf = (attrs: Attrs, rank: number): { stride: readonly number[]; dilation: readonly number[] } => ({
  stride: eachAxis(attrs["stride"], rank, 1),
  dilation: eachAxis(attrs["dilation"], rank, 1),
});
