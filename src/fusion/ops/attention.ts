/** @file Attention from its parts: heads that share keys, and which keys a query may see. */
import { broadcastShapes, showShape, type Attrs, type DType, type NodeId, type Shape, type TensorType } from "../ir";
import type { GraphBuilder } from "./define";
import { isAbsent } from "./indices";
import { LARGEST_F32, smallestOf } from "./limits";
import { along } from "./linear-indices";
import { numberOf, saySizes, wrong, type Failed } from "./shapes";

/** Scores of keys that are out of sight: far below any other, yet finite, so that differences of two of them are numbers. */
const hiddenIn = (dtype: DType): number => (dtype === "f16" ? smallestOf(dtype) : -3e38);

export function checkAttention(
  [q, k, v, mask]: readonly (TensorType | null)[],
  _attrs: Attrs,
  names: readonly string[],
): Failed | null {
  const [a, b, c] = [q!.shape, k!.shape, v!.shape];
  const all = saySizes(names, [a, b, c]);
  if (a.length < 2 || b.length !== a.length || c.length !== a.length)
    return wrong("shape-mismatch", `${all}: queries, keys and values need the same axes, two or more.`);
  if (a.at(-1) !== b.at(-1))
    return wrong("shape-mismatch", `${all}: queries of ${a.at(-1)} and keys of ${b.at(-1)} numbers have no product.`);
  if (b.at(-2) !== c.at(-2)) return wrong("shape-mismatch", `${all}: every key needs one value.`);
  if (groupOf(a, b) === null || groupOf(a, c) !== groupOf(a, b))
    return wrong("shape-mismatch", `${all}: each key must serve a whole number of query heads.`);
  const scores = [...a.slice(0, -1), b.at(-2)!];
  if (mask && broadcastShapes(mask.shape, scores)?.join() !== scores.join())
    return wrong(
      "shape-mismatch",
      `${names[3]} is ${showShape(mask.shape)} and must broadcast to the scores, ${showShape(scores)}.`,
    );
  return null;
}

/** Query heads that share one key head; 1 when the leading axes simply broadcast, null when they don't fit. */
function groupOf(q: Shape, k: Shape): number | null {
  const [lead, other] = [q.slice(0, -2), k.slice(0, -2)];
  if (broadcastShapes(lead, other)?.join() === lead.join()) return 1;
  const rest = broadcastShapes(lead.slice(0, -1), other.slice(0, -1))?.join() === lead.slice(0, -1).join();
  const [heads, shared] = [lead.at(-1)!, other.at(-1)!];
  return rest && shared > 0 && heads % shared === 0 ? heads / shared : null;
}

/** [.., heads, x, y] as [.., shared, group or 1, x, y]. */
function grouped(b: GraphBuilder, part: string, x: NodeId, shared: number, group: number): NodeId {
  const { shape } = b.typeOf(x);
  if (shape.length < 3) return x;
  const heads = shape.at(-3)!;
  const split = heads === shared * group ? [shared, group] : [heads, 1];
  return b.op(part, "reshape", [x], { shape: [...shape.slice(0, -3), ...split, ...shape.slice(-2)] });
}

/** Which keys are in sight: the mask where it decides, and the diagonal's side. Null: all. */
function sightOf(b: GraphBuilder, mask: NodeId | null, rows: number, columns: number, attrs: Attrs): NodeId | null {
  const sights: NodeId[] = [];
  if (mask !== null) {
    const isBool = b.typeOf(mask).dtype === "bool";
    sights.push(isBool ? mask : b.op("seen", "ge", [mask, b.scalar(-LARGEST_F32, b.typeOf(mask).dtype)]));
  }
  const window = isAbsent(attrs["window"]) ? null : numberOf(attrs["window"], 0);
  if (attrs["is_causal"] === true || window !== null) {
    const offset = numberOf(attrs["causal_offset"], 0);
    const range = b.op("rows", "iota", [], { start: offset, stop: rows + offset, step: 1, dtype: "i32" });
    const row = b.op("row", "reshape", [range], { shape: [rows, 1] });
    const column = along(b, "columns", columns, 1, 1, 2);
    if (attrs["is_causal"] === true) sights.push(b.op("past", "le", [column, row]));
    if (window !== null) sights.push(b.op("near", "gt", [column, b.op("edge", "sub", [row, b.scalar(window, "i32")])]));
  }
  return sights.length === 0 ? null : sights.reduce((a, c, i) => b.op(`sight_${i}`, "and", [a, c]));
}

