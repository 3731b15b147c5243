/** @file Attention in its ONNX forms, and rotary embedding. What only one form has (caches, packed heads) is written out around the op. */
import { type AttrValue } from "../../../fusion";
import type { Value } from "../emit";
import type { NodeContext, Rules } from "../rule";
import { range } from "./arithmetic";

export type Options = Readonly<Record<string, AttrValue>>;

/** 0 … n − 1 along one axis of `rank`, i32. */
export function counting(c: NodeContext, n: number, axis: number, rank: number): Value {
  const dims = range(rank).map((i) => (i === axis ? n : 1));
  return c.emit.host({ dtype: "i32", dims, data: Float64Array.from(range(n)), wide: false });
}

/** [B, S, H·D] → [B, H, S, D]. */
export function toHeads(c: NodeContext, x: Value, heads: number): Value {
  if (x.type.shape.length === 4) return x;
  const [batch, length, hidden] = x.type.shape as [number, number, number];
  const split = c.reshape(x, [batch, length, heads, hidden / heads]);
  return c.op("transpose", [split], { perm: [0, 2, 1, 3] });
}

/** [B, H, S, D] → [B, S, H·D]. */
export function fromHeads(c: NodeContext, x: Value): Value {
  const [batch, heads, length, size] = x.type.shape as [number, number, number, number];
  return c.reshape(c.op("transpose", [x], { perm: [0, 2, 1, 3] }), [batch, length, heads * size]);
}

export const isEmpty = (x: Value): boolean => x.type.shape.includes(0);

/** The cache and what is new, along the keys. */
function appended(c: NodeContext, past: Value | null, fresh: Value): Value {
  if (!past || isEmpty(past)) return fresh;
  return c.op("concat", [past, fresh], { axis: 2 });
}

export const and = (c: NodeContext, a: Value | null, b: Value | null): Value | null =>
  a && b ? c.op("and", [a, b]) : (a ?? b);

/** bool [B, 1, 1, T]: index < length of its batch. */
export function within(c: NodeContext, lengths: Value, keyCount: number): Value {
  const each = c.reshape(lengths, [lengths.type.shape[0] ?? 1, 1, 1, 1]);
  return c.op("lt", [counting(c, keyCount, 3, 4), each]);
}

/** bool: key − position of the query between −left and right; a side below 0 is open. The first query's position may be data. */
export function between(
  c: NodeContext,
  queries: number,
  keys: number,
  first: Value,
  left: number,
  right: number,
): Value | null {
  const [key, query] = [counting(c, keys, 3, 4), c.op("add", [counting(c, queries, 2, 4), first])];
  const low = left < 0 ? null : c.op("ge", [key, c.op("sub", [query, c.emit.scalar(left, "i32")])]);
  const high =
    right < 0 ? null : c.op("le", [key, right === 0 ? query : c.op("add", [query, c.emit.scalar(right, "i32")])]);
  return and(c, low, high);
}

/** Shorter masks end before the last keys: those are out of sight. */
export function widened(c: NodeContext, mask: Value, keyCount: number): Value {
  const missing = keyCount - (mask.type.shape.at(-1) ?? keyCount);
  if (missing <= 0 || mask.type.shape.at(-1) === 1) return mask;
  const value = mask.type.dtype === "bool" ? 0 : Number.NEGATIVE_INFINITY;
  return c.op("pad", [mask], { pads: [0, missing], mode: "constant", value });
}

export interface Call {
  readonly q: Value;
  readonly k: Value;
  readonly v: Value;
  /** Added to the scores. */
  readonly bias: Value | null;
  /** bool: true is seen. */
  readonly sight: Value | null;
  readonly options: Options;
}

/** One call; a bias and a sight together become a bias of −∞ where nothing is seen. */
export function attend(c: NodeContext, { q, k, v, bias, sight, options }: Call): Value {
  const hidden = (): Value => c.emit.scalar(Number.NEGATIVE_INFINITY, bias!.type.dtype);
  const mask = bias && sight ? c.op("where", [sight, bias, hidden()]) : (bias ?? sight);
  return c.op("scaled_dot_product_attention", [q, k, v, mask], options);
}

