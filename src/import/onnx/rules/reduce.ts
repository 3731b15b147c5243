/** @file Reductions and the normalisations built on them. */
import { sizeOf, type Attrs, type Shape } from "../../../fusion";
import type { Value } from "../emit";
import type { NodeContext, Rule, Rules } from "../rule";

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);

function axesOf(c: NodeContext): readonly number[] | null {
  const rank = c.in(0).type.shape.length;
  const axes = c.knownOr("axes", 1);
  const noop = c.int("noop_with_empty_axes", 0) === 1;
  if (axes && axes.length > 0) return axes.map((axis) => c.axis(axis, rank));
  return noop ? null : range(0, rank);
}

/** What a reduction makes of a single element: over no axes, each is on its own. */
const ALONE: ReadonlyMap<string, string> = new Map([
  ["l1_norm", "abs"],
  ["l2_norm", "abs"],
  ["sum_square", "square"],
]);
const alone = (c: NodeContext, op: string, x: Value): Value => {
  const single = ALONE.get(op);
  return single === undefined ? x : c.op(single, [x]);
};

/** What a fold of truth values is. */
const BOOLEAN: ReadonlyMap<string, string> = new Map([
  ["max", "any"],
  ["min", "all"],
]);

const reduce =
  (
    op: string,
    before: (c: NodeContext, x: Value) => Value = (_, x) => x,
    after: (c: NodeContext, y: Value) => Value = (_, y) => y,
  ): Rule =>
  (c) => {
    const axes = axesOf(c);
    const keepdims = c.int("keepdims", 1) === 1;
    const x = before(c, c.in(0));
    const dtype = c.in(0).type.dtype;
    if (axes === null) return after(c, alone(c, op, x));
    // The largest of no truth values is the smallest there is: false.
    const fold = dtype === "bool" ? (BOOLEAN.get(op) ?? op) : op;
    const folded = axes.length === 0 ? alone(c, op, x) : c.op(fold, [x], { axes, keepdims });
    const result = after(c, folded);
    return c.cast(result, dtype);
  };

const arg =
  (op: string): Rule =>
  (c) => {
    const x = c.in(0);
    const axis = c.axis(c.int("axis", 0), x.type.shape.length);
    const keepdims = c.int("keepdims", 1) === 1;
    if (c.int("select_last_index", 0) === 0) return c.op(op, [x], { axes: [axis], keepdims });
    const first = c.op(op, [c.op("flip", [x], { axes: [axis] })], { axes: [axis], keepdims });
    return c.op("sub", [c.emit.ints([x.type.shape[axis]! - 1], true), first]);
  };

/** Before opset 13 softmax flattened everything from `axis` on. */
const softmax =
  (op: string): Rule =>
  (c) => {
    const x = c.in(0);
    const { shape } = x.type;
    const axis = c.axis(c.int("axis", c.opset >= 13 ? -1 : 1), shape.length);
    if (c.opset >= 13 || axis === shape.length - 1) return c.op(op, [x], { axis });
    const flat = c.reshape(x, [sizeOf(shape.slice(0, axis)), sizeOf(shape.slice(axis))]);
    return c.reshape(c.op(op, [flat], { axis: 1 }), shape);
  };

const hardmax: Rule = (c) => {
  const x = c.in(0);
  const { shape } = x.type;
  const axis = c.axis(c.int("axis", c.opset >= 13 ? -1 : 1), shape.length);
  const flat = c.opset >= 13 ? x : c.reshape(x, [sizeOf(shape.slice(0, axis)), sizeOf(shape.slice(axis))]);
  const at = c.opset >= 13 ? axis : 1;
  const first = c.op("argmax", [flat], { axes: [at], keepdims: true });
  const indices = c.emit.host({
    dtype: "i32",
    dims: flat.type.shape.map((extent, i) => (i === at ? extent : 1)),
    data: Float64Array.from(range(0, flat.type.shape[at]!)),
    wide: false,
  });
  return c.reshape(c.cast(c.op("eq", [indices, first]), x.type.dtype), shape);
};

