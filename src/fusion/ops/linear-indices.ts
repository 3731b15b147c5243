/** @file Linear indices into a flattened tensor from indices of several axes: what the composites over gather share. */
import { sizeOf, stridesOf, type Node, type NodeId, type Shape } from "../ir";
import type { GraphBuilder } from "./define";
import { numberOf } from "./shapes";

/** 0, by, 2·by … along `axis` of a tensor of this rank. */
export function along(b: GraphBuilder, part: string, extent: number, by: number, axis: number, rank: number): NodeId {
  const range = b.op(part, "iota", [], { start: 0, stop: extent * by, step: by, dtype: "i32" });
  const shape = Array.from({ length: rank }, (_, i) => (i === axis ? extent : 1));
  return b.op(`${part}_along`, "reshape", [range], { shape });
}

/** What a person calls the index along axis `d` of so many. */
export const indexWord = (d: number, rank: number): string =>
  rank === 1 ? "index" : rank === 2 ? ["row", "column"][d]! : `index_${d}`;

/** The sum of terms, called `offset`: those before it on the way have a number. */
export const offsetOf = (b: GraphBuilder, terms: readonly NodeId[]): NodeId | null =>
  terms.length === 0
    ? null
    : terms.reduce((sum, term, i) => b.op(i === terms.length - 1 ? "offset" : `offset_${i}`, "add", [sum, term]));

export const scaled = (b: GraphBuilder, part: string, x: NodeId, by: number): NodeId =>
  by === 1 ? x : b.op(part, "mul", [x, b.scalar(by, "i32")]);

/** `index` clamped to 0 … extent − 1. */
export const clamped = (b: GraphBuilder, part: string, index: NodeId, extent: number): NodeId =>
  b.op(part, "clamp", [index], { min: 0, max: extent - 1 });

/** Linear indices into `x` of the elements that differ from their own coordinates along `axis` only. */
export function elementIndices(b: GraphBuilder, x: Shape, index: NodeId, axis: number): NodeId {
  const { shape } = b.typeOf(index);
  const strides = stridesOf(x);
  const rank = shape.length;
  const own = scaled(b, "own_offset", clamped(b, "inside", index, x[axis]!), strides[axis]!);
  const others = shape.flatMap((extent, other) =>
    other === axis || extent === 1 ? [] : along(b, indexWord(other, rank), extent, strides[other]!, other, rank),
  );
  return offsetOf(b, [own, ...others])!;
}

type NodeOf = (id: NodeId) => Pick<Node, "op" | "inputs" | "attrs" | "type">;

/** Does the value stand along `axis` as 0, by, 2·by …? */
export function countsAlong(
  seen: (id: NodeId) => ReturnType<NodeOf> | null,
  id: NodeId,
  axis: number,
  extent: number,
  by: number,
): boolean {
  let range = seen(id);
  const shape = range?.type.shape ?? [];
  if (shape.length <= axis || shape.some((size, i) => size !== (i === axis ? extent : 1))) return false;
  while (range?.op === "reshape" || range?.op === "unsqueeze") range = seen(range.inputs[0]!);
  if (!range) return false;
  const { op, attrs, type } = range;
  const counts = numberOf(attrs["start"], NaN) === 0 && numberOf(attrs["step"], 1) === by;
  return op === "iota" && type.shape[0] === extent && counts;
}

/**
 * The other way round: `linear` = index · stride + Σ own coordinate · stride over the axes that it has, where the index is clamped to
 * `axis` of `x`. That index, in the shape of `linear`; null for any other arithmetic.
 */
export function indexAlong(nodeOf: NodeOf, linear: NodeId, x: Shape, axis: number): NodeId | null {
  const { shape } = nodeOf(linear).type;
  if (shape.length !== x.length) return null;
  const strides = stridesOf(x);
  const missing = new Set(shape.flatMap((extent, i) => (i !== axis && extent > 1 ? [i] : [])));
  const held = ({ op, attrs }: ReturnType<NodeOf>): boolean =>
    op === "clamp" && numberOf(attrs["min"], NaN) === 0 && numberOf(attrs["max"], NaN) === x[axis]! - 1;
  let found: NodeId | null = null;
  const open = [linear];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const n = nodeOf(id);
    const at = id;
    const counted = [...missing].find((i) => countsAlong(nodeOf, at, i, shape[i]!, strides[i]!));
    const step = n.op === "mul" ? nodeOf(n.inputs[1]!).attrs["value"] : 1;
    const inner = n.op === "mul" ? n.inputs[0]! : id;
    if (n.op === "add") open.push(...n.inputs);
    else if (counted !== undefined) missing.delete(counted);
    else if (found === null && Number(step) === strides[axis] && held(nodeOf(inner))) found = inner;
    else return null;
  }
  return missing.size === 0 && found !== null && nodeOf(found).type.shape.join() === shape.join() ? found : null;
}

/** Linear indices named by the last axis of `index`, over the axes from `first` on: Σ index[…, d] · stride. */
export function tupleIndices(b: GraphBuilder, extents: Shape, index: NodeId): NodeId {
  const { shape } = b.typeOf(index);
  const last = shape.length - 1;
  const strides = stridesOf(extents);
  const terms = extents.map((extent, d) => {
    const word = indexWord(d, extents.length);
    const one =
      extents.length === 1
        ? index
        : b.op(`${word}_apart`, "slice", [index], { start: [d], stop: [d + 1], step: null, axes: [last] });
    const flat = b.op(word, "reshape", [one], { shape: shape.slice(0, last) });
    return scaled(b, `${word}_offset`, clamped(b, `${word}_inside`, flat, extent), strides[d]!);
  });
  return offsetOf(b, terms) ?? b.op("origin", "expand", [b.scalar(0, "i32")], { shape: shape.slice(0, last) });
}

/** A tensor as one axis. */
export const flattened = (b: GraphBuilder, x: NodeId): NodeId =>
  b.op("flat", "reshape", [x], { shape: [sizeOf(b.typeOf(x).shape)] });
