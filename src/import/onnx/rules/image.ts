/** @file Images: resizing, borders cut or added, neighbouring channels. */
import type { Value } from "../emit";
import type { NodeContext, Rule, Rules } from "../rule";
import { range } from "./arithmetic";

/** One tap of an interpolation: for each output position an input index and a weight. */
interface Tap {
  readonly indices: readonly number[];
  readonly weights: readonly number[];
}

/** Where output position `at` of `to` lies among `from` input positions, in f32: at a half, rounding decides which element is nearest. */
function sourcePosition(
  mode: string,
  at: number,
  from: number,
  to: number,
  scale: number,
  roi: readonly number[],
): number {
  const f = Math.fround;
  const half = f(f((at + 0.5) / scale) - 0.5);
  switch (mode) {
    case "asymmetric":
      return f(at / scale);
    case "align_corners":
      return to === 1 ? 0 : f((at * (from - 1)) / (to - 1));
    case "pytorch_half_pixel":
      return to > 1 ? half : 0;
    case "tf_half_pixel_for_nn":
      return f((at + 0.5) / scale);
    case "half_pixel_symmetric":
      return f(f((from / 2) * f(1 - f(to / f(scale * from)))) + half);
    case "tf_crop_and_resize": {
      const [start, end] = roi as [number, number];
      return to > 1
        ? f(f(start * (from - 1)) + f(f(at * f(end - start) * (from - 1)) / (to - 1)))
        : f(0.5 * f(start + end) * (from - 1));
    }
    default:
      return half;
  }
}

function nearest(mode: string, position: number): number {
  if (mode === "floor") return Math.floor(position);
  if (mode === "ceil") return Math.ceil(position);
  const half = position - Math.floor(position) === 0.5;
  if (mode === "round_prefer_ceil") return Math.floor(position + 0.5);
  return half ? Math.floor(position) : Math.round(position);
}

/** Weights of the four neighbours at distance `d` from the second (Keys' cubic with parameter a). */
function cubicWeights(d: number, a: number): number[] {
  const near = (x: number): number => ((a + 2) * x - (a + 3)) * x * x + 1;
  const far = (x: number): number => ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return [far(1 + d), near(d), near(1 - d), far(2 - d)];
}

/** Antialiased weights stretch with the step between samples when an image shrinks. */
function stretched(
  kernel: (x: number) => number,
  reach: number,
  position: number,
  scale: number,
): { first: number; weights: number[] } {
  const step = Math.min(scale, 1);
  const [first, last] = [Math.floor(position - reach / step) + 1, Math.ceil(position + reach / step) - 1];
  const weights = range(Math.max(1, last - first + 1)).map((i) => kernel(Math.abs((first + i - position) * step)));
  const sum = weights.reduce((a, b) => a + b, 0);
  return { first, weights: weights.map((w) => w / sum) };
}

interface Kernel {
  readonly mode: string;
  readonly nearestMode: string;
  readonly cubic: number;
  readonly outside: boolean;
  readonly antialias: boolean;
}

/** Taps along one axis; positions outside the input are moved to its ends, or their weights dropped when `outside` excludes them. */
function tapsOf(positions: readonly number[], from: number, scale: number, k: Kernel): Tap[] {
  const linear = (x: number): number => Math.max(0, 1 - x);
  const keys = (x: number): number =>
    x >= 2 ? 0 : x >= 1 ? cubicWeights(x - 1, k.cubic)[0]! : cubicWeights(x, k.cubic)[1]!;
  const rows = positions.map((position) => {
    if (k.mode === "nearest") return { first: nearest(k.nearestMode, position), weights: [1] };
    if (k.antialias && scale < 1)
      return stretched(k.mode === "cubic" ? keys : linear, k.mode === "cubic" ? 2 : 1, position, scale);
    const low = Math.floor(position);
    const d = position - low;
    return k.mode === "cubic"
      ? { first: low - 1, weights: cubicWeights(d, k.cubic) }
      : { first: low, weights: [1 - d, d] };
  });
  const count = Math.max(...rows.map(({ weights }) => weights.length));
  const within = (at: number): boolean => at >= 0 && at < from;
  const bounded = rows.map(({ first, weights }) => {
    if (!k.outside) return { first, weights };
    const own = weights.map((w, i) => (within(first + i) ? w : 0));
    const sum = own.reduce((a, b) => a + b, 0);
    return { first, weights: own.map((w) => w / sum) };
  });
  return range(count).map((tap) => ({
    indices: bounded.map(({ first }) => Math.min(Math.max(first + tap, 0), from - 1)),
    weights: bounded.map(({ weights }) => weights[tap] ?? 0),
  }));
}

