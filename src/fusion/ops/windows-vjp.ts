/** @file The derivative of sliding windows: what each tap of each window saw is added to where it lies. */
import { type NodeId, type Shape } from "../ir";
import type { DerivativeContext } from "./define";
import { reachOf, windowAxes, type WindowAxis } from "./windows";

/** With more, taps are no terms of their own: the sum of their views is one reduction an axis. */
const MOST_TERMS = 256;

/** Adds a cotangent of windows, [lead…, taps…, windows…], to the elements that the taps saw: one shifted and spread view of it for each tap, one view for all where windows tile the axes. */
export function windowsVjp(context: DerivativeContext, cotangent: NodeId): NodeId {
  const {
    inputs: [x],
    attrs,
    typeOf,
    of,
  } = context;
  const { shape } = typeOf(x!);
  const axes = windowAxes(attrs);
  const lead = shape.length - axes.length;
  const seen = typeOf(cotangent).shape;
  const windows = seen.slice(lead + axes.length);
  if (axes.every((axis, i) => tiles(axis, windows[i]!, shape[lead + i]!))) {
    // Every element lies in one window: nothing is added, elements only move back.
    const perm = [...seen.keys()].slice(0, lead);
    for (const i of axes.keys()) perm.push(lead + axes.length + i, lead + i);
    return of("reshape", [of("transpose", [cotangent], { perm })], { shape });
  }
  const alike = ofAllTaps(context, cotangent, axes);
  if (alike) return windowsOfWindows(context, alike, axes, shape);
  const taps = axes.reduce((count, { kernel }) => count * kernel, 1);
  if (taps > MOST_TERMS) return axisByAxis(context, cotangent, axes, shape);
  let sum: NodeId | null = null;
  for (let tap = 0; tap < taps; tap++) {
    let rest = tap;
    const at = axes.map(() => 0);
    for (let i = axes.length - 1; i >= 0; i--) {
      at[i] = rest % axes[i]!.kernel;
      rest = Math.floor(rest / axes[i]!.kernel);
    }
    if (!axes.every((axis, i) => sees(axis, at[i]!, windows[i]!, shape[lead + i]!))) continue;
    const start = seen.map((_, i) => (i >= lead && i < lead + axes.length ? at[i - lead]! : 0));
    const stop = seen.map((extent, i) => (i >= lead && i < lead + axes.length ? at[i - lead]! + 1 : extent));
    const one = of("reshape", [of("slice", [cotangent], { start, stop })], {
      shape: [...seen.slice(0, lead), ...windows],
    });
    const before = axes.map(({ dilation, before: own }, i) => at[i]! * dilation - own);
    const after = axes.map(
      ({ interior, stride }, i) => (shape[lead + i]! - 1) * interior - (windows[i]! - 1) * stride - before[i]!,
    );
    const spread = of("window", [one], {
      kernel_size: axes.map(() => 1),
      stride: axes.map(({ interior }) => interior),
      interior: axes.map(({ stride }) => stride),
      padding: [...before, ...after],
    });
    const term = of("reshape", [spread], { shape });
    sum = sum === null ? term : of("add", [sum, term]);
  }
  return sum ?? of("expand", [0], { shape });
}

/** A cotangent that is the same for all taps of a window, as that of their sum or mean is: what it is for each window, [lead…, windows…], and by what it is scaled. */
function ofAllTaps(
  context: DerivativeContext,
  cotangent: NodeId,
  axes: readonly WindowAxis[],
): { readonly value: NodeId; readonly scale: number } | null {
  const { node, typeOf, of, literal } = context;
  const { op, inputs } = node(cotangent);
  if (op === "mul") {
    const at = inputs.findIndex((id) => literal(id) !== null);
    const scaled = at < 0 ? null : ofAllTaps(context, inputs[1 - at]!, axes);
    return scaled && { value: scaled.value, scale: scaled.scale * literal(inputs[at]!)! };
  }
  if (op !== "expand") return null;
  const { shape } = typeOf(cotangent);
  const given = typeOf(inputs[0]!).shape;
  const rank = axes.length;
  const lead = shape.length - 2 * rank;
  const once = (extent: number, i: number): boolean => extent === (i >= lead && i < lead + rank ? 1 : shape[i]);
  if (given.length !== shape.length || !given.every(once)) return null;
  return { value: of("reshape", [inputs[0]!], { shape: [...shape.slice(0, lead), ...shape.slice(-rank)] }), scale: 1 };
}

