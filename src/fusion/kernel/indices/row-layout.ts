/** @file Where the elements of a row group's space lie in values of other shapes: along free views and permutations. */
import { node, sameShape, sizeOf, stridesOf, type Graph, type Node, type Shape } from "../../ir";
import { permutationOf, permuteLinear, type Permutation } from "./alignment";
import { isFreeView } from "./views";

/** One step from a value to the next: the same elements in another shape, or with the axes in another order. */
export interface LayoutStep {
  readonly from: Shape;
  readonly to: Shape;
  /** Null for a free view. */
  readonly perm: Permutation | null;
}

/** How a value holds the space: every element once, each at an index of its own. */
export interface Layout {
  /** Steps from the space to the value, in order. */
  readonly steps: readonly LayoutStep[];
  /** Where the domain's samples lie: two values with the same indices may meet element by element. */
  readonly indices: readonly number[];
}

const viewed = (from: Shape, to: Shape): readonly LayoutStep[] =>
  sameShape(from, to) ? [] : [{ from, to, perm: null }];

/** The space seen in another shape of the same size. */
export const layoutOf = (space: Shape, shape: Shape, samples: readonly number[]): Layout => ({
  steps: viewed(space, shape),
  indices: samples,
});

/** How movement `n` holds the space when its operand does; null when it is neither a view nor a permutation. */
export function movedLayout(graph: Graph, n: Node, operand: Layout): Layout | null {
  const from = node(graph, n.inputs[0]!).type.shape;
  const to = n.type.shape;
  if (isFreeView(n)) return { steps: [...operand.steps, ...viewed(from, to)], indices: operand.indices };
  const perm = permutationOf(graph, n);
  if (!perm) return null;
  return {
    steps: [...operand.steps, { from, to, perm }],
    indices: operand.indices.map((at) => permuteLinear(at, from, to, perm)),
  };
}

export function unravelled(linear: number, shape: Shape): number[] {
  const strides = stridesOf(shape);
  return shape.map((extent, axis) => Math.floor(linear / strides[axis]!) % extent);
}

/** Coordinates that `point` of the space has after the steps. */
export function pointAfter(steps: readonly LayoutStep[], point: readonly number[]): readonly number[] {
  return steps.reduce<readonly number[]>((at, { from, to, perm }) => {
    if (perm) return perm.map((axis) => (axis === null ? 0 : at[axis]!));
    const strides = stridesOf(from);
    return unravelled(
      at.reduce((sum, value, axis) => sum + value * strides[axis]!, 0),
      to,
    );
  }, point);
}

/** Which coordinates after the steps change from one point of a row to another. */
export function changesAlong(steps: readonly LayoutStep[], space: Shape, axes: readonly number[]): boolean[] {
  if (steps.length === 0) return space.map((_, axis) => axes.includes(axis));
  const inRow = (pick: (extent: number) => number) => (start: readonly number[]) =>
    start.map((value, axis) => (axes.includes(axis) ? pick(space[axis]!) : value));
  const starts = [0, 1, 2].map((k) => space.map((extent) => Math.floor(((extent - 1) * k) / 2)));
  const moved = [
    ...axes.map((axis) => (start: readonly number[]) => start.map((v, i) => (i === axis ? (v + 1) % space[i]! : v))),
    inRow(() => 0),
    inRow((extent) => extent - 1),
  ];
  const moves = pointAfter(steps, starts[0]!).map(() => false);
  if (sizeOf(space) === 0) return moves;
  for (const start of starts) {
    const here = pointAfter(steps, start);
    for (const move of moved) {
      const there = pointAfter(steps, move(start));
      there.forEach((value, axis) => (moves[axis] ||= value !== here[axis]));
    }
  }
  return moves;
}