/** One axis of `x` interpolated: Σ over taps of weight · x[index]. */
function interpolated(c: NodeContext, x: Value, axis: number, taps: readonly Tap[]): Value {
  const { dtype } = x.type;
  const rank = x.type.shape.length;
  const terms = taps.flatMap(({ indices, weights }) => {
    if (weights.every((weight) => weight === 0)) return [];
    const part = c.op("gather", [x, c.emit.ints(indices)], { axis });
    if (weights.every((weight) => weight === 1)) return [part];
    const dims = range(rank).map((i) => (i === axis ? weights.length : 1));
    return [c.op("mul", [part, c.emit.host({ dtype, dims, data: Float64Array.from(weights), wide: false })])];
  });
  return terms.reduce((sum, term) => c.op("add", [sum, term]));
}

interface Sizes {
  readonly axes: readonly number[];
  readonly sizes: readonly number[];
  readonly scales: readonly number[];
}

/** Target sizes and scales over the named axes, by the rule for the aspect ratio. */
function targets(c: NodeContext): Sizes {
  const { shape } = c.in(0).type;
  const axes = (c.ints("axes") ?? range(shape.length)).map((axis) => c.axis(axis, shape.length));
  const [at, sized] = c.node.op === "Upsample" || c.opset < 11 ? [1, 9] : [2, 3];
  const given =
    c.maybe(at) && c.in(at).type.shape[0] !== 0 ? c.known(at, "scales") : (c.attribute("scales")?.floats ?? []);
  if (given.length > 0)
    return { axes, scales: given, sizes: axes.map((axis, i) => Math.floor(Math.fround(shape[axis]! * given[i]!))) };
  const asked = c.maybe(sized) ? c.known(sized, "sizes") : [];
  if (asked.length === 0) return { axes, scales: axes.map(() => 1), sizes: axes.map((axis) => shape[axis]!) };
  const ratios = asked.map((size, i) => Math.fround(size / shape[axes[i]!]!));
  const policy = c.text("keep_aspect_ratio_policy", "stretch");
  if (policy === "stretch") return { axes, sizes: asked, scales: ratios };
  const ratio = policy === "not_larger" ? Math.min(...ratios) : Math.max(...ratios);
  return { axes, scales: axes.map(() => ratio), sizes: axes.map((axis) => Math.floor(shape[axis]! * ratio + 0.5)) };
}

