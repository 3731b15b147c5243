/** @file Loops along rows: which elements of their operands and of their result an iteration meets. */
import type { Node, Shape } from "../ir";
import { resultAt, rowAt, type LoopBody, type Result, type Walk } from "./loop-body";
import { primitive } from "./primitives";

/** A loop that reads or gives rows, and one of its results. */
export interface RowLoop {
  readonly body: LoopBody;
  readonly iterations: number;
  readonly result: Result;
  /** Of what is carried, and of a row. */
  readonly kept: Shape;
  /** Of all rows. */
  readonly whole: Shape;
  /** The axis of `whole` that rows are counted along, and the same from the end. */
  readonly place: number;
  readonly axis: number;
  /** The first iteration gives the last row. */
  readonly backwards: boolean;
}

/** The loop along rows that `n` is a result of; null for every other op. */
export function rowLoopOf({ op, attrs, type }: Pick<Node, "op" | "attrs" | "type">): RowLoop | null {
  const { loop } = primitive(op);
  const along = loop?.along(attrs);
  if (!loop || !along) return null;
  const body = loop.bodyOf(attrs);
  const iterations = loop.iterations(attrs);
  const result = resultAt(body, loop.result(attrs));
  const { axis, backwards } = along;
  const isLast = result.kind === "last";
  const place = type.shape.length + axis + (isLast ? 1 : 0);
  const kept = isLast ? type.shape : type.shape.toSpliced(place, 1);
  return { body, iterations, result, kept, whole: kept.toSpliced(place, 0, iterations), place, axis, backwards };
}

/** The row that iteration `number` gives. */
export const givenRow = ({ iterations, backwards }: RowLoop): Walk =>
  backwards ? { start: iterations - 1, backwards } : { start: 0, backwards };

/** Where an operand of `shape` is read for an element of what is carried; `row`: of a walked operand, the one that the iteration reads. */
export function readAt<I>(
  { axis }: Pick<RowLoop, "axis">,
  shape: Shape,
  kept: readonly I[],
  row: I | null,
  zero: I,
): I[] {
  const own = shape.length + axis;
  const rest = row === null ? shape : shape.toSpliced(own, 1);
  const at = rest.map((extent, i) => (extent === 1 ? zero : kept[kept.length - rest.length + i]!));
  return row === null ? at : at.toSpliced(own, 0, row);
}

/** The rows of a walked operand that are read: from one up to another, that included. */
export function rowsRead({ iterations }: Pick<RowLoop, "iterations">, walk: Walk): readonly [number, number] {
  const last = rowAt(walk, iterations - 1);
  return [Math.min(walk.start, last), Math.max(walk.start, last)];
}
