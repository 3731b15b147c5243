/** @file What the image normalisations share: one number a channel meets [N, C, …]. */
import { showShape, sizeOf, type NodeId, type Shape, type TensorType } from "../ir";
import type { GraphBuilder } from "./define";
import { wrong, type Failed } from "./shapes";

/** [C] as it meets the axis 1 of `rank` axes. */
export const channelwise = (b: GraphBuilder, part: string, x: NodeId, rank: number): NodeId =>
  b.op(part, "reshape", [x], { shape: [sizeOf(b.typeOf(x).shape), ...Array.from({ length: rank - 2 }, () => 1)] });

/** Every tensor after x has one number a channel. */
export function checkChannels([x, ...rest]: readonly (TensorType | null)[], names: readonly string[]): Failed | null {
  const { shape } = x!;
  if (shape.length < 2)
    return wrong("shape-mismatch", `${names[0]} is ${showShape(shape)}: it needs batch and channels.`);
  const odd = rest.findIndex((type) => type !== null && (type === undefined || sizeOf(type.shape) !== shape[1]));
  if (odd < 0) return null;
  return wrong(
    "shape-mismatch",
    `${names[odd + 1] ?? "It"} is ${showShape(rest[odd]?.shape ?? [])}: it needs one number for each of the ${shape[1]} channels of ${names[0]}.`,
  );
}

/** (x − mean) / √(variance + eps) over `axes`. */
export function standardised(b: GraphBuilder, x: NodeId, axes: readonly number[], eps: number): NodeId {
  const fold = { axes, keepdims: true };
  const centre = b.op("centre", "sub", [x, b.op("mean", "mean", [x], fold)]);
  const variance = b.op("variance", "mean", [b.op("square", "square", [centre])], fold);
  const deviation = b.op("deviation", "sqrt", [
    b.op("variance_eps", "add", [variance, b.scalar(eps, b.typeOf(x).dtype)]),
  ]);
  return b.op("normalised", "div", [centre, deviation]);
}

/** x · weight + bias, each one number a channel. */
export function affine(b: GraphBuilder, x: NodeId, weight: NodeId | null, bias: NodeId | null): NodeId {
  const rank = b.typeOf(x).shape.length;
  const scaled = weight === null ? x : b.op("scaled", "mul", [x, channelwise(b, "scales", weight, rank)]);
  return bias === null ? scaled : b.op("shifted", "add", [scaled, channelwise(b, "shifts", bias, rank)]);
}

/** Axes from `from` on. */
export const axesFrom = (shape: Shape, from: number): number[] => shape.map((_, axis) => axis).slice(from);
