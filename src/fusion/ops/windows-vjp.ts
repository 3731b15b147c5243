/** @file The derivative of sliding windows: what each tap of each window saw is added to where it lies. */
import type { NodeId } from "../ir";
import type { DerivativeContext } from "./define";
import { windowAxes, type WindowAxis } from "./windows";

/** Adds a cotangent of windows, [lead…, taps…, windows…], to the elements that the taps saw: one shifted and spread view of it for each tap. */
export function windowsVjp({ inputs: [x], attrs, typeOf, of }: DerivativeContext, cotangent: NodeId): NodeId {
  const { shape } = typeOf(x!);
  const axes = windowAxes(attrs);
  const lead = shape.length - axes.length;
  const seen = typeOf(cotangent).shape;
  const windows = seen.slice(lead + axes.length);
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
    const placed = of("reshape", [spread], { shape });
    sum = sum === null ? placed : of("add", [sum, placed]);
  }
  return sum ?? of("expand", [0], { shape });
}

/** Whether tap number `tap` lies on an element in any of the windows. */
function sees(
  { stride, dilation, before, interior }: WindowAxis,
  tap: number,
  windows: number,
  extent: number,
): boolean {
  for (let at = 0; at < windows; at++) {
    const place = at * stride + tap * dilation - before;
    if (place >= 0 && place % interior === 0 && place / interior < extent) return true;
  }
  return false;
}
