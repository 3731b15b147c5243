/** @file Where a value of a row group stands: with the elements, with the rows, or on its own. */
import type { Shape } from "../ir";
import type { Lie } from "./turns";

/**
 * `free`: does not depend on a reduction of the region; it is computed at whatever index is asked for.
 * `full`: one value per element of the space, after a reduction; in any shape that views and permutations give it.
 * `part`: elements of the own row at other places, or some of them: known with the row, at whatever place is asked for.
 * `row`: one value per row. `column`: one value per column, folded over all rows.
 * `first`: the first few of each row, once it is in order.
 */
export type Role = "free" | "full" | "part" | "row" | "column" | "first";

export interface RowDomain {
  /** Shape that every reduction of the region reads. */
  readonly space: Shape;
  /** Axes they fold. */
  readonly axes: readonly number[];
  /** `space` with the folded axes kept as 1. */
  readonly kept: Shape;
  /** Elements of the space that are followed to tell two orders apart, and the row of each. */
  readonly samples: readonly number[];
  readonly sampleRows: readonly number[];
}

export interface Placed {
  readonly role: Role;
  /** Passes over the row that must be finished before this value is known. */
  readonly stage: number;
  /** Of `full` values. */
  readonly lie?: Lie;
}
