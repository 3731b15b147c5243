/** @file Questions that every infer() asks: which axes, do the shapes fit, and what to say when they don't. */
import {
  broadcastShapes,
  showShape,
  type Attrs,
  type AttrValue,
  type Checked,
  type Shape,
  type TensorType,
} from "../ir";
import type { Chosen } from "./define";

export type Failed = Extract<Checked<never>, { ok: false }>;

export const fine = <T>(value: T): Checked<T> => ({ ok: true, value });
export const wrong = (code: string, text: string): Failed => ({ ok: false, code, text });

/** Numbers of an `axes`, `ints` or `shape` attribute, written as one number or a list; empty when absent. */
export const numbersOf = (value: AttrValue | undefined): readonly number[] =>
  typeof value === "number" ? [value] : Array.isArray(value) ? (value as readonly number[]) : [];

/** A number attribute, or `fallback` when it is absent or null. */
export const numberOf = (value: AttrValue | undefined, fallback: number): number =>
  typeof value === "number" ? value : fallback;

/** `-1` is the last axis. */
export const normalAxis = (axis: number, rank: number): number => (axis < 0 ? axis + rank : axis);

/** Ascending, without repeats; every axis when the attribute is absent. Ignores what `checkAxes` refuses. */
export function axesOf(value: AttrValue | undefined, rank: number): readonly number[] {
  if (value === undefined || value === null) return Array.from({ length: rank }, (_, axis) => axis);
  const axes = new Set(numbersOf(value).map((axis) => normalAxis(axis, rank)));
  return [...axes].filter((axis) => axis >= 0 && axis < rank).sort((a, b) => a - b);
}

/** Axes must be whole numbers inside the rank and may not repeat. */
export function checkAxes(value: AttrValue | undefined, shape: Shape, name: string): Failed | null {
  const seen = new Set<number>();
  for (const axis of numbersOf(value)) {
    const normal = normalAxis(axis, shape.length);
    if (!Number.isInteger(axis) || normal < 0 || normal >= shape.length) {
      const range =
        shape.length === 0
          ? "a scalar has no axes"
          : shape.length === 1
            ? "its only axis is 0"
            : `its axes are 0 ${shape.length === 2 ? "and" : "to"} ${shape.length - 1}`;
      return wrong("bad-axis", `${name} is ${showShape(shape)}: it has no axis ${axis}; ${range}.`);
    }
    if (seen.has(normal)) return wrong("bad-axis", `Axis ${axis} of ${name} is named twice.`);
    seen.add(normal);
  }
  return null;
}

/** The reduced shape: `axes` removed, or left as 1. */
export const withoutAxes = (shape: Shape, axes: readonly number[], keepdims: boolean): Shape =>
  keepdims
    ? shape.map((extent, axis) => (axes.includes(axis) ? 1 : extent))
    : shape.filter((_, i) => !axes.includes(i));

/** `x is 4×8, w is 16×8` */
export const saySizes = (names: readonly string[], shapes: readonly Shape[]): string =>
  shapes.map((shape, i) => `${names[i] ?? `operand ${i + 1}`} is ${showShape(shape)}`).join(", ");

/** The common shape of all operands, or which two sizes clash and where. */
export function broadcastAll(types: readonly TensorType[], names: readonly string[]): Checked<Shape> {
  let shape: Shape = [];
  for (const [i, type] of types.entries()) {
    const next = broadcastShapes(shape, type.shape);
    if (next === null) return wrong("shape-mismatch", sayClash(shape, type.shape, types, names, i));
    shape = next;
  }
  return fine(shape);
}

function sayClash(
  before: Shape,
  shape: Shape,
  types: readonly TensorType[],
  names: readonly string[],
  at: number,
): string {
  const rank = Math.min(before.length, shape.length);
  let [x, y, back] = [0, 0, 1];
  for (back = 1; back <= rank; back++) {
    [x, y] = [before[before.length - back]!, shape[shape.length - back]!];
    if (x !== y && x !== 1 && y !== 1) break;
  }
  const where = back === 1 ? "the last sizes" : `the sizes ${back === 2 ? "before the last" : `${back} from the end`}`;
  const flipped = broadcastShapes(before, [...shape].reverse()) !== null && shape.length === 2;
  const sizes = saySizes(
    names,
    types.slice(0, at + 1).map((type) => type.shape),
  );
  const hint = flipped ? `; did you mean ${names[at] ?? "it"}.T?` : "; they must be equal or 1.";
  return `${sizes}: ${where}, ${x} and ${y}, differ${hint}`;
}

/** Says that operand `by` indexes an axis of operand `of`: the one that `axis` names, or a fixed one. */
export const indexing =
  (by: number, of: number, axis: string | number) =>
  (inputs: readonly (TensorType | null)[], attrs: Attrs): Chosen | null => {
    const { shape } = inputs[of] ?? {};
    if (!shape) return null;
    const at = normalAxis(typeof axis === "number" ? axis : numberOf(attrs[axis], 0), shape.length);
    return { by, of: { operand: of, axis: at }, extent: shape[at]! };
  };
