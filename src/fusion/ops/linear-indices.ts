/** @file Linear indices into a flattened tensor from indices of several axes: what the composites over gather share. */
import { sizeOf, stridesOf, type NodeId, type Shape } from "../ir";
import type { GraphBuilder } from "./define";

/** 0, by, 2·by … along `axis` of a tensor of this rank. */
export function along(b: GraphBuilder, part: string, extent: number, by: number, axis: number, rank: number): NodeId {
  const range = b.op(part, "iota", [], { start: 0, stop: extent * by, step: by, dtype: "i32" });
  const shape = Array.from({ length: rank }, (_, i) => (i === axis ? extent : 1));
  return b.op(`${part}_along`, "reshape", [range], { shape });
}

export const scaled = (b: GraphBuilder, part: string, x: NodeId, by: number): NodeId =>
  by === 1 ? x : b.op(part, "mul", [x, b.scalar(by, "i32")]);

/** `index` clamped to 0 … extent − 1. */
export const clamped = (b: GraphBuilder, part: string, index: NodeId, extent: number): NodeId =>
  b.op(part, "clamp", [index], { min: 0, max: extent - 1 });

/** Linear indices into `x` of the elements that differ from their own coordinates along `axis` only. */
export function elementIndices(b: GraphBuilder, x: Shape, index: NodeId, axis: number): NodeId {
  const { shape } = b.typeOf(index);
  const strides = stridesOf(x);
  let place = scaled(b, "step", clamped(b, "inside", index, x[axis]!), strides[axis]!);
  for (const [other, extent] of shape.entries()) {
    if (other === axis || extent === 1) continue;
    place = b.op(`at_${other}`, "add", [
      place,
      along(b, `axis_${other}`, extent, strides[other]!, other, shape.length),
    ]);
  }
  return place;
}

/** Linear indices named by the last axis of `index`, over the axes from `first` on: Σ index[…, d] · stride. */
export function tupleIndices(b: GraphBuilder, extents: Shape, index: NodeId): NodeId {
  const { shape } = b.typeOf(index);
  const last = shape.length - 1;
  const strides = stridesOf(extents);
  let place: NodeId | null = null;
  for (const [d, extent] of extents.entries()) {
    const one =
      extents.length === 1
        ? index
        : b.op(`part_${d}`, "slice", [index], { start: [d], stop: [d + 1], step: null, axes: [last] });
    const flat = b.op(`axis_${d}`, "reshape", [one], { shape: shape.slice(0, last) });
    const term = scaled(b, `step_${d}`, clamped(b, `inside_${d}`, flat, extent), strides[d]!);
    place = place === null ? term : b.op(`at_${d}`, "add", [place, term]);
  }
  return place ?? b.op("origin", "expand", [b.scalar(0, "i32")], { shape: shape.slice(0, last) });
}

/** A tensor as one axis. */
export const flattened = (b: GraphBuilder, x: NodeId): NodeId =>
  b.op("flat", "reshape", [x], { shape: [sizeOf(b.typeOf(x).shape)] });
