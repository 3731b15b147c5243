/** @file A sampled function as a line of a drawing. */
import type { Curve } from "./gelu-forms";

export interface CurvePath {
  /** SVG path data in a box of the given size; larger values are higher. */
  readonly path: string;
  /** Height of zero. */
  readonly zero: number;
  /** The value furthest from zero and where it is, as numbers and as a point of the box. */
  readonly peak: { readonly value: number; readonly at: number; readonly x: number; readonly y: number };
}

/** Space around the line, so that it is whole where it touches the ends. */
const MARGIN = 4;

export function curvePath({ least, most, values }: Curve, width: number, height: number): CurvePath {
  const [low, high] = values.reduce(([a, b], value) => [Math.min(a, value), Math.max(b, value)], [0, 0]);
  const range = high - low || 1;
  const xOf = (i: number): number => (width * i) / Math.max(1, values.length - 1);
  const yOf = (value: number): number => MARGIN + ((height - 2 * MARGIN) * (high - value)) / range;
  const path = values.map((value, i) => `${i === 0 ? "M" : "L"}${xOf(i).toFixed(1)} ${yOf(value).toFixed(1)}`).join("");
  let furthest = 0;
  values.forEach((value, i) => {
    if (Math.abs(value) > Math.abs(values[furthest]!)) furthest = i;
  });
  const value = values[furthest] ?? 0;
  const at = least + ((most - least) * furthest) / Math.max(1, values.length - 1);
  return { path, zero: yOf(0), peak: { value, at, x: xOf(furthest), y: yOf(value) } };
}
