/** @file What the pools share: their windows over the last axes, and how many real elements each window holds. */
import { showShape, type Attrs, type NodeId, type Shape, type TensorType } from "../ir";
import { perAxis } from "./convolution";
import type { GraphBuilder, Param } from "./define";
import { isAbsent } from "./indices";
import { numbersOf, wrong, type Failed } from "./shapes";
import { eachAxis, paddingOf, reachOf, windowCount } from "./windows";

export const KERNEL: Param = {
  names: ["kernel_size", "kernel_shape"],
  kind: "ints",
  doc: "Size of the window along each of the last axes.",
};
export const POOL_STRIDE: Param = {
  names: ["stride", "strides"],
  kind: "ints",
  default: null,
  doc: "From one window to the next; the window's size when left out.",
};
export const POOL_DILATION = perAxis(["dilation", "dilations"], 1, "From one tap to the next.");
export const CEIL: Param = {
  names: ["ceil_mode"],
  kind: "bool",
  default: false,
  doc: "Also include a last window that extends past the end.",
};

interface PoolAxis {
  readonly kernel: number;
  readonly stride: number;
  readonly dilation: number;
  readonly before: number;
  readonly after: number;
  /** By how much the last window of ceil_mode sticks out. */
  readonly beyond: number;
}

/** Spatial axes: as many as the kernel names; all but batch and channels when it is one number. */
const rankOf = (attrs: Attrs, x: Shape): number => {
  const given = numbersOf(attrs["kernel_size"]).length;
  return given > 1 ? given : Math.max(1, x.length - 2);
};

export function poolAxes(x: Shape, attrs: Attrs): PoolAxis[] {
  const rank = rankOf(attrs, x);
  const kernel = eachAxis(attrs["kernel_size"], rank, 1);
  const stride = isAbsent(attrs["stride"]) ? kernel : eachAxis(attrs["stride"], rank, 1);
  const dilation = eachAxis(attrs["dilation"], rank, 1);
  return paddingOf(attrs["padding"], rank).map(({ before, after }, axis) => {
    const own = { kernel: kernel[axis]!, stride: stride[axis]!, dilation: dilation[axis]!, before, after };
    const slack = x[x.length - rank + axis]! + before + after - reachOf(own);
    let steps = Math.floor(slack / own.stride);
    // A window that would begin behind the last element is dropped.
    if (
      attrs["ceil_mode"] === true &&
      slack % own.stride !== 0 &&
      (steps + 1) * own.stride < x[x.length - rank + axis]! + before
    )
      steps++;
    return { ...own, beyond: Math.max(0, steps * own.stride - slack) };
  });
}

export function checkPool([x]: readonly (TensorType | null)[], attrs: Attrs, names: readonly string[]): Failed | null {
  const rank = rankOf(attrs, x!.shape);
  if (x!.shape.length >= rank) return null;
  return wrong("shape-mismatch", `${names[0]} is ${showShape(x!.shape)}: the window has ${rank} axes.`);
}

/** PyTorch has no window that lies wholly in the border. */
export function refusedPadding(attrs: Attrs, [x]: readonly Shape[]): string | null {
  const half = ({ kernel, dilation }: PoolAxis): number => Math.floor(((kernel - 1) * dilation + 1) / 2);
  const over = poolAxes(x!, attrs).find((axis) => Math.max(axis.before, axis.after) > half(axis));
  if (!over) return null;
  return `PyTorch refuses a border wider than half a window: padding is ${Math.max(over.before, over.after)}, and half a window of ${over.kernel} is ${half(over)}.`;
}

/** Axes of a pool's windows that hold the taps. */
export const tapAxes = (x: Shape, attrs: Attrs): number[] => {
  const rank = rankOf(attrs, x);
  return Array.from({ length: rank }, (_, axis) => x.length - rank + axis);
};

/** [lead…, taps…, positions…]; what lies outside is `value`. `padded`: x carries its own border already. */
export function poolWindows(
  b: GraphBuilder,
  x: NodeId,
  axes: readonly PoolAxis[],
  value: number,
  padded = false,
): NodeId {
  const around = [...axes.map((a) => (padded ? 0 : a.before)), ...axes.map((a) => (padded ? 0 : a.after) + a.beyond)];
  return b.op(padded ? "shares" : "windows", "window", [x], {
    kernel_size: axes.map((a) => a.kernel),
    stride: axes.map((a) => a.stride),
    dilation: axes.map((a) => a.dilation),
    padding: around,
    value,
  });
}

/** Sum of each window by the number of elements it holds: those of x, or of x with its border when `withBorder`. */
export function windowMean(b: GraphBuilder, x: NodeId, attrs: Attrs, withBorder: boolean): NodeId {
  const { dtype, shape } = b.typeOf(x);
  const axes = poolAxes(shape, attrs);
  const fold = { axes: tapAxes(shape, attrs), keepdims: false };
  const windows = poolWindows(b, x, axes, 0);
  const bordered = axes.some(({ before, after }) => before !== 0 || after !== 0);
  if (axes.every(({ beyond }) => beyond === 0) && (withBorder || !bordered))
    return b.op("mean", "mean", [windows], fold);
  const sum = b.op("sum", "sum", [windows], fold);
  const counts = axes.map((axis, at) => elementsAlong(b, axis, { at, rank: axes.length, shape, withBorder }));
  const counted = counts.reduce((product, each) => b.op("count", "mul", [product, each]));
  return b.op("mean", "div", [sum, b.op("held", "cast", [counted], { dtype })]);
}

interface Held {
  /** Which of the windowed axes, of how many. */
  readonly at: number;
  readonly rank: number;
  readonly shape: Shape;
  readonly withBorder: boolean;
}

/** Elements that the windows hold along one axis, [windows] with an axis of one for each axis behind it: where each ends less where it begins. */
function elementsAlong(b: GraphBuilder, axis: PoolAxis, { at, rank, shape, withBorder }: Held): NodeId {
  const { kernel, stride, dilation, before, after, beyond } = axis;
  const extent = shape[shape.length - rank + at]!;
  const windows = windowCount(extent, { ...axis, interior: 1, after: after + beyond });
  const [start, end] = withBorder ? [0, extent + before + after] : [-before, extent];
  const int = (value: number): NodeId => b.scalar(value, "i32");
  const op = (name: string, x: NodeId, by: number): NodeId => b.op(name, name, [x, int(by)]);
  const at0 = b.op("first", "iota", [], { start, stop: start + windows * stride, step: stride });
  // The first tap that is not before the first element, and the first that is behind the last: the smallest t of t·d ≥ −p, and of t·d ≥ end − p.
  const taps = (edge: number): NodeId =>
    dilation === 1
      ? b.op("from", "sub", [int(edge), at0])
      : op("floor_div", b.op("from", "sub", [int(edge + dilation - 1), at0]), dilation);
  const first = op("maximum", taps(0), 0);
  const last = op("minimum", taps(end), kernel);
  const taken = b.op("taps", "sub", [last, first]);
  // Only a window that lies wholly in the border ends before it begins.
  const reach = dilation * kernel;
  const held = before <= reach && after + beyond <= reach ? taken : op("maximum", taken, 0);
  const behind = Array.from({ length: rank - at - 1 }, () => 1);
  return behind.length === 0 ? held : b.op("along", "reshape", [held], { shape: [windows, ...behind] });
}
