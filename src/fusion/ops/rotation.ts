/** @file Rotary embedding: pairs of numbers as points that turn. */
import type { NodeId } from "../ir";
import type { GraphBuilder } from "./define";

/** (a, b) → (a·cos − b·sin, b·cos + a·sin); numbers beyond the pairs pass. */
export function buildRope(b: GraphBuilder, x: NodeId, cos: NodeId, sin: NodeId, interleaved: boolean): NodeId {
  const { shape } = b.typeOf(x);
  const [last, pairs] = [shape.length - 1, b.typeOf(cos).shape.at(-1)!];
  const cut = (part: string, start: number, stop: number, step: number): NodeId =>
    b.op(part, "slice", [x], { start: [start], stop: [stop], step: [step], axes: [last] });
  const size = shape[last]!;
  const [first, second] = interleaved
    ? [cut("even", 0, 2 * pairs, 2), cut("odd", 1, 2 * pairs, 2)]
    : [cut("first", 0, pairs, 1), cut("second", pairs, 2 * pairs, 1)];
  const left = b.op("left", "sub", [b.op("first_cos", "mul", [first, cos]), b.op("second_sin", "mul", [second, sin])]);
  const right = b.op("right", "add", [
    b.op("second_cos", "mul", [second, cos]),
    b.op("first_sin", "mul", [first, sin]),
  ]);
  const rotated = interleaved ? zipped(b, left, right) : null;
  const parts = rotated === null ? [left, right] : [rotated];
  if (2 * pairs < size) parts.push(cut("rest", 2 * pairs, size, 1));
  return parts.length === 1 ? parts[0]! : b.op("rotated", "concat", parts, { axis: last });
}

/** a₀ b₀ a₁ b₁ … along the last axis. */
function zipped(b: GraphBuilder, left: NodeId, right: NodeId): NodeId {
  const { shape } = b.typeOf(left);
  const pair = [left, right].map((id, i) => b.op(`side_${i}`, "unsqueeze", [id], { axes: [shape.length] }));
  const both = b.op("pairs", "concat", pair, { axis: shape.length });
  return b.op("zipped", "reshape", [both], { shape: [...shape.slice(0, -1), 2 * shape.at(-1)!] });
}
