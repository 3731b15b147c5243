/** @file Which of several guesses fit: those with which the program reads with the fewest mistakes. */
import type { Deadline } from "../parse";
import type { Statement } from "../syntax";
import { ALIKE } from "./usual";

/** What reading a text says that guesses are judged by. */
export interface Reading {
  readonly mistakes: number;
  /** How many nodes it has: what is broken makes none. */
  readonly nodes: number;
  /** Fields that settings were asked for and do not have. */
  readonly missing: ReadonlySet<string>;
  /** Types that layers want of inputs without one, by the name of the input. */
  readonly wanted: ReadonlyMap<string, string>;
  /** Whole numbers that the object of this name keeps, by the name of the field. */
  readonly sizesOf: (name: string) => ReadonlyMap<string, number>;
}

export interface Program {
  readonly text: string;
  readonly statements: readonly Statement[];
  readonly read: (text: string) => Reading;
  /** Once it has passed, the types of inputs are those found so far. */
  readonly deadline: Deadline;
}

/** How badly types fit: 0 without a mistake, else the less the more of the program they let through. */
export const misfit = ({ mistakes, nodes }: { readonly mistakes: number; readonly nodes: number }): number =>
  mistakes === 0 ? 0 : 1 / (1 + nodes) + mistakes * 1e-6;

/** So many programs are read to find types that fit. */
const MOST_TRIES = 120;

/** One of each row of `choices` (the likeliest come first) such that `mistakes` of them all is least; one row after the other, twice. */
export function fitting<T extends string | readonly string[]>(
  choices: readonly (readonly T[])[],
  mistakes: (chosen: readonly T[]) => number,
): readonly T[] {
  let best = choices.map(([likeliest]) => likeliest!);
  let left = choices.length === 0 ? 0 : mistakes(best);
  let tries = 1;
  // Often all have one shape: a mistake that the first of them makes must not hide what the others do.
  for (const alike of left > 0 ? alikeIn(choices) : []) {
    const isAlike = (choice: T): boolean =>
      typeof choice === "string" ? choice === alike : choice.every((type) => type === alike);
    const tried = choices.map((row, i) => row.find(isAlike) ?? best[i]!);
    const now = mistakes(tried);
    tries++;
    if (now < left) [best, left] = [tried, now];
  }
  for (let round = 0; round < 2; round++) {
    for (const [i, row] of choices.entries()) {
      for (const choice of row) {
        if (left <= 0 || tries >= MOST_TRIES) return best;
        if (choice === best[i]) continue;
        tries++;
        const tried = best.with(i, choice);
        const now = mistakes(tried);
        if (now < left) [best, left] = [tried, now];
      }
    }
  }
  return best;
}

/** Shapes that every input could have, and those that many functions are written for. */
function alikeIn(choices: readonly (readonly (string | readonly string[])[])[]): readonly string[] {
  const rows = choices.map((row) => new Set(row.filter((choice) => typeof choice === "string")));
  const shared = [...(rows[0] ?? [])].filter((type) => rows.length > 1 && rows.every((row) => row.has(type)));
  return [...new Set([...shared.slice(0, 8), ...ALIKE])];
}
