/** @file Index rules of pad: inside, border, mirror and other end, axis by axis. */
import type { Attrs, Node, Shape } from "../ir";
import type { AxisCase, IndexAlgebra, IndexCase, IndexTable } from "./define";
import { tablesByAxis } from "./index-tables";
import { numbersOf } from "./shapes";

/** Left and right of every axis; the attribute begins with the last axis, as in PyTorch. */
export function widthsOf(attrs: Attrs, rank: number): { left: number; right: number }[] {
  const pads = numbersOf(attrs["pads"]);
  return Array.from({ length: rank }, (_, axis) => {
    const at = 2 * (rank - 1 - axis);
    return { left: pads[at] ?? 0, right: pads[at + 1] ?? 0 };
  });
}
/** The mode by the name it has here: PyTorch calls edge "replicate" and wrap "circular". */
export function modeOf(attrs: Attrs): unknown {
  const mode = attrs["mode"];
  return mode === "replicate" ? "edge" : mode === "circular" ? "wrap" : mode;
}

/** How many zeros `n` puts before and behind an axis of its input; none where it pads with something else, or does not pad. */
export function zerosAround({ op, attrs, type }: Node, axis: number): { left: number; right: number } {
  const isZeros = op === "pad" && modeOf(attrs) === "constant" && Number(attrs["value"] ?? 0) === 0;
  return isZeros ? widthsOf(attrs, type.shape.length)[axis]! : { left: 0, right: 0 };
}

/** Inside, then what stands left and right of it, when the mode puts something there. */
function partsOf<I, C>(
  at: I,
  extent: number,
  left: number,
  right: number,
  mode: unknown,
  algebra: IndexAlgebra<I, C>,
): AxisCase<I, C>[] {
  const around = (low: number, high: number): C => algebra.and(algebra.atLeast(at, low), algebra.less(at, high));
  const mirrored = (by: number): I => algebra.add(algebra.mul(at, -1), algebra.int(by));
  if (left === 0 && right === 0) return [{ when: null, index: at }];
  const end = left + extent;
  const shifted = left === 0 ? at : algebra.add(at, algebra.int(-left));
  if (mode === "constant") return [{ when: left > 0 ? around(left, end) : algebra.less(at, end), index: shifted }];
  const moved = (by: number): I => (by === 0 ? at : algebra.add(at, algebra.int(by)));
  const border = (edge: number, mirror: number, wrapped: number): I =>
    mode === "edge" ? algebra.int(edge) : mode === "wrap" ? moved(wrapped) : mirrored(mirror);
  const before = { when: algebra.less(at, left), index: border(0, left, extent - left) };
  const inside = { when: algebra.less(at, end), index: shifted };
  const after = { when: null, index: border(extent - 1, 2 * extent - 2 + left, -left - extent) };
  return left > 0 ? [before, inside, after] : [inside, after];
}

/** The cases of each axis; null where the border is none of its elements. */
export function padAlongAxes<I, C>(
  out: readonly I[],
  x: Shape,
  attrs: Attrs,
  algebra: IndexAlgebra<I, C>,
): AxisCase<I, C>[][] | null {
  const mode = modeOf(attrs);
  if (mode === "constant") return null;
  return widthsOf(attrs, x.length).map(({ left, right }, axis) =>
    partsOf(out[axis]!, x[axis]!, left, right, mode, algebra),
  );
}

/** The cases of all axes together: every combination of inside and borders that the mode knows. */
export function padSource<I, C>(
  out: readonly I[],
  x: Shape,
  attrs: Attrs,
  algebra: IndexAlgebra<I, C>,
): IndexCase<I, C>[] {
  const both = (a: C | null, b: C | null): C | null => (a === null ? b : b === null ? a : algebra.and(a, b));
  let cases: IndexCase<I, C>[] = [{ when: null, operand: 0, index: [] }];
  for (const [axis, { left, right }] of widthsOf(attrs, x.length).entries()) {
    const parts = partsOf(out[axis]!, x[axis]!, left, right, modeOf(attrs), algebra);
    cases = cases.flatMap(({ when, index }) =>
      parts.map((part) => ({ when: both(when, part.when), operand: 0, index: [...index, part.index] })),
    );
  }
  return cases;
}

/** Where each axis of the result is read, border and mirror included. */
export function padTables(x: Shape, attrs: Attrs): readonly IndexTable[] {
  const sides = widthsOf(attrs, x.length);
  const mode = modeOf(attrs);
  const output = x.map((extent, axis) => extent + sides[axis]!.left + sides[axis]!.right);
  return tablesByAxis(output, (axis, i) => {
    const [at, last] = [i - sides[axis]!.left, x[axis]! - 1];
    if (at >= 0 && at <= last) return at;
    if (mode === "constant") return -1;
    if (mode === "edge") return at < 0 ? 0 : last;
    if (mode === "wrap") return at < 0 ? at + last + 1 : at - last - 1;
    return at < 0 ? -at : 2 * last - at;
  });
}
