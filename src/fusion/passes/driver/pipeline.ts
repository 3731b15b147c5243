/** @file Which passes run, and in which order: the level's, without reordering unless the document says otherwise, and never in an order that can't run. */
import type { CompileOptions, Step, Sums } from "../../ir";
import type { FusionPass } from "./define";
import { passCatalogue, type Level } from "../catalogue";

const MAX_LEVEL: Level = 3;

/** What each level is for, lowest first. */
export const levels: readonly { readonly level: Level; readonly sentence: string }[] = [
  { level: 0, sentence: "No pass runs: the naive plan, as written." },
  { level: 1, sentence: "Cleans up the graph and merges producers into consumers." },
  { level: 2, sentence: "Also fuses row reductions, matmul epilogues and kernels with several outputs." },
  { level: 3, sentence: "Also rewrites with algebra: patterns, attention, weights folded in advance." },
];

/** The lowest level that runs this pass. */
export const levelOf = (name: string): Level => passCatalogue.find((pass) => pass.name === name)?.level ?? MAX_LEVEL;

const counts = ({ kernels, transfers, bytes }: Sums): string => [kernels, transfers, bytes].join();

/** The highest level of a pass that changed what the plan counts, beginning with `naive`; what a pass only names does not count. */
export function levelUsed(steps: readonly Pick<Step, "pass" | "accepted" | "totals">[], naive: Sums): Level {
  const used = steps.flatMap(({ pass, accepted, totals }, i) =>
    accepted && counts(totals) !== counts(steps[i - 1]?.totals ?? naive) ? [levelOf(pass)] : [],
  );
  return used.reduce<Level>((most, level) => (level > most ? level : most), 0);
}

/** The passes of a level, in their order; every pass where no level is chosen. */
export const passesOf = (passes: readonly FusionPass[], level: Level = MAX_LEVEL): FusionPass[] =>
  passes.filter(({ name }) => levelOf(name) <= level);

interface OrderRule {
  /** Runs before all of `later`. */
  readonly first: string;
  readonly later: readonly string[];
  readonly reason: string;
}

const names = passCatalogue.map(({ name }) => name);

const rules: readonly OrderRule[] = [
  ...passCatalogue.flatMap(({ name: first, before = [] }) =>
    before.map(({ passes, reason }) => ({
      first,
      later: passCatalogue.filter(passes).map(({ name }) => name),
      reason,
    })),
  ),
  ...passCatalogue.flatMap(({ name: later, last: reason }) =>
    reason === undefined
      ? []
      : names.filter((name) => name !== later).map((first) => ({ first, later: [later], reason })),
  ),
];

/** Why passes can't run in this order; what breaks it stands in `passes`. */
export interface OrderRefusal {
  readonly passes: readonly [first: string, later: string];
  readonly text: string;
}

/** Null when the passes can run in this order. */
export function orderRefusal(order: readonly string[]): OrderRefusal | null {
  const ranks = new Map(order.map((name, rank) => [name, rank]));
  for (const { first, later, reason } of rules) {
    const [before, after] = [first, later.find((name) => (ranks.get(name) ?? Infinity) < (ranks.get(first) ?? -1))];
    if (after === undefined) continue;
    return { passes: [before, after], text: `${titleOf(before)} runs before ${titleOf(after)}: ${reason}.` };
  }
  return null;
}

const titleOf = (name: string): string => `“${passCatalogue.find((pass) => pass.name === name)?.title ?? name}”`;

/**
 * Names of all passes in the order that `wanted` asks for: names that it lacks stay behind the pass before them,
 * names of no pass are left out. The usual order where `wanted` can't run.
 */
export function passOrder(wanted: readonly string[] = names): readonly string[] {
  const order = [...new Set(wanted)].filter((name) => names.includes(name));
  names.forEach((name, rank) => {
    if (order.includes(name)) return;
    order.splice(rank === 0 ? 0 : order.indexOf(names[rank - 1]!) + 1, 0, name);
  });
  return orderRefusal(order) ? names : order;
}

/** The passes that the options ask for, in their order; switched-off ones are still among them. */
export function pipelineOf(
  passes: readonly FusionPass[],
  { level, order }: Pick<CompileOptions, "level" | "order">,
): FusionPass[] {
  const chosen = passesOf(passes, level);
  if (!order) return chosen;
  const ranks = new Map(passOrder(order).map((name, rank) => [name, rank]));
  return chosen.toSorted((a, b) => ranks.get(a.name)! - ranks.get(b.name)!);
}
