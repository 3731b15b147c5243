/** @file ONNX Runtime's own ops: fusions it makes, written as what they stand for. */
import { sizeOf, type DType } from "../../../fusion";
import type { Value } from "../emit";
import type { NodeContext, Rule, Rules } from "../rule";
import { activationNamed } from "./activations";
import { gemm } from "./contraction";
import { conv } from "./window";
import { range } from "./arithmetic";

const scalar = (c: NodeContext, value: number, dtype: DType = c.in(0).type.dtype): Value => c.emit.scalar(value, dtype);
const gelu = (c: NodeContext, x: Value, approximate: "none" | "tanh"): Value =>
  c.op("gelu", [x], approximate === "none" ? {} : { approximate });
/** The bias belongs to the last axis; one of another length is taken round and round. */
function withBias(c: NodeContext, i: number): Value {
  const [x, bias] = [c.in(0), c.maybe(i)];
  if (!bias) return x;
  const length = sizeOf(bias.type.shape);
  if (length <= 1 || length === x.type.shape.at(-1)) return c.op("add", [x, bias]);
  const indices = c.emit.host({
    dtype: "i32",
    dims: x.type.shape,
    data: Float64Array.from(range(sizeOf(x.type.shape)), (at) => at % length),
    wide: false,
  });
  return c.op("add", [x, c.op("gather", [c.reshape(bias, [length]), indices], { axis: 0 })]);
}

/** x · sigmoid(alpha · x) */
const quickGelu: Rule = (c) => c.op("silu", [c.in(0)], { alpha: c.float("alpha", 1.702) });

/** The last axis in halves: the first, times gelu of the second. */
const splitGelu: Rule = (c) => {
  const x = withBias(c, 1);
  const [axis, half] = [x.type.shape.length - 1, (x.type.shape.at(-1) ?? 0) / 2];
  const part = (at: number): Value => c.op("slice", [x], { start: [at], stop: [at + half], axes: [axis] });
  return c.op("mul", [part(0), gelu(c, part(half), "none")]);
};

/** Transposes of the last two axes, or of the batch before them, then a scaled product. */
function fusedMatMul(c: NodeContext): Value {
  const transposed = (x: Value, last: boolean, batch: boolean): Value => {
    const rank = x.type.shape.length;
    if (rank < 2 || !(last || batch)) return x;
    // The batch transposed: [M, batch…, K] is read as [batch…, M, K].
    const order = batch ? [...range(rank - 1).slice(1), 0, rank - 1] : range(rank);
    const perm = last ? [...order.slice(0, -2), order.at(-1)!, order.at(-2)!] : order;
    return c.op("transpose", [x], { perm });
  };
  const flag = (name: string): boolean => c.int(name, 0) === 1;
  const a = transposed(c.in(0), flag("transA"), flag("transBatchA"));
  const b = transposed(c.in(1), flag("transB"), flag("transBatchB"));
  const product = c.op("matmul", [a, b]);
  const alpha = c.float("alpha", 1);
  return alpha === 1 ? product : c.op("mul", [product, scalar(c, alpha)]);
}

/** input + skip (+ bias), normalised; the sum is a result of its own on demand. */
const skipNorm =
  (op: "layer_norm" | "rms_norm"): Rule =>
  (c) => {
    const bias = op === "layer_norm" ? c.maybe(4) : c.maybe(3);
    const skipped = c.op("add", [c.in(0), c.in(1)]);
    const sum = bias ? c.op("add", [skipped, bias]) : skipped;
    const operands = op === "layer_norm" ? [sum, c.in(2), c.maybe(3)] : [sum, c.in(2)];
    const normal = c.op(op, operands, { eps: c.float("epsilon", 1e-5) });
    const wants = (slot: number): boolean => (c.node.outputs[slot] ?? "") !== "";
    if (!wants(1) && !wants(2)) return [normal, sum, sum, sum];
    const last = { axes: [sum.type.shape.length - 1], keepdims: true };
    const mean = c.op("mean", [sum], last);
    const spread = op === "layer_norm" ? c.op("sub", [sum, mean]) : sum;
    const variance = c.op("mean", [c.op("square", [spread])], last);
    const rstd = c.op("rsqrt", [c.op("add", [variance, scalar(c, c.float("epsilon", 1e-5))])]);
    return [normal, mean, rstd, sum];
  };

/** Word, position and segment rows added up, then normalised. */
function embedLayerNorm(c: NodeContext): readonly Value[] {
  const ids = c.in(0);
  const [batch, length] = ids.type.shape as [number, number];
  const rows = (table: Value, index: Value): Value => c.op("embedding", [index, table]);
  const positions =
    c.maybe(8) ?? c.emit.host({ dtype: "i32", dims: [1, length], data: Float64Array.from(range(length)), wide: false });
  const words = c.op("add", [rows(c.in(2), ids), rows(c.in(3), positions)]);
  const sum = c.maybe(1) && c.maybe(4) ? c.op("add", [words, rows(c.in(4), c.in(1))]) : words;
  const normal = c.op("layer_norm", [sum, c.in(5), c.in(6)], { eps: c.float("epsilon", 1e-12) });
  const lengths = (): Value =>
    c.maybe(7) ? c.op("sum", [c.in(7)], { axes: [1], keepdims: false }) : c.filled(0, [batch], "i32");
  return c.node.outputs.length > 1 ? [normal, lengths(), sum] : [normal];
}