/**
 * softmax over the keys in sight; a query that sees none gets zeros. Its peak says so, and no sum of weights has to be guarded against
 * zero: where every key in sight scores −∞ the shares are no numbers, in whatever order they are summed.
 */
function sharesOf(b: GraphBuilder, scores: NodeId, sight: NodeId | null): NodeId {
  const { dtype } = b.typeOf(scores);
  const fold = { axes: [b.typeOf(scores).shape.length - 1], keepdims: true };
  const hidden = (): NodeId => b.scalar(hiddenIn(dtype), dtype);
  const visible = sight === null ? scores : b.op("visible", "where", [sight, scores, hidden()]);
  const peak = b.op("peak", "max", [visible], fold);
  const power = b.op("exp", "exp", [b.op("shifted", "sub", [visible, peak])]);
  const weights = sight === null ? power : b.op("weights", "where", [sight, power, b.scalar(0, dtype)]);
  const sum = b.op("sum", "sum", [weights], fold);
  const total =
    sight === null ? sum : b.op("total", "where", [b.op("blind", "eq", [peak, hidden()]), b.scalar(1, dtype), sum]);
  return b.op("shares", "div", [weights, total]);
}

/** value-weighted shares; see the composite for the attributes. */
export function buildAttention(
  b: GraphBuilder,
  [query, key, value, mask]: readonly (NodeId | null)[],
  attrs: Attrs,
): NodeId {
  const shape = b.typeOf(query!).shape;
  const group = groupOf(shape, b.typeOf(key!).shape) ?? 1;
  const shared = group === 1 ? 0 : b.typeOf(key!).shape.at(-3)!;
  const split = (part: string, x: NodeId): NodeId => (group === 1 ? x : grouped(b, part, x, shared, group));
  const [q, k, v] = [split("queries", query!), split("keys", key!), split("values", value!)];
  const rank = b.typeOf(k).shape.length;
  const perm = Array.from({ length: rank }, (_, axis) => (axis < rank - 2 ? axis : 2 * rank - 3 - axis));
  const unscaled = b.op("scores", "matmul", [q, b.op("transposed", "transpose", [k], { perm, dim1: null })]);
  const { dtype } = b.typeOf(unscaled);
  const scale = isAbsent(attrs["scale"]) ? 1 / Math.sqrt(shape.at(-1)!) : numberOf(attrs["scale"], 1);
  let scores = scale === 1 ? unscaled : b.op("scaled", "mul", [unscaled, b.scalar(scale, dtype)]);
  const cap = numberOf(attrs["softcap"], 0);
  if (cap > 0) {
    const bent = b.op("bent", "tanh", [b.op("small", "div", [scores, b.scalar(cap, dtype)])]);
    scores = b.op("capped", "mul", [bent, b.scalar(cap, dtype)]);
  }
  const own = mask === null || mask === undefined ? null : split("mask", mask);
  if (own !== null && b.typeOf(own).dtype !== "bool") scores = b.op("biased", "add", [scores, own]);
  const sight = sightOf(b, own, shape.at(-2)!, b.typeOf(k).shape.at(-2)!, attrs);
  const shares = sharesOf(b, scores, sight);
  const drop = numberOf(attrs["dropout_p"], 0);
  const weights = drop > 0 ? b.op("kept", "dropout", [shares], { p: drop }) : shares;
  const result = b.op("attended", "matmul", [weights, v]);
  if (group === 1) return result;
  return b.op("heads", "reshape", [result], { shape: [...shape.slice(0, -1), b.typeOf(v).shape.at(-1)!] });
}
