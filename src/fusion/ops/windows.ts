/** @file Sliding windows: where each tap of each window lies, axis by axis. Convolutions and pooling are built on it. */
import { showShape, type Attrs, type Checked, type Node, type Shape } from "../ir";
import type { IndexAlgebra, IndexCase, IndexTable } from "./define";
import { isAbsent } from "./indices";
import { fine, numbersOf, wrong } from "./shapes";

/** One windowed axis. */
export interface WindowAxis {
  readonly kernel: number;
  readonly stride: number;
  readonly dilation: number;
  /** Elements around the input; negative ones cut it. */
  readonly before: number;
  readonly after: number;
  /** Distance between neighbouring input elements: what lies between them is filled (a stride run backwards). */
  readonly interior: number;
}

/** One number an axis; a single one stands for all. */
export function eachAxis(attr: Attrs[string] | undefined, rank: number, otherwise: number): readonly number[] {
  const given = isAbsent(attr) ? [otherwise] : numbersOf(attr);
  return given.length === 1 ? Array.from({ length: rank }, () => given[0]!) : given;
}

/** Before and after each axis: one number, one an axis, or all befores and then all afters. */
export function paddingOf(attr: Attrs[string] | undefined, rank: number): { before: number; after: number }[] {
  const given = isAbsent(attr) ? [0] : numbersOf(attr);
  return Array.from({ length: rank }, (_, axis) => {
    const before = given.length === 1 ? given[0]! : (given[axis] ?? 0);
    return { before, after: given.length === 2 * rank ? given[rank + axis]! : before };
  });
}

/** The windowed axes of a `window`: the last ones, as many as the kernel has. */
export function windowAxes(attrs: Attrs): WindowAxis[] {
  const kernel = numbersOf(attrs["kernel_size"]);
  const rank = kernel.length;
  const [stride, dilation, interior] = ["stride", "dilation", "interior"].map((name) => eachAxis(attrs[name], rank, 1));
  const padding = paddingOf(attrs["padding"], rank);
  return kernel.map((size, axis) => ({
    kernel: size,
    stride: stride![axis] ?? 1,
    dilation: dilation![axis] ?? 1,
    interior: interior![axis] ?? 1,
    ...padding[axis]!,
  }));
}

/** The same of a node that is a window; null of any other. */
export const windowOf = ({ op, attrs }: Pick<Node, "op" | "attrs">): WindowAxis[] | null =>
  op === "window" ? windowAxes(attrs) : null;

/** From the first tap of a window to its last, both included. */
export const reachOf = ({ kernel, dilation }: Pick<WindowAxis, "kernel" | "dilation">): number =>
  dilation * (kernel - 1) + 1;

/** Windows that fit; may be ≤ 0 when none does. */
export function windowCount(extent: number, axis: WindowAxis): number {
  const spread = extent === 0 ? 0 : (extent - 1) * axis.interior + 1;
  return Math.floor((spread + axis.before + axis.after - reachOf(axis)) / axis.stride) + 1;
}

/** An axis with a wider border has more elements than a kernel can index. */
const MAX_PADDING = 2 ** 30;

/** Shape of `window`'s result, or what does not fit. */
export function windowShape(x: Shape, attrs: Attrs, name: string): Checked<Shape> {
  const axes = windowAxes(attrs);
  const rank = axes.length;
  if (rank === 0 || rank > x.length)
    return wrong("bad-attr", `${name} is ${showShape(x)}: the window has ${rank} axes.`);
  for (const part of ["stride", "dilation", "interior", "padding"]) {
    const given = numbersOf(attrs[part]).length;
    if (given > 1 && given !== rank && !(part === "padding" && given === 2 * rank))
      return wrong("bad-attr", `The window has ${rank} axes; ${part} names ${given}.`);
  }
  const steps = axes.flatMap(({ kernel, stride, dilation, interior }) => [kernel, stride, dilation, interior]);
  if (steps.some((step) => !Number.isInteger(step) || step < 1))
    return wrong("bad-attr", "Kernel, stride, dilation and interior are whole numbers from 1 on.");
  const wide = axes.find(({ before, after }) => Math.max(before, after) > MAX_PADDING);
  if (wide)
    return wrong(
      "bad-attr",
      `A padding of ${Math.max(wide.before, wide.after)} is too wide; up to ${MAX_PADDING} is planned.`,
    );
  const lead = x.length - rank;
  const counts = axes.map((axis, i) => windowCount(x[lead + i]!, axis));
  const short = counts.findIndex((count) => count < 1);
  if (short < 0) return fine([...x.slice(0, lead), ...axes.map(({ kernel }) => kernel), ...counts]);
  const { kernel, before, after } = axes[short]!;
  return wrong(
    "shape-mismatch",
    `${name} is ${showShape(x)}: a window of ${kernel} taps does not fit ${x[lead + short]} elements with ${before} before and ${after} after.`,
  );
}

