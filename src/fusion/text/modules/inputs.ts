/** @file Which types the inputs of a class may have: what its layers say, else what reads without a mistake. */

import type { DefStatement } from "../syntax";
import { bare } from "../syntax";

/** Names that a def gives the parts of its parameter `name`, `cos, sin = rotary`; empty where it takes nothing apart. */
export function unpackedNames({ body }: DefStatement, name: string): readonly string[] {
  for (const each of body) {
    const [target, value] = each.kind === "assign" && each.value ? [bare(each.targets[0]!), bare(each.value)] : [];
    if (target?.kind !== "tuple" || value?.kind !== "name" || value.name !== name) continue;
    return target.items.flatMap((item) => (item.kind === "name" ? [item.name] : []));
  }
  return [];
}

/** Names that constants of a class give the width of what goes in, and what stands for it where none does. */
const WIDTH =
  /^(n_embd|d_model|dim|hidden\w*|embed\w*|n_state|width|in_features|channels|in_ch\w*|in_planes|inplanes|features|size)$/;
const MOST_WIDTHS = 6;
/** Extents that pictures usually have. */
const PICTURES = [32, 28, 224, 64, 96];

/** What an input could be, the likeliest first. */
function candidates(known: string | null, constants: readonly string[]): readonly string[] {
  const named = constants.filter((name) => WIDTH.test(name));
  const others = constants.filter((name) => !WIDTH.test(name));
  const widths = [...new Set([...named, ...(named.length === 0 ? ["256"] : []), ...others])].slice(0, MOST_WIDTHS);
  const pictures = known?.includes("32, 32")
    ? PICTURES.map((extent) => known.replace("32, 32", `${extent}, ${extent}`))
    : [];
  const flat = known === null ? [] : [known, known.replace("[8, 64, ", "[8, ")];
  const guesses = widths.flatMap((width) => [`f32[8, 64, ${width}]`, `f32[8, ${width}]`, `f32[8, ${width}, 32, 32]`]);
  return [...new Set([...flat, ...pictures, ...guesses, "f32[8, 3, 32, 32]", "i32[8, 64] = uniform(0, 100)"])];
}

/** Shapes that all inputs of a function may share. */
const ALIKE = ["f32[8, 64, 256]", "f32[8, 8, 64, 32]", "f32[64, 256]", "f32[8, 256]"];

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
  for (const alike of left > 0 ? ALIKE : []) {
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

/** A type for each of `inputs`: of the likely ones those that leave the fewest mistakes. */
export const fittingTypes = (
  inputs: readonly string[],
  first: string | null,
  constants: readonly string[],
  mistakes: (types: readonly string[]) => number,
): readonly string[] =>
  fitting(
    inputs.map((_, i) => candidates(i === 0 ? first : null, constants)),
    mistakes,
  );
