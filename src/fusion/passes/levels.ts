/** @file Levels of planning: which passes each one runs. */
import type { CompileOptions } from "../ir";
import type { FusionPass } from "./define";

export type Level = NonNullable<CompileOptions["level"]>;

/**
 * 0 leaves the naive plan. 1 tidies the graph and merges op by op. 2 also forms the kernels that take structure: rows, products
 * with what follows them, several outputs. 3 also rewrites by algebra. What the first two levels leave out belongs to the third.
 */
const FIRST_LEVEL: ReadonlyMap<string, Level> = new Map<string, Level>([
  ["canonicalise", 1],
  ["loops", 1],
  ["transpose-folding", 1],
  ["producer-consumer", 1],
  ["budget-split", 1],
  ["row-groups", 2],
  ["contraction-epilogue", 2],
  ["multi-output", 2],
]);
const HIGHEST: Level = 3;

/** What each level is for, lowest first. */
export const levels: readonly { readonly level: Level; readonly sentence: string }[] = [
  { level: 0, sentence: "No pass runs: the naive plan, as written." },
  { level: 1, sentence: "Cleans up the graph and merges producers into consumers." },
  { level: 2, sentence: "Also fuses row reductions, matmul epilogues and kernels with several outputs." },
  { level: 3, sentence: "Also rewrites with algebra: patterns, attention, weights folded in advance." },
];

/** The lowest level that runs this pass. */
export const levelOf = (name: string): Level => FIRST_LEVEL.get(name) ?? HIGHEST;

/** The passes of a level, in their order; every pass where no level is chosen. */
export const passesOf = (passes: readonly FusionPass[], level: Level = HIGHEST): FusionPass[] =>
  passes.filter(({ name }) => levelOf(name) <= level);
