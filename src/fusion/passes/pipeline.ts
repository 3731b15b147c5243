/** @file Which passes run, and in which order: the level's, without reordering unless the document says otherwise, and never in an order that can't run. */
import type { CompileOptions } from "../ir";
import type { FusionPass } from "./define";
import { passesOf } from "./levels";
import { passCatalogue } from "./catalogue";

interface OrderRule {
  /** Runs before all of `later`. */
  readonly first: string;
  readonly later: readonly string[];
  readonly reason: string;
}

const names = passCatalogue.map(({ name }) => name);
const MERGING = [
  "tiles-again",
  "transpose-folding",
  "attention",
  "contract-reduce",
  "contraction-epilogue",
  "row-picks",
  "row-groups",
  "row-scale",
  "producer-consumer",
  "multi-output",
];
const LAST = "budget-split";

const rules: readonly OrderRule[] = [
  {
    first: "canonicalise",
    later: MERGING,
    reason: "it drops values that nobody reads, and a kernel that was merged around such a value would store nothing",
  },
  {
    first: "canonicalise",
    later: ["saved-values"],
    reason: "it computes equal values once, so it would undo a recomputation",
  },
  ...names
    .filter((name) => name !== LAST)
    .map((first) => ({ first, later: [LAST], reason: "what changes afterwards could break a limit again" })),
];

/** Why passes can't run in this order; what breaks it stands in `passes`. */
export interface OrderRefusal {
  readonly passes: readonly [first: string, later: string];
  readonly text: string;
}

/** Null when the passes can run in this order. */
export function orderRefusal(order: readonly string[]): OrderRefusal | null {
  const places = new Map(order.map((name, place) => [name, place]));
  for (const { first, later, reason } of rules) {
    const [before, after] = [first, later.find((name) => (places.get(name) ?? Infinity) < (places.get(first) ?? -1))];
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
  names.forEach((name, place) => {
    if (order.includes(name)) return;
    order.splice(place === 0 ? 0 : order.indexOf(names[place - 1]!) + 1, 0, name);
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
  const places = new Map(passOrder(order).map((name, place) => [name, place]));
  return chosen.toSorted((a, b) => places.get(a.name)! - places.get(b.name)!);
}