/** Groups of channels normalised; the channels are the last axis unless stated otherwise, SiLU may follow. */
function groupNormed(c: NodeContext, x: Value): Value {
  const rank = x.type.shape.length;
  const last = c.int("channels_last", 1) === 1;
  const transposed = (value: Value, perm: readonly number[]): Value =>
    last ? c.op("transpose", [value], { perm }) : value;
  const image = transposed(x, [0, rank - 1, ...range(rank - 1).slice(1)]);
  const normal = c.op("group_norm", [image, c.in(1), c.in(2)], {
    num_groups: c.int("groups", 1),
    eps: c.float("epsilon", 1e-5),
  });
  const lit = c.int("activation", 0) === 1 ? c.op("silu", [normal]) : normal;
  return transposed(lit, [0, ...range(rank).slice(2), 1]);
}

/** input + skip (+ bias), normalised by groups; a skip may be the same for the whole image. */
function skipGroupNorm(c: NodeContext): readonly Value[] {
  const [x, skip, bias] = [c.in(0), c.in(3), c.maybe(4)];
  const { shape } = x.type;
  const last = c.int("channels_last", 1) === 1;
  const channel = last ? shape.length - 1 : 1;
  const flat = skip.type.shape.length === 2;
  const each = flat
    ? c.reshape(
        skip,
        shape.map((n, i) => (i === 0 || i === channel ? n : 1)),
      )
    : skip;
  const skipped = c.op("add", [x, each]);
  const own =
    bias &&
    c.reshape(
      bias,
      shape.slice(channel).map((n, i) => (i === 0 ? n : 1)),
    );
  const sum = own ? c.op("add", [skipped, own]) : skipped;
  return [groupNormed(c, sum), sum];
}

/** A bias over the channels of an image that are its last axis here. */
const biasAdd: Rule = (c) => c.op("add", [c.op("add", [c.in(0), c.in(1)]), c.in(2)]);

/** softmax(x + bias) over the axes from `axis` on. */
function biasSoftmax(c: NodeContext): Value {
  const sum = c.op("add", [c.in(0), c.in(1)]);
  const { shape } = sum.type;
  const axis = c.axis(c.int("axis", 1), shape.length);
  const flat = c.reshape(sum, [...shape.slice(0, axis), shape.slice(axis).reduce((size, n) => size * n, 1)]);
  return c.reshape(c.op("softmax", [flat], { axis }), shape);
}

/** Products of complex numbers, parts along the last axis; the second may be conjugated. */
const complexMul =
  (sign: 1 | -1): Rule =>
  (c) => {
    const parts = (x: Value): [Value, Value] => {
      const axis = x.type.shape.length - 1;
      const [re, im] = [0, 1].map((at) => c.op("slice", [x], { start: [at], stop: [at + 1], axes: [axis] }));
      return [re!, im!];
    };
    const [[a, b], [p, q]] = [parts(c.in(0)), parts(c.in(1))];
    const mul = (x: Value, y: Value): Value => c.op("mul", [x, y]);
    const [re, im] = sign === 1 ? (["sub", "add"] as const) : (["add", "sub"] as const);
    const values = [c.op(re, [mul(a, p), mul(b, q)]), c.op(im, [mul(b, p), mul(a, q)])];
    return c.op("concat", values, { axis: values[0]!.type.shape.length - 1 });
  };

/** Distances of every row of one matrix from every row of another, squared unless stated otherwise. */
function distances(c: NodeContext): Value {
  const [a, b] = [c.in(0), c.in(1)];
  const [[m, k], [n]] = [a.type.shape as [number, number], b.type.shape as [number, number]];
  const apart = c.op("sub", [c.reshape(a, [m, 1, k]), c.reshape(b, [1, n, k])]);
  const squared = c.text("metric", "sqeuclidean") === "sqeuclidean";
  return c.op(squared ? "sum_square" : "l2_norm", [apart], { axes: [2], keepdims: false });
}

function expandDims(c: NodeContext): Value {
  const { shape } = c.in(0).type;
  return c.reshape(c.in(0), shape.toSpliced(c.axis(c.known(1, "axis")[0] ?? 0, shape.length + 1), 0, 1));
}

/** One scale for all, one bias a channel. */
const imageScaler: Rule = (c) => {
  const bias = c.attribute("bias")?.floats ?? [];
  const x = c.op("mul", [c.in(0), scalar(c, c.float("scale", 1))]);
  if (bias.length === 0) return x;
  const shift = c.emit.host({
    dtype: x.type.dtype,
    dims: [bias.length, 1, 1],
    data: Float64Array.from(bias),
    wide: false,
  });
  return c.op("add", [x, shift]);
};

