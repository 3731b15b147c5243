/** @file What the pools share: their windows over the last axes, and how many real elements each window holds. */
import { showShape, type Attrs, type NodeId, type Shape, type TensorType } from "../ir";
import { perAxis } from "./convolution";
import type { GraphBuilder, Param } from "./define";
import { isAbsent } from "./indices";
import { numbersOf, wrong, type Failed } from "./shapes";
import { eachAxis, paddingOf, reachOf } from "./windows";

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
  const ones = b.op("ones", "expand", [b.scalar(1, dtype)], { shape });
  const pads = axes.toReversed().flatMap(({ before, after }) => [before, after]);
  const counted = withBorder && bordered ? b.op("bordered", "pad", [ones], { pads, mode: "constant", value: 1 }) : ones;
  const held = poolWindows(b, counted, axes, 0, withBorder);
  const count = b.op("count", "sum", [held], fold);
  return b.op("mean", "div", [sum, count]);
}