/** Input index under tap `tap` of window `at`, as index and condition. */
function tapSource<I, C>(
  at: I,
  tap: I,
  extent: number,
  axis: WindowAxis,
  algebra: IndexAlgebra<I, C>,
): { readonly index: I; readonly when: C | null } {
  const { stride, dilation, before, interior } = axis;
  const scale = (a: I, by: number): I => (by === 1 ? a : algebra.mul(a, by));
  const position = axis.kernel === 1 ? scale(at, stride) : algebra.add(scale(at, stride), scale(tap, dilation));
  const cut = (a: I): I => (before === 0 ? a : algebra.add(a, algebra.int(-before)));
  const last = (windowCount(extent, axis) - 1) * stride + reachOf(axis) - 1;
  const inside = (a: I, low: number, end: number, highest: number): C | null => {
    const upper = highest < end ? null : algebra.less(a, end);
    const lower = low > 0 ? algebra.atLeast(a, low) : null;
    return lower !== null && upper !== null ? algebra.and(lower, upper) : (lower ?? upper);
  };
  if (interior === 1) return { index: cut(position), when: inside(position, before, before + extent, last) };
  // Whole steps are split off first, so that divisions see nothing negative.
  const steps = Math.ceil(before / interior);
  const lifted = steps * interior === before ? position : algebra.add(position, algebra.int(steps * interior - before));
  const [quotient, rest] = [algebra.div(lifted, interior), algebra.mod(lifted, interior)];
  const whole = algebra.less(rest, 1);
  const bounds = inside(quotient, steps, steps + extent, Infinity);
  return {
    index: steps === 0 ? quotient : algebra.add(quotient, algebra.int(-steps)),
    when: bounds === null ? whole : algebra.and(whole, bounds),
  };
}

/** Index rule of `window`: leading axes stay, then the taps, then the windows. */
export function windowSource<I, C>(
  out: readonly I[],
  x: Shape,
  attrs: Attrs,
  algebra: IndexAlgebra<I, C>,
): IndexCase<I, C>[] {
  const axes = windowAxes(attrs);
  const lead = x.length - axes.length;
  const found = axes.map((axis, i) =>
    tapSource(out[lead + axes.length + i]!, out[lead + i]!, x[lead + i]!, axis, algebra),
  );
  const tests = found.flatMap(({ when }) => (when === null ? [] : [when]));
  const [first, ...others] = tests;
  const when = first === undefined ? null : others.reduce((a: C, b) => algebra.and(a, b), first as C);
  return [{ when, operand: 0, index: [...out.slice(0, lead), ...found.map(({ index }) => index)] }];
}

/** The same as one table an input axis. */
export function windowTables(x: Shape, attrs: Attrs): IndexTable[] {
  const axes = windowAxes(attrs);
  const lead = x.length - axes.length;
  const leading = x
    .slice(0, lead)
    .map((extent, axis) => ({ from: [axis], positions: Int32Array.from({ length: extent }, (_, i) => i) }));
  const windowed = axes.map((axis, i) => {
    const extent = x[lead + i]!;
    const count = windowCount(extent, axis);
    const positions = new Int32Array(axis.kernel * count);
    for (let tap = 0; tap < axis.kernel; tap++) {
      for (let at = 0; at < count; at++) {
        const position = at * axis.stride + tap * axis.dilation - axis.before;
        const index = position / axis.interior;
        positions[tap * count + at] = Number.isInteger(index) && index >= 0 && index < extent ? index : -1;
      }
    }
    return { from: [lead + i, lead + axes.length + i], positions };
  });
  return [...leading, ...windowed];
}