export const scaleOf = (c: NodeContext): Options => {
  const scale = c.maybeFloat("scale");
  return scale === null || scale === 0 ? {} : { scale };
};
export const softcapOf = (c: NodeContext): Options =>
  c.float("softcap", 0) > 0 ? { softcap: c.float("softcap", 0) } : {};

/** `Attention` of the standard domain: 3-D inputs are split into heads, caches are appended, `nonpad_kv_seqlen` hides what is padding. */
function attention(c: NodeContext): readonly Value[] {
  const flat = c.in(0).type.shape.length === 3;
  const heads = c.int("q_num_heads", 1);
  const shared = c.int("kv_num_heads", heads);
  const q = flat ? toHeads(c, c.in(0), heads) : c.in(0);
  const k = appended(c, c.maybe(4), flat ? toHeads(c, c.in(1), shared) : c.in(1));
  const v = appended(c, c.maybe(5), flat ? toHeads(c, c.in(2), shared) : c.in(2));
  const [queries, keys] = [q.type.shape[2] ?? 0, k.type.shape[2] ?? 0];
  const lengths = c.maybe(6);
  const given = c.maybe(3) ? widened(c, c.in(3), keys) : null;
  const causal = c.int("is_causal", 0) === 1;
  const past = c.maybe(4)?.type.shape[2] ?? 0;
  let sight = given?.type.dtype === "bool" ? given : null;
  if (lengths) sight = and(c, sight, within(c, lengths, keys));
  const bias = given && given.type.dtype !== "bool" ? given : null;
  const first =
    lengths && c.op("sub", [c.reshape(lengths, [lengths.type.shape[0] ?? 1, 1, 1, 1]), c.emit.scalar(queries, "i32")]);
  const behind = c.int("right_window_size", -1);
  const [left, right] = [c.int("left_window_size", -1), causal ? 0 : behind];
  const onlyPast = right === 0 && !first;
  if (!onlyPast) sight = and(c, sight, between(c, queries, keys, first ?? c.emit.scalar(past, "i32"), left, right));
  const options: Options = {
    ...(onlyPast
      ? { is_causal: true, ...(past > 0 ? { causal_offset: past } : {}), ...(left >= 0 ? { window: left + 1 } : {}) }
      : {}),
    ...scaleOf(c),
    ...softcapOf(c),
  };
  const result = attend(c, { q, k, v, bias, sight, options });
  const wants = (i: number): boolean => (c.node.outputs[i] ?? "") !== "";
  c.implied("qk_matmul_output_mode");
  const scores = wants(3) ? attentionScores(c, { q, k, v, bias, sight, options }) : null;
  return [flat ? fromHeads(c, result) : result, k, v, ...(scores ? [scores] : [])];
}

/** The fourth result: scores after the product (0), after the cap (1), after the mask (2), or the shares (3). */
function attentionScores(c: NodeContext, { q, k, bias, sight, options }: Call): Value {
  const mode = c.int("qk_matmul_output_mode", 0);
  const group = (q.type.shape[1] ?? 1) / (k.type.shape[1] ?? 1);
  const keys = group === 1 ? k : c.op("repeat_interleave", [k], { repeats: group, axis: 1 });
  const size = q.type.shape[3] ?? 1;
  const { dtype } = q.type;
  const scalar = (value: number): Value => c.emit.scalar(value, dtype);
  const product = c.op("matmul", [q, c.op("transpose", [keys], { perm: [0, 1, 3, 2] })]);
  const scaled = c.op("mul", [product, scalar(Number(options["scale"] ?? 1 / Math.sqrt(size)))]);
  const cap = Number(options["softcap"] ?? 0);
  const capped =
    cap > 0 && mode > 0 ? c.op("mul", [c.op("tanh", [c.op("div", [scaled, scalar(cap)])]), scalar(cap)]) : scaled;
  if (mode <= 1) return capped;
  const [queries, keyCount] = [q.type.shape[2] ?? 0, k.type.shape[2] ?? 0];
  const offset = c.emit.scalar(Number(options["causal_offset"] ?? 0), "i32");
  const causal = options["is_causal"] === true;
  const past = causal ? between(c, queries, keyCount, offset, Number(options["window"] ?? 0) - 1, 0) : null;
  const seen = and(c, sight, past);
  const biased = bias ? c.op("add", [capped, bias]) : capped;
  if (mode === 2) return seen ? c.op("where", [seen, biased, scalar(Number.NEGATIVE_INFINITY)]) : biased;
  const low = scalar(-3e38);
  const visible = seen ? c.op("where", [seen, biased, low]) : biased;
  const held = bias ? c.op("maximum", [visible, low]) : visible;
  const shares = c.op("softmax", [held], { axis: 3 });
  const open = bias ? c.op("gt", [biased, low]) : null;
  const shown = and(c, seen, open);
  return shown ? c.op("where", [shown, shares, scalar(0)]) : shares;
}

