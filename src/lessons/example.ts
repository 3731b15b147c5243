/** @file What an example is. */

/** A program that one opens from the menu. Its text must parse, compile and run. */
export interface Example {
  /** Stable: links and the draft name it. */
  readonly id: string;
  readonly title: string;
  /** What to look at, in one sentence. */
  readonly sentence: string;
  readonly text: string;
  /** Where one call is the whole example, its naive plan has a kernel for each primitive. */
  readonly granularity: "op" | "primitive";
  /** The constant in the text that the size choice rewrites. */
  readonly sizes: { readonly name: string; readonly S: number; readonly M: number; readonly L: number } | null;
}