const isOf = (value: Value | null, shape: Shape): boolean =>
  !value || (value.type.shape.length === shape.length && value.type.shape.every((extent, i) => extent === shape[i]));

/** The attributes of a norm over the last axes, of this shape. */
const normOf = (shape: Shape, eps: number): Attrs => ({
  eps,
  ...(shape.length > 1 ? { normalized_shape: shape } : {}),
});

/** LayerNormalization: `axis` and all after it; mean and 1/σ on demand. */
function layerNorm(c: NodeContext): readonly Value[] {
  // stash_type 1: the model converts x to f32 before it takes moments.
  const x = c.int("stash_type", 1) === 1 ? c.emit.settled("x", c.in(0)) : c.in(0);
  const { shape } = x.type;
  const axes = range(c.axis(c.int("axis", -1), shape.length), shape.length);
  const epsilon = c.float("epsilon", 1e-5);
  const normalized = axes.map((axis) => shape[axis]!);
  if (c.node.outputs.filter((name) => name !== "").length <= 1) {
    if (isOf(c.maybe(1), normalized) && isOf(c.maybe(2), normalized))
      return [c.op("layer_norm", [x, c.maybe(1), c.maybe(2)], normOf(normalized, epsilon))];
  }
  const mean = c.op("mean", [x], { axes, keepdims: true });
  const centred = c.op("sub", [x, mean]);
  const variance = c.op("mean", [c.op("square", [centred])], { axes, keepdims: true });
  const rstd = c.op("rsqrt", [c.op("add", [variance, c.emit.scalar(epsilon, x.type.dtype)])]);
  const unit = c.op("mul", [centred, rstd]);
  const weighted = c.maybe(1) ? c.op("mul", [unit, c.in(1)]) : unit;
  return [c.maybe(2) ? c.op("add", [weighted, c.in(2)]) : weighted, mean, rstd];
}

function rmsNorm(c: NodeContext): Value {
  c.implied("stash_type");
  const x = c.in(0);
  const axes = range(c.axis(c.int("axis", -1), x.type.shape.length), x.type.shape.length);
  const epsilon = c.float("epsilon", 1e-5);
  const normalized = axes.map((axis) => x.type.shape[axis]!);
  if (isOf(c.maybe(1), normalized)) return c.op("rms_norm", [x, c.maybe(1)], normOf(normalized, epsilon));
  const square = c.op("mean", [c.op("square", [x])], { axes, keepdims: true });
  const rms = c.op("sqrt", [c.op("add", [square, c.emit.scalar(epsilon, x.type.dtype)])]);
  const unit = c.op("div", [x, rms]);
  return c.maybe(1) ? c.op("mul", [unit, c.in(1)]) : unit;
}

/** One value a channel, to meet [N, C, …]. */
const channelwise = (c: NodeContext, v: Value, rank: number): Value =>
  // One for each activation, as `spatial=0` has it, meets [N, C, …] as it is.
  v.type.shape.length > 1 ? v : c.reshape(v, [v.type.shape[0] ?? 1, ...range(2, rank).map(() => 1)]);

function normalised(c: NodeContext, x: Value, axes: readonly number[], epsilon: number): Value {
  const centred = c.op("sub", [x, c.op("mean", [x], { axes, keepdims: true })]);
  const variance = c.op("mean", [c.op("square", [centred])], { axes, keepdims: true });
  return c.op("div", [centred, c.op("sqrt", [c.op("add", [variance, c.emit.scalar(epsilon, x.type.dtype)])])]);
}

const affine = (c: NodeContext, x: Value, scale: Value, shift: Value): Value =>
  c.op("add", [
    c.op("mul", [x, channelwise(c, scale, x.type.shape.length)]),
    channelwise(c, shift, x.type.shape.length),
  ]);

