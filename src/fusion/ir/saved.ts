/** @file What the backward pass keeps of the forward pass: choices, as data. */
import type { NodeId } from "./ids";

/** How one value reaches the backward pass. `bits`: one bit an element, of a value that is true or false. `f16`: rounded to half its bytes. */
export const savedChoices = ["save", "recompute", "invert", "bits", "f16"] as const;
export type SavedChoice = (typeof savedChoices)[number];

/** Whether the value goes through memory, in one form or another. */
export const isSavedBy = (choice: SavedChoice | undefined): boolean =>
  choice === "save" || choice === "bits" || choice === "f16";

/**
 * What is saved where nothing is chosen. `stored`: every value that a derivative reads. `cut`: the fewest bytes from which cheap
 * ops make the rest again. `segments`: the ends of about √n stretches. `recomputed`: nothing but the program's inputs.
 */
export const savedPolicies = ["stored", "cut", "segments", "recomputed"] as const;
export type SavedPolicy = (typeof savedPolicies)[number];

export interface SavedValues {
  /** The backward pass runs later, in kernels of its own, as after `loss.backward()`; otherwise both are fused as one graph. */
  readonly apart: boolean;
  /** Absent: fusion alone decides. */
  readonly policy?: SavedPolicy | undefined;
  /** Bytes that may be saved; `cut` then recomputes expensive values, too, those first that free most for their work. */
  readonly budgetBytes?: number | undefined;
  readonly choices: Readonly<Record<NodeId, SavedChoice>>;
}