function resize(c: NodeContext): Value {
  // Each belongs to some modes; others leave it alone.
  c.implied("extrapolation_value", "keep_aspect_ratio_policy");
  const { axes, sizes, scales } = targets(c);
  const old = c.node.op === "Upsample" || c.opset < 11;
  const transform = c.text("coordinate_transformation_mode", old ? "asymmetric" : "half_pixel");
  const kernel: Kernel = {
    mode: c.text("mode", "nearest"),
    nearestMode: c.text("nearest_mode", old ? "floor" : "round_prefer_floor"),
    cubic: c.float("cubic_coeff_a", -0.75),
    outside: c.int("exclude_outside", 0) === 1,
    antialias: c.int("antialias", 0) === 1,
  };
  const crops = transform === "tf_crop_and_resize";
  const roi = crops ? c.known(1, "region") : [];
  let value = c.in(0);
  let outside: Value | null = null;
  for (const [i, axis] of axes.entries()) {
    const [from, to] = [c.in(0).type.shape[axis]!, sizes[i]!];
    const own = crops ? [roi[i]!, roi[axes.length + i]!] : [0, 1];
    if (from === to && scales[i] === 1 && !(crops && (own[0] !== 0 || own[1] !== 1))) continue;
    const positions = range(to).map((at) => sourcePosition(transform, at, from, to, scales[i]!, own));
    // Opset 10 knew no rounding modes: what shrinks took the next element.
    const rounded = c.opset === 10 && scales[i]! < 1 ? { ...kernel, nearestMode: "ceil" } : kernel;
    value = interpolated(c, value, axis, tapsOf(positions, from, scales[i]!, rounded));
    if (!crops || positions.every((position) => position >= 0 && position <= from - 1)) continue;
    const dims = range(c.in(0).type.shape.length).map((other) => (other === axis ? to : 1));
    const flags = Float64Array.from(positions, (position) => Number(position < 0 || position > from - 1));
    const flag = c.emit.host({ dtype: "bool", dims, data: flags, wide: false });
    outside = outside ? c.op("or", [outside, flag]) : flag;
  }
  if (!outside) return value;
  return c.op("where", [outside, c.emit.scalar(c.float("extrapolation_value", 0), value.type.dtype), value]);
}

/** The middle of each axis: cut where it is too long, zeros around it where it is too short. */
function centerCropPad(c: NodeContext): Value {
  const { shape } = c.in(0).type;
  const axes = (c.ints("axes") ?? range(shape.length)).map((axis) => c.axis(axis, shape.length));
  const wanted = c.known(1, "shape");
  let value = c.in(0);
  for (const [i, axis] of axes.entries()) {
    const [from, to] = [shape[axis]!, wanted[i] ?? shape[axis]!];
    if (to < from) {
      const start = Math.floor((from - to) / 2);
      value = c.op("slice", [value], { start: [start], stop: [start + to], axes: [axis] });
    } else if (to > from) {
      const before = Math.floor((to - from) / 2);
      const pads = range(shape.length - axis).flatMap((k) =>
        k === shape.length - 1 - axis ? [before, to - from - before] : [0, 0],
      );
      value = c.op("pad", [value], { pads, mode: "constant", value: 0 });
    }
  }
  return value;
}

/** Of an even number of channels ONNX takes one more behind, PyTorch one more before. */
const lrn: Rule = (c) => {
  const size = c.int("size", 1);
  return c.op("local_response_norm", [c.in(0)], {
    size,
    alpha: c.float("alpha", 1e-4),
    beta: c.float("beta", 0.75),
    k: c.float("bias", 1),
    ...(size % 2 === 0 ? { before: Math.floor((size - 1) / 2) } : {}),
  });
};

/** Crop of the first opsets: a border on the left, top, right and bottom, or a size from the left top corner on. */
function crop(c: NodeContext): Value {
  const x = c.in(0);
  const [height, width] = [x.type.shape.at(-2) ?? 0, x.type.shape.at(-1) ?? 0];
  const [left = 0, top = 0, right = 0, bottom = 0] = c.ints("border") ?? [];
  const size = c.ints("scale");
  const stop = size && size.length === 2 ? [top + size[0]!, left + size[1]!] : [height - bottom, width - right];
  if (left < 0 || top < 0 || stop[0]! > height || stop[1]! > width || stop[0]! <= top || stop[1]! <= left)
    return c.fail("a border that leaves nothing");
  return c.op("slice", [x], { start: [top, left], stop, axes: [-2, -1] });
}

export const imageRules: Rules = {
  Crop: crop,
  LRN: lrn,
  Resize: resize,
  Upsample: resize,
  CenterCropPad: centerCropPad,
};