function batchNorm(c: NodeContext): readonly Value[] {
  const x = c.in(0);
  const rank = x.type.shape.length;
  const epsilon = c.float("epsilon", 1e-5);
  const each = c.int("spatial", 1) === 0;
  if (each && c.int("training_mode", 0) !== 0) return [c.fail("training with spatial=0")];
  if (c.int("training_mode", 0) === 0) {
    if (!each) return [c.op("batch_norm", [x, c.in(3), c.in(4), c.in(1), c.in(2)], { eps: epsilon })];
    const deviation = c.op("sqrt", [c.op("add", [c.in(4), c.emit.scalar(epsilon, x.type.dtype)])]);
    const unit = c.op("div", [c.op("sub", [x, channelwise(c, c.in(3), rank)]), channelwise(c, deviation, rank)]);
    return [affine(c, unit, c.in(1), c.in(2))];
  }
  const axes = [0, ...range(2, rank)];
  const momentum = c.float("momentum", 0.9);
  const mean = c.op("mean", [x], { axes, keepdims: false });
  const centred = c.op("sub", [x, channelwise(c, mean, rank)]);
  const variance = c.op("mean", [c.op("square", [centred])], { axes, keepdims: false });
  const deviation = c.op("sqrt", [c.op("add", [variance, c.emit.scalar(epsilon, x.type.dtype)])]);
  const running = (old: Value, fresh: Value): Value =>
    c.op("add", [c.op("mul", [old, c.emit.scalar(momentum)]), c.op("mul", [fresh, c.emit.scalar(1 - momentum)])]);
  return [
    affine(c, c.op("div", [centred, channelwise(c, deviation, rank)]), c.in(1), c.in(2)),
    running(c.in(3), mean),
    running(c.in(4), variance),
  ];
}

const instanceNorm: Rule = (c) => c.op("instance_norm", [c.in(0), c.in(1), c.in(2)], { eps: c.float("epsilon", 1e-5) });

function groupNorm(c: NodeContext): Value {
  c.implied("stash_type");
  const x = c.in(0);
  const [n, channels, ...rest] = x.type.shape as [number, number, ...number[]];
  const groups = c.int("num_groups", 1);
  const unit = normalised(
    c,
    c.reshape(x, [n, groups, (channels / groups) * sizeOf(rest)]),
    [2],
    c.float("epsilon", 1e-5),
  );
  if (c.opset >= 21) return affine(c, c.reshape(unit, x.type.shape), c.in(1), c.in(2));
  const wide = c.reshape(unit, [n, groups, channels / groups, sizeOf(rest)]);
  const each = (v: Value): Value => c.reshape(v, [groups, 1, 1]);
  return c.reshape(c.op("add", [c.op("mul", [wide, each(c.in(1))]), each(c.in(2))]), x.type.shape);
}

const lpNormalization: Rule = (c) => {
  const axes = [c.axis(c.int("axis", -1), c.in(0).type.shape.length)];
  const norm = c.op(c.int("p", 2) === 1 ? "l1_norm" : "l2_norm", [c.in(0)], { axes, keepdims: true });
  const zero = c.emit.scalar(0, c.in(0).type.dtype);
  return c.op("where", [c.op("eq", [norm, zero]), zero, c.op("div", [c.in(0), norm])]);
};

const meanVariance: Rule = (c) => normalised(c, c.in(0), c.ints("axes") ?? [0, 2, 3], 1e-9);

export const reduceRules: Rules = {
  ReduceSum: reduce("sum"),
  ReduceMean: reduce("mean"),
  ReduceMax: reduce("max"),
  ReduceMin: reduce("min"),
  ReduceProd: reduce("prod"),
  ReduceL1: reduce("l1_norm"),
  ReduceL2: reduce("l2_norm"),
  ReduceSumSquare: reduce("sum_square"),
  ReduceLogSum: reduce("sum", undefined, (c, y) => c.op("log", [y])),
  ReduceLogSumExp: reduce("logsumexp"),
  ArgMax: arg("argmax"),
  ArgMin: arg("argmin"),
  Softmax: softmax("softmax"),
  LogSoftmax: softmax("log_softmax"),
  Hardmax: hardmax,
  LayerNormalization: layerNorm,
  RMSNormalization: rmsNorm,
  SimplifiedLayerNormalization: rmsNorm,
  BatchNormalization: batchNorm,
  InstanceNormalization: instanceNorm,
  GroupNormalization: groupNorm,
  LpNormalization: lpNormalization,
  MeanVarianceNormalization: meanVariance,
};