/** Sums of windows over the sums' cotangent, run backwards: what was a stride lies between its elements, and the reverse. */
function windowsOfWindows(
  { of, typeOf }: DerivativeContext,
  { value, scale }: { readonly value: NodeId; readonly scale: number },
  axes: readonly WindowAxis[],
  shape: Shape,
): NodeId {
  const lead = shape.length - axes.length;
  const windows = typeOf(value).shape;
  const before = axes.map((axis) => reachOf(axis) - 1 - axis.before);
  const after = axes.map((axis, i) => {
    const spread = (windows[lead + i]! - 1) * axis.stride + 1;
    return (shape[lead + i]! - 1) * axis.interior + reachOf(axis) - spread - before[i]!;
  });
  const seen = of("window", [value], {
    kernel_size: axes.map(({ kernel }) => kernel),
    stride: axes.map(({ interior }) => interior),
    dilation: axes.map(({ dilation }) => dilation),
    interior: axes.map(({ stride }) => stride),
    padding: [...before, ...after],
  });
  const sum = of("sum", [seen], { axes: axes.map((_, i) => lead + i), keepdims: false });
  return scale === 1 ? sum : of("mul", [sum, scale]);
}

/** The taps and windows of one axis after the other become its elements. */
function axisByAxis(context: DerivativeContext, cotangent: NodeId, axes: readonly WindowAxis[], shape: Shape): NodeId {
  const lead = shape.length - axes.length;
  return axes.reduce((value, axis, i) => {
    // [lead…, axes that are done…, taps…, windows…]: of those that are left, the first.
    const rest = axes.length - i;
    const now = context.typeOf(value).shape;
    const perm = [...now.keys()].filter((at) => at !== lead + i && at !== lead + i + rest);
    const last = context.of("transpose", [value], { perm: [...perm, lead + i, lead + i + rest] });
    const added = addedAlong(context, last, axis, shape[lead + i]!);
    const back = [...perm.keys()];
    back.splice(lead + i, 0, perm.length);
    return context.of("transpose", [added], { perm: back });
  }, cotangent);
}

/** [rows…, taps, windows] → [rows…, extent]. Taps a stride apart see the same elements, one window later: shifted by their number, they are added. */
function addedAlong(
  { of, typeOf }: DerivativeContext,
  value: NodeId,
  { kernel, stride, dilation, before, interior }: WindowAxis,
  extent: number,
): NodeId {
  const rows = typeOf(value).shape.slice(0, -2);
  const windows = typeOf(value).shape.at(-1)!;
  const none = rows.map(() => 0);
  // Taps at a distance of 1, as many as a whole number of strides.
  const reach = dilation * (kernel - 1) + 1;
  const over = Math.ceil(reach / stride);
  const spread = of("window", [value], {
    kernel_size: [1, 1],
    interior: [dilation, 1],
    padding: [0, 0, over * stride - reach, over],
  });
  // Row number a of the shifted ones begins a later: each is one shorter than it was padded to, so that what lies behind it is its border.
  const long = windows + over;
  const flat = of("transpose", [of("reshape", [spread], { shape: [...rows, over, stride, long] })], {
    perm: [...rows.keys(), rows.length + 1, rows.length, rows.length + 2],
  });
  const cut = of("slice", [of("reshape", [flat], { shape: [...rows, stride, over * long] })], {
    start: [...none, 0, 0],
    stop: [...rows, stride, over * (long - 1)],
  });
  const shifted = of("reshape", [cut], { shape: [...rows, stride, over, long - 1] });
  const sum = of("sum", [shifted], { axes: [rows.length + 1], keepdims: false });
  const swapped = of("transpose", [sum], { perm: [...rows.keys(), rows.length + 1, rows.length] });
  const along = of("reshape", [swapped], { shape: [...rows, (long - 1) * stride] });
  const end = (extent - 1) * interior + 1;
  return of(
    "reshape",
    [
      of("window", [along], {
        kernel_size: [1],
        stride: [interior],
        padding: [-before, before + end - (long - 1) * stride],
      }),
    ],
    { shape: [...rows, extent] },
  );
}

/** Whether windows lie side by side and cover the axis. */
const tiles = ({ kernel, stride, dilation, before, interior }: WindowAxis, windows: number, extent: number): boolean =>
  kernel === stride && dilation === 1 && interior === 1 && before === 0 && windows * kernel === extent;

/** Whether tap number `tap` lies on an element in any of the windows. */
function sees(
  { stride, dilation, before, interior }: WindowAxis,
  tap: number,
  windows: number,
  extent: number,
): boolean {
  for (let at = 0; at < windows; at++) {
    const position = at * stride + tap * dilation - before;
    if (position >= 0 && position % interior === 0 && position / interior < extent) return true;
  }
  return false;
}