/** `score_mod` and `prob_mod` are graphs over all scores and all shares. */
function flexAttention(c: NodeContext): Value {
  const [q, k, v] = [c.in(0), c.in(1), c.in(2)];
  if (!c.has("score_mod") && !c.has("prob_mod"))
    return attend(c, { q, k, v, bias: null, sight: null, options: scaleOf(c) });
  const group = (q.type.shape[1] ?? 1) / (k.type.shape[1] ?? 1);
  const wide = (x: Value): Value => (group === 1 ? x : c.op("repeat_interleave", [x], { repeats: group, axis: 1 }));
  const product = c.op("matmul", [q, c.op("transpose", [wide(k)], { perm: [0, 1, 3, 2] })]);
  const scale = c.maybeFloat("scale") ?? 1 / Math.sqrt(q.type.shape[3] ?? 1);
  const scaled = c.op("mul", [product, c.emit.scalar(scale, q.type.dtype)]);
  const through = (name: string, x: Value): Value => (c.has(name) ? (c.subgraph(name, [x])[0] ?? x) : x);
  const shares = c.op("softmax", [through("score_mod", scaled)], { axis: 3 });
  return c.op("matmul", [through("prob_mod", shares), wide(v)]);
}

/** Three pieces of the last axis (or of a packed one), of these sizes. */
export function pieces(c: NodeContext, x: Value, sizes: readonly number[], axis = x.type.shape.length - 1): Value[] {
  let at = 0;
  return sizes.map((size) => c.op("slice", [x], { start: [at], stop: [(at += size)], axes: [axis] }));
}

/** ORT's masks: [B] lengths, [2B] ends and starts, [B, T], [B, S, T] or [B, 1, T, T] flags. */
function maskSight(c: NodeContext, mask: Value, batch: number, queries: number, keys: number): Value {
  const { shape } = mask.type;
  if (shape.length === 1) {
    const parts = shape[0] === 2 * batch ? pieces(c, mask, [batch, batch]) : [mask];
    const ends = within(c, parts[0]!, keys);
    return parts[1] ? c.op("and", [ends, c.op("not", [within(c, parts[1], keys)])]) : ends;
  }
  const flags = c.cast(mask, "bool");
  if (shape.length === 2) return c.reshape(flags, [shape[0]!, 1, 1, shape[1]!]);
  if (shape.length === 3) return c.reshape(flags, [shape[0]!, 1, shape[1]!, shape[2]!]);
  const past = keys - queries;
  return c.op("slice", [flags], { start: [past, 0], stop: [past + queries, keys], axes: [2, 3] });
}

/** ORT adds a large negative number to what a mask hides: a query that sees nothing then sees everything alike. */
function filtered(
  c: NodeContext,
  bias: Value | null,
  sight: Value | null,
  dtype: Value["type"]["dtype"],
): Value | null {
  if (!sight) return bias;
  const [zero, far] = [c.emit.scalar(0, dtype), c.emit.scalar(c.float("mask_filter_value", -10000), dtype)];
  const mask = c.op("where", [sight, zero, far]);
  return bias ? c.op("add", [bias, mask]) : mask;
}

