/** @file What stands between square brackets, once its values are known. */
import { showShape } from "../../ir";
import type { NumberArray } from "../values/number-arrays";
import type { Operand } from "../values/values";

export type Bound = number | null;
export interface Range {
  readonly start: Bound;
  readonly stop: Bound;
  readonly step: Bound;
}
/** One index with its values known. */
export type Known =
  /** Whole numbers that only the run knows. */
  | { readonly kind: "indices"; readonly operand: Operand }
  /** Whole numbers or truth values that stand in the text. */
  | { readonly kind: "list"; readonly array: NumberArray; readonly operand: Operand }
  | { readonly kind: "range"; readonly range: Range }
  | { readonly kind: "at"; readonly index: number }
  | { readonly kind: "new" }
  | { readonly kind: "rest" };

const WHOLE: Known = { kind: "range", range: { start: null, stop: null, step: null } };

/** One index for every axis: `...` and what is left out stand for whole axes. */
export function completed(known: readonly Known[], missing: number): readonly Known[] {
  const rest = Array.from({ length: missing }, () => WHOLE);
  const at = known.findIndex((index) => index.kind === "rest");
  if (at < 0) return [...known, ...rest];
  return [...known.slice(0, at), ...rest, ...known.slice(at + 1).filter((index) => index.kind !== "rest")];
}

/** What is wrong where a tensor of this shape gets so many indices. */
export const tooManyIndices = (used: number, shape: readonly number[]): string =>
  shape.length === 0
    ? "One number has no axis to index."
    : `There are ${used} indices, and a tensor of shape ${showShape(shape)} has ${shape.length === 1 ? "one axis" : `${shape.length} axes`}.`;

/** What is wrong with an index outside its axis. */
export const noIndex = (index: number, axis: number, extent: number): string =>
  `There is no index ${index} on axis ${axis}: its size is ${extent}.`;
