/** @file Index rules that movement ops share, over any index algebra. */
import { sizeOf, stridesOf, type Attrs, type AttrValue, type Node, type Shape } from "../ir";
import type { IndexAlgebra } from "./define";
import { normalAxis, numbersOf } from "./shapes";

/** Where the element at `index` of a row-major `shape` lies. */
export function linearise<I, C>(index: readonly I[], shape: Shape, algebra: IndexAlgebra<I, C>): I {
  const strides = stridesOf(shape);
  let at: I | null = null;
  for (const [axis, extent] of shape.entries()) {
    if (extent === 1) continue;
    const term = strides[axis] === 1 ? index[axis]! : algebra.mul(index[axis]!, strides[axis]!);
    at = at === null ? term : algebra.add(at, term);
  }
  return at ?? algebra.int(0);
}

/** The index of the `at`-th element of a row-major `shape`. */
export function delinearise<I, C>(at: I, shape: Shape, algebra: IndexAlgebra<I, C>): I[] {
  const strides = stridesOf(shape);
  const outermost = shape.findIndex((extent) => extent !== 1);
  return shape.map((extent, axis) => {
    if (extent === 1) return algebra.int(0);
    const down = strides[axis] === 1 ? at : algebra.div(at, strides[axis]!);
    return axis === outermost ? down : algebra.mod(down, extent);
  });
}

/** Axes of two shapes that hold the same elements among themselves. */
export interface AxisGroup {
  readonly from: readonly number[];
  readonly to: readonly number[];
}

/** Splits two shapes of equal size into the shortest runs of axes of equal size: 2×3×4 and 6×4 give 2×3 | 6 and 4 | 4. */
export function groupsOf(from: Shape, to: Shape): AxisGroup[] {
  const groups: AxisGroup[] = [];
  let [i, j] = [0, 0];
  while (i < from.length || j < to.length) {
    const group = { from: [] as number[], to: [] as number[] };
    let [a, b] = [1, 1];
    do {
      if ((a <= b && i < from.length) || j >= to.length) {
        a *= from[i]!;
        group.from.push(i++);
      } else {
        b *= to[j]!;
        group.to.push(j++);
      }
    } while (a !== b && (i < from.length || j < to.length));
    groups.push(group);
  }
  return groups;
}

/** Index into `to` of the element that `index` names in `from`: same size, same row-major order. Untouched axes stay bare. */
export function regroup<I, C>(index: readonly I[], from: Shape, to: Shape, algebra: IndexAlgebra<I, C>): I[] {
  if (sizeOf(to) === 0) return to.map(() => algebra.int(0));
  const out: I[] = to.map(() => algebra.int(0));
  for (const group of groupsOf(from, to)) {
    const extents = group.to.map((axis) => to[axis]!);
    const at = linearise(
      group.from.map((axis) => index[axis]!),
      group.from.map((axis) => from[axis]!),
      algebra,
    );
    for (const [k, value] of delinearise(at, extents, algebra).entries()) out[group.to[k]!] = value;
  }
  return out;
}

/** Index into a `from` that broadcasts to an output of this index. */
export function broadcastIndex<I, C>(index: readonly I[], from: Shape, algebra: IndexAlgebra<I, C>): I[] {
  const offset = index.length - from.length;
  return from.map((extent, axis) => (extent === 1 ? algebra.int(0) : index[axis + offset]!));
}

/** The permutation of a transpose: output axis i is input axis perm[i]. Reversed when the attribute is absent, a swap when `dim1` is given. */
export function permOf(attrs: Attrs, rank: number): readonly number[] {
  const perm = Array.from({ length: rank }, (_, axis) => axis);
  const second = attrs["dim1"];
  if (typeof second === "number") {
    const [a, b] = [normalAxis(numbersOf(attrs["perm"])[0] ?? 0, rank), normalAxis(second, rank)];
    [perm[a], perm[b]] = [b, a];
    return perm;
  }
  if (attrs["perm"] === undefined || attrs["perm"] === null) return perm.reverse();
  return numbersOf(attrs["perm"]).map((axis) => normalAxis(axis, rank));
}

export interface SliceAxis {
  readonly start: number;
  readonly step: number;
  readonly count: number;
}

/** Start, step and count on every axis by Python's rules: negative indices count from the end, what lies outside is cut. */
export function sliceAxes(attrs: Attrs, shape: Shape): SliceAxis[] {
  const [starts, stops] = [numbersOf(attrs["start"]), numbersOf(attrs["stop"])];
  const steps = numbersOf(attrs["step"]);
  const axes = isAbsent(attrs["axes"]) ? starts.map((_, i) => i) : numbersOf(attrs["axes"]);
  const rank = shape.length;
  const out: SliceAxis[] = shape.map((extent) => ({ start: 0, step: 1, count: extent }));
  for (const [k, named] of axes.entries()) {
    const axis = normalAxis(named, rank);
    const extent = shape[axis] ?? 0;
    const step = steps[k] ?? 1;
    const [low, high] = step > 0 ? [0, extent] : [-1, extent - 1];
    const bounded = (index: number): number => Math.min(Math.max(index < 0 ? index + extent : index, low), high);
    const [start, stop] = [bounded(starts[k] ?? 0), bounded(stops[k] ?? extent)];
    const count = Math.max(0, Math.ceil((stop - start) / step));
    // A single element has no step: written as 1, it is known as the whole axis where it is one.
    out[axis] = { start, step: count <= 1 ? 1 : step, count };
  }
  return out;
}

/** The same of a node that is a slice of a value of `shape`; null of any other. */
export const sliceOf = ({ op, attrs }: Pick<Node, "op" | "attrs">, shape: Shape): SliceAxis[] | null =>
  op === "slice" ? sliceAxes(attrs, shape) : null;

export const isAbsent = (value: AttrValue | undefined): boolean => value === undefined || value === null;

/** The axes that `axis` or `axes` names, one further on, behind an axis that comes in front; null where it names none. */
export function nextAxes(attrs: Attrs, rank: number): Attrs | null {
  const name = attrs["axes"] === undefined ? "axis" : "axes";
  const value = attrs[name];
  if (isAbsent(value)) return null;
  const next = (axis: number): number => normalAxis(axis, rank) + 1;
  return { ...attrs, [name]: typeof value === "number" ? next(value) : numbersOf(value).map(next) };
}
