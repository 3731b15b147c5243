/** @file What a kernel that folds rows as they are made is made of: contractions, peak, folds, results. */
import type { NodeId, Shape, Verdict } from "../../../ir";
import type { Follower } from "../../indices/alignment";
import type { Band } from "../../indices/bands";

/** A reduction of the row besides the peak. */
export interface OnlineFold {
  readonly node: NodeId;
  /** Its terms carry exp(x − peak): rescaled when the peak rises. */
  readonly rescaled: boolean;
  /** None of them is replaced on the way to it, so that one of ∞ − ∞ makes all of it no number. */
  readonly whole: boolean;
}

export interface OnlineParts {
  /** Contractions whose elements make the row; none where the row is read from memory. */
  readonly scores: readonly NodeId[];
  /** The contraction over the row; null where only folds of it are wanted. */
  readonly values: NodeId | null;
  /** The running maximum, and the exponential it is taken out of; null where nothing is shifted. */
  readonly peak: NodeId | null;
  readonly exp: NodeId | null;
  readonly folds: readonly OnlineFold[];
  /** The left operand of `values` carries exp(x − peak). */
  readonly weightsRescaled: boolean;
  /** And none of them is replaced, as a mask after the softmax does. */
  readonly weightsWhole: boolean;
  /** What a mask by position leaves of the rows: tiles outside need not be computed. */
  readonly band: Band;
  /** Shape of the elements: batch × M × N. */
  readonly space: Shape;
  /** The axis of `space` that is folded: the last, or the one before it. */
  readonly axis: number;
  /** One value a row: folds and what follows from them alone. */
  readonly rows: ReadonlySet<NodeId>;
  /** Elementwise after the second contraction. */
  readonly results: ReadonlyMap<NodeId, Follower>;
  /** Folds of a row of results, once it is complete: one value a row, in dependence order. */
  readonly resultFolds: readonly NodeId[];
  /** Elements of the row that are stored: those known as they pass, and those that need the complete row, which is computed again for them. */
  readonly passing: readonly NodeId[];
  readonly again: readonly NodeId[];
}

/** What is known of a row once it is complete: its peak and its folds. */
export const endsOf = ({ peak, folds }: Pick<OnlineParts, "peak" | "folds">): NodeId[] => [
  ...(peak === null ? [] : [peak]),
  ...folds.map((fold) => fold.node),
];

export type OnlineAnswer =
  { readonly ok: true; readonly parts: OnlineParts } | { readonly ok: false; readonly verdict: Verdict };
