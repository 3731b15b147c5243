/** @file Which of several guesses fit: those with which the program reads with the fewest mistakes. */
import type { Statement } from "../reading/syntax";
import { ALIKE, rankOf } from "./usual";

/** What reading a text says that guesses are judged by. */
export interface Reading {
  readonly mistakes: number;
  /** How many nodes it computes: what is broken makes none. */
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
}

/** How badly types fit: 0 without a mistake, else the less the more of the program they let through. */
const misfit = ({ mistakes, nodes }: { readonly mistakes: number; readonly nodes: number }): number =>
  mistakes === 0 ? 0 : 1 / (1 + nodes) + mistakes * 1e-6;

/** So many programs are read to find types that fit. */
const MAX_TRIES = 120;
/** So many nodes they may make together: a large model is not read a hundred times over. */
const MAX_NODES = 20_000;

/**
 * One of each row of `choices` (the likeliest come first) such that the mistakes of them all are fewest: one row after the other, twice.
 * Where that leaves a mistake, each input is tried as `asked` for, as what it meets wants it when all others are as they are; then the
 * same from other beginnings.
 */
export function fitting<T extends string | readonly string[]>(
  choices: readonly (readonly T[])[],
  read: (chosen: readonly T[]) => Pick<Reading, "mistakes" | "nodes">,
  asked: (chosen: readonly T[], at: number) => T | null = () => null,
): readonly T[] {
  const likeliest = choices.map((row) => row[0]!);
  if (choices.length === 0) return likeliest;
  let nodes = 0;
  let tries = 0;
  const mistakes = (chosen: readonly T[]): number => {
    tries++;
    const found = nodes > MAX_NODES ? null : read(chosen);
    nodes += found?.nodes ?? 0;
    return found ? misfit(found) : Infinity;
  };
  const goesOn = (): boolean => tries < MAX_TRIES;
  let best = descent(choices, likeliest, mistakes, goesOn);
  if (best.left > 0) best = meeting(choices, best, mistakes, asked);
  nodes = 0;
  const starts = (best.left > 0 ? othersThan(choices, likeliest) : []).map((start) => ({
    start,
    left: mistakes(start),
  }));
  nodes = 0;
  for (const { start } of starts.toSorted((a, b) => a.left - b.left)) {
    tries = 0;
    const other = descent(choices, start, mistakes, goesOn);
    if (other.left < best.left) best = meeting(choices, other, mistakes, asked);
    if (best.left <= 0) break;
  }
  return best.best;
}

/** Where to begin again: with the first input a batch of rows without an axis between, with all of so many axes, and with rows and numbers. */
function othersThan<T extends string | readonly string[]>(
  choices: readonly (readonly T[])[],
  likeliest: readonly T[],
): readonly (readonly T[])[] {
  const flat = choices[0]!.find((choice) => typeof choice === "string" && /^f32\[\d+, \d+\]$/.test(choice));
  const ranks = [4, 2, 3].map((rank) =>
    choices.map(
      (row, i) => row.find((choice) => typeof choice === "string" && rankOf(choice) === rank) ?? likeliest[i]!,
    ),
  );
  const all = (type: string, from: number): readonly T[] =>
    choices.map(
      (row, i) => (i >= from ? row.find((choice) => typeOfAll(choice)[0] === type) : undefined) ?? likeliest[i]!,
    );
  // Series over time are rows of numbers, and formulas of physics take numbers beside their data.
  const series = all("f32[256]", 0);
  const plain =
    choices.length > 1
      ? [all("f32[]", 1).with(0, series[0]!), series, all("f32[]", 1), all("f32[]", 0)]
      : [all("f32[]", 0)];
  const starts = [
    ...(flat === undefined ? [] : [likeliest.with(0, flat)]),
    ...(choices.length > 1 ? ranks : []),
    ...plain,
  ];
  return starts.filter((start) => start.some((choice, i) => choice !== likeliest[i]));
}

interface Found<T> {
  readonly best: readonly T[];
  readonly left: number;
}

/** One input after the other as what it meets wants it. */
function meeting<T>(
  choices: readonly (readonly T[])[],
  start: Found<T>,
  mistakes: (chosen: readonly T[]) => number,
  asked: (chosen: readonly T[], at: number) => T | null,
): Found<T> {
  let { best, left } = start;
  for (const i of choices.keys()) {
    const type = left > 0 ? asked(best, i) : null;
    if (type === null) continue;
    const tried = best.with(i, type);
    const now = mistakes(tried);
    if (now < left) [best, left] = [tried, now];
  }
  return { best, left };
}

function descent<T extends string | readonly string[]>(
  choices: readonly (readonly T[])[],
  start: readonly T[],
  mistakes: (chosen: readonly T[]) => number,
  goesOn: () => boolean,
): Found<T> {
  let best = start;
  let left = mistakes(best);
  // Often all have one shape: a mistake that the first of them makes must not hide what the others do.
  for (const alike of left > 0 ? alikeIn(choices) : []) {
    const isAlike = (choice: T): boolean =>
      typeof choice === "string" ? choice === alike : choice.every((type) => type === alike);
    const tried = choices.map((row, i) => (isType(row[0]!) ? row.find(isAlike) : undefined) ?? best[i]!);
    const now = mistakes(tried);
    if (now < left) [best, left] = [tried, now];
  }
  for (let round = 0; round < 2; round++) {
    const before = left;
    for (const [i, row] of choices.entries()) {
      for (const choice of row) {
        if (left <= 0 || !goesOn()) return { best, left };
        if (choice === best[i]) continue;
        const tried = best.with(i, choice);
        const now = mistakes(tried);
        if (now < left) [best, left] = [tried, now];
      }
    }
    // A mistake that no type mends is none of the types'.
    if (left === before) break;
  }
  return { best, left };
}

/** The one type of a choice. */
const typeOfAll = (choice: string | readonly string[]): readonly string[] => {
  const types = typeof choice === "string" ? [choice] : [...new Set(choice)];
  return types.length === 1 ? types : [];
};

/** Whether a choice is a shape, not a number that is known. */
const isType = (choice: string | readonly string[]): boolean =>
  (typeof choice === "string" ? choice : (choice[0] ?? "")).includes("[");

/** Shapes that every input could have, and those that many functions are written for. */
function alikeIn(choices: readonly (readonly (string | readonly string[])[])[]): readonly string[] {
  const rows = choices.map((row) => new Set(row.filter((choice) => typeof choice === "string")));
  const shared = [...(rows[0] ?? [])].filter((type) => rows.length > 1 && rows.every((row) => row.has(type)));
  return [...new Set([...shared.slice(0, 8), ...ALIKE])];
}