/** What the attribute `activation` does to a result, with its constants. */
function activated(c: NodeContext, x: Value): Value {
  const name = c.text("activation", "").toLowerCase();
  const given = c.attribute("activation_params")?.floats ?? [];
  const constant = (i: number, kind: string): number | null => given[i] ?? c.maybeFloat(`activation_${kind}`);
  const constants = { alpha: constant(0, "alpha"), beta: constant(1, "beta"), gamma: constant(2, "gamma") };
  return name === "" ? x : activationNamed(c, name, constants)(x);
}

/** A convolution, something added, an activation. */
function fusedConv(c: NodeContext): Value {
  const product = conv(c);
  return activated(c, c.maybe(3) ? c.op("add", [product, c.in(3)]) : product);
}

/** Windows of the last axis, a step apart, as rows of their own. */
function unfolded(c: NodeContext): Value {
  const x = c.in(0);
  const { shape } = x.type;
  const axis = c.axis(c.int("dim", -1), shape.length);
  const [size, step] = [c.int("size", 1), c.int("step", 1)];
  const starts = range(Math.floor(((shape[axis] ?? 0) - size) / step) + 1);
  const indices = starts.flatMap((start) => range(size).map((i) => start * step + i));
  const index = c.emit.host({
    dtype: "i32",
    dims: [starts.length, size],
    data: Float64Array.from(indices),
    wide: false,
  });
  const rows = c.op("gather", [x, index], { axis });
  const order = range(shape.length + 1).filter((i) => i !== axis + 1);
  return c.op("transpose", [rows], { perm: [...order, axis + 1] });
}

/** T5's buckets of distances between queries and keys: the near ones each their own, farther ones by their logarithm. */
function relativeBias(c: NodeContext): Value {
  const [queries, keys] = [c.known(1, "query length")[0] ?? 1, c.known(2, "key length")[0] ?? 1];
  const [buckets, heads] = c.in(0).type.shape as [number, number];
  const both = c.int("is_bidirectional", 0) === 1;
  const count = both ? buckets / 2 : buckets;
  const near = Math.floor(count / 2);
  const bucket = (distance: number): number => {
    const [side, away] = both ? [distance > 0 ? count : 0, Math.abs(distance)] : [0, Math.max(-distance, 0)];
    if (away < near) return side + away;
    const far =
      near + Math.floor((Math.log(away / near) / Math.log(c.int("max_distance", 128) / near)) * (count - near));
    return side + Math.min(far, count - 1);
  };
  const indices = range(queries).flatMap((q) => range(keys).map((k) => bucket(k - q)));
  const index = c.emit.host({ dtype: "i32", dims: [queries, keys], data: Float64Array.from(indices), wide: false });
  const rows = c.op("transpose", [c.op("gather", [c.in(0), index], { axis: 0 })], { perm: [2, 0, 1] });
  return c.reshape(rows, [1, heads, queries, keys]);
}

/** Whether no element of any operand is infinite or no number; either may be let pass. */
function allFinite(c: NodeContext): Value {
  const kinds = [c.int("isinf_only", 0) === 1 ? [] : ["is_nan"], c.int("isnan_only", 0) === 1 ? [] : ["is_inf"]].flat();
  const odd = c.inputs.flatMap((x) => kinds.map((kind) => c.op("any", [c.op(kind, [x])])));
  return c.op("not", [odd.reduce((a, b) => c.op("or", [a, b]))]);
}

export const contribRules: Rules = {
  Gelu: (c) => gelu(c, c.in(0), "none"),
  FastGelu: (c) => gelu(c, withBias(c, 1), "tanh"),
  BiasGelu: (c) => gelu(c, withBias(c, 1), "none"),
  QuickGelu: quickGelu,
  BiasSplitGelu: splitGelu,
  BiasAdd: biasAdd,
  BiasSoftmax: biasSoftmax,
  FusedMatMul: fusedMatMul,
  TransposeMatMul: fusedMatMul,
  SkipLayerNormalization: skipNorm("layer_norm"),
  SkipSimplifiedLayerNormalization: skipNorm("rms_norm"),
  EmbedLayerNormalization: embedLayerNorm,
  GroupNorm: (c) => groupNormed(c, c.in(0)),
  SkipGroupNorm: skipGroupNorm,
  ImageScaler: imageScaler,
  ComplexMul: complexMul(1),
  ComplexMulConj: complexMul(-1),
  CDist: distances,
  ExpandDims: expandDims,
  UnfoldTensor: unfolded,
  RelativePositionBias: relativeBias,
  IsAllFinite: allFinite,
  FusedMatMulActivation: (c) => activated(c, fusedMatMul(c)),
  FusedConv: fusedConv,
  FusedGemm: (c) => activated(c, gemm(c)),
  GemmFastGelu: (c) => {
    const product = c.op("matmul", [c.in(0), c.in(1)]);
    return gelu(c, c.maybe(2) ? c.op("add", [product, c.in(2)]) : product, "tanh");
  },
};