/** `com.microsoft.Attention`: one product makes queries, keys and values. */
function contribAttention(c: NodeContext): readonly Value[] {
  const x = c.in(0);
  const [batch, length] = x.type.shape as [number, number, number];
  const heads = c.int("num_heads", 1);
  const product = c.op("matmul", [x, c.in(1)]);
  const all = c.maybe(2) ? c.op("add", [product, c.in(2)]) : product;
  const hidden = all.type.shape[2] ?? 0;
  const sizes = c.ints("qkv_hidden_sizes") ?? [hidden / 3, hidden / 3, hidden / 3];
  const [q, k, v] = pieces(c, all, sizes).map((part) => toHeads(c, part, heads)) as [Value, Value, Value];
  const past = c.maybe(4);
  const old = past ? pieces(c, past, [1, 1], 0).map((part) => c.reshape(part, past.type.shape.slice(1))) : [];
  const [keys, values] = [appended(c, old[0] ?? null, k), appended(c, old[1] ?? null, v)];
  const keyCount = keys.type.shape[2] ?? 0;
  const sight = c.maybe(3) ? maskSight(c, c.in(3), batch, length, keyCount) : null;
  const causal = c.int("unidirectional", 0) === 1;
  const options = {
    ...(causal ? { is_causal: true, ...(keyCount > length ? { causal_offset: keyCount - length } : {}) } : {}),
    ...scaleOf(c),
  };
  const result = fromHeads(
    c,
    attend(c, { q, k: keys, v: values, bias: filtered(c, c.maybe(5), sight, x.type.dtype), sight: null, options }),
  );
  if ((c.node.outputs[1] ?? "") === "") return [result];
  const stack = [keys, values].map((part) => c.reshape(part, [1, ...part.type.shape]));
  return [result, c.op("concat", stack, { axis: 0 })];
}

/** `com.microsoft.MultiHeadAttention`: packed or separate operands, biases, caches. */
function multiHeadAttention(c: NodeContext): readonly Value[] {
  const heads = c.int("num_heads", 1);
  const { shape } = c.in(0).type;
  const packed = shape.length === 5 ? c.in(0) : c.maybe(1)?.type.shape.length === 5 ? c.in(1) : null;
  const split = packed
    ? pieces(
        c,
        packed,
        range(packed.type.shape[3] ?? 0).map(() => 1),
        3,
      )
    : [];
  const unpacked = split.map((part) => {
    const [b, s, h, , d] = part.type.shape as [number, number, number, number, number];
    return c.op("transpose", [c.reshape(part, [b, s, h, d])], { perm: [0, 2, 1, 3] });
  });
  const own = [0, 1, 2].map((i) => (packed ? null : toHeads(c, c.in(i), heads)));
  const query = packed && packed !== c.in(0) ? toHeads(c, c.in(0), heads) : null;
  const found = packed ? (query ? [query, ...unpacked] : unpacked) : own;
  const [q, k, v] = biased(c, found as Value[], c.maybe(3));
  // The cache takes part only where it is handed on.
  const cached = (c.node.outputs[1] ?? "") !== "";
  const keys = appended(c, cached ? c.maybe(6) : null, k!);
  const values = appended(c, cached ? c.maybe(7) : null, v!);
  const [length, keyCount] = [q!.type.shape[2] ?? 0, keys.type.shape[2] ?? 0];
  const sight = c.maybe(4) ? maskSight(c, c.in(4), q!.type.shape[0] ?? 1, length, keyCount) : null;
  const causal = c.int("unidirectional", 0) === 1;
  const past = keyCount - (k!.type.shape[2] ?? 0);
  const options = {
    ...(causal ? { is_causal: true, ...(past > 0 ? { causal_offset: past } : {}) } : {}),
    ...scaleOf(c),
  };
  const given = c.maybe(5);
  const bias =
    given && !cached && (given.type.shape[3] ?? 1) > keyCount
      ? c.op("slice", [given], { start: [0], stop: [keyCount], axes: [3] })
      : given;
  return [
    fromHeads(
      c,
      attend(c, { q: q!, k: keys, v: values, bias: filtered(c, bias, sight, q!.type.dtype), sight: null, options }),
    ),
    keys,
    values,
  ];
}

/** One bias for all three operands, split at their widths, in heads. */
function biased(c: NodeContext, operands: readonly Value[], bias: Value | null): Value[] {
  if (!bias) return [...operands];
  const widths = operands.map(({ type }) => (type.shape[1] ?? 1) * (type.shape[3] ?? 1));
  return pieces(c, bias, widths).map((part, i) => {
    const [, heads, , size] = operands[i]!.type.shape as [number, number, number, number];
    return c.op("add", [operands[i]!, c.reshape(part, [heads, 1, size])]);
  });
}

export const attentionRules: Rules = { Attention: attention };
export const previewAttentionRules: Rules = { FlexAttention: flexAttention };
export const contribAttentionRules: Rules = {
  Attention: contribAttention,
  MultiHeadAttention: multiHeadAttention,
};
