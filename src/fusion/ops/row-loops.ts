/** @file Loops along rows: which elements of their operands and of their result an iteration meets. */
import type { Node, Shape } from "../ir";
import {
  ownShape,
  rankAround,
  resultAt,
  rowAt,
  type BodyParam,
  type LoopBody,
  type Result,
  type Walk,
} from "./loop-body";
import { primitive } from "./primitives";

/** A loop that reads or gives rows, and one of its results. */
export interface RowLoop {
  readonly body: LoopBody;
  readonly iterations: number;
  readonly result: Result;
  /** Of what is carried, and of a row, without the axes that one run of the body has whole. */
  readonly outer: Shape;
  /** Of all rows. */
  readonly whole: Shape;
  /** The axes of this result that one run of the body has whole. */
  readonly own: Shape;
  /** The axis of `whole` that rows are counted along, and the same from the end. */
  readonly rowAxis: number;
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
  const own = loop.ownOf(body, result);
  const around = type.shape.slice(0, type.shape.length - own.length);
  const rowAxis = around.length + axis + (isLast ? 1 : 0);
  const outer = isLast ? around : around.toSpliced(rowAxis, 1);
  return {
    body,
    iterations,
    result,
    outer,
    whole: outer.toSpliced(rowAxis, 0, iterations),
    own,
    rowAxis,
    axis,
    backwards,
  };
}

/** The row that iteration `number` gives. */
export const givenRow = ({ iterations, backwards }: RowLoop): Walk =>
  backwards ? { start: iterations - 1, backwards } : { start: 0, backwards };

/**
 * Where operand `param` of `shape` is read for an element of what is carried.
 * @param row of a walked operand, the one that the iteration reads
 * @param inside which of the numbers that one run of the body has
 */
export function readAt<I>(
  { axis }: Pick<RowLoop, "axis">,
  param: Pick<BodyParam, "own">,
  shape: Shape,
  outer: readonly I[],
  row: I | null,
  zero: I,
  inside: readonly I[] = ownShape(param).map(() => zero),
): I[] {
  const around = shape.slice(0, rankAround(shape, param));
  const rowAxis = around.length + axis;
  const rest = row === null ? around : around.toSpliced(rowAxis, 1);
  const at = rest.map((extent, i) => (extent === 1 ? zero : outer[outer.length - rest.length + i]!));
  return [...(row === null ? at : at.toSpliced(rowAxis, 0, row)), ...inside];
}

/** The rows of a walked operand that are read: from one up to another, that included. */
export function rowsRead({ iterations }: Pick<RowLoop, "iterations">, walk: Walk): readonly [number, number] {
  const last = rowAt(walk, iterations - 1);
  return [Math.min(walk.start, last), Math.max(walk.start, last)];
}
