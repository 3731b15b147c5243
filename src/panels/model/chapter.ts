/** @file What the chapters print beside what is counted here. Only what is printed is data; the rest is computed. */
import type { Compilation } from "../../fusion";
import { claimsOf } from "../../lessons";
import { chapterRows } from "./chapter-rows";
import { countedOf } from "./counted";
import type { Curve } from "./gelu-forms";

/** Right as printed; counted otherwise; or a number that no count can decide. */
export type Mark = "right" | "differs" | "quoted";

export interface ChapterNote {
  /** Chapter and its item: `004-02`. */
  readonly row: string;
  readonly mark: Mark;
  readonly text: string;
  /** Drawn below the sentence. */
  readonly curve?: Curve;
}

/** Notes on the program that is shown; none when it is no chapter's. `example` is the one that it started from. */
export function chapterNotes(compilation: Compilation, example: string | null): readonly ChapterNote[] {
  const counted = countedOf(compilation);
  if (!counted) return [];
  return claimsOf(counted.graph, example).flatMap(({ row, says }) => {
    const note = chapterRows[row]?.(counted, says);
    return note ? [{ row, ...note }] : [];
  });
}
