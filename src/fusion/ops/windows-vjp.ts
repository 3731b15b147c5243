/** @file The derivative of sliding windows: what each tap of each window saw is added to where it lies. */
import type { NodeId } from "../ir";
import type { DerivativeContext } from "./define";
import { windowAxes, type WindowAxis } from "./windows";

/** Adds a cotangent of windows, [lead…, taps…, windows…], to the elements that the taps saw: one shifted and spread view of it for each tap, one view for all where windows tile the axes. */
export function windowsVjp({ inputs: [x], attrs, typeOf, of }: DerivativeContext, cotangent: NodeId): NodeId {
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
  const taps = axes.reduce((count, { kernel }) => count * kernel, 1);
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
