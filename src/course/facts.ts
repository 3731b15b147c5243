/** @file What a lesson may ask of a program: counts of both plans, from the functions that the page's own numbers come from. */
import { peakOf, type Compilation, type Fusion, type NodeId, type Plan, type Totals } from "../fusion";
import type { Scope, Value } from "./expression";

/** Times that the visitor's own run measured, in microseconds; null before a run. */
export interface MeasuredTimes {
  readonly naive: number;
  readonly fused: number;
}

/** Kernels that were written by hand. */
export interface HandFacts {
  /** Bytes that the fused plan moves with them; null where they were not counted. */
  readonly bytes: number | null;
  /** They ran, and their values are the reference's; null before a run of these very texts. */
  readonly right: boolean | null;
}

const COUNTS: Readonly<Record<string, (totals: Totals) => number>> = {
  kernels: (totals) => totals.kernels,
  transfers: (totals) => totals.transfers,
  large: (totals) => totals.fullSizeTransfers,
  bytes: (totals) => totals.bytes,
  peak: (totals) => totals.peakBytes,
  micros: (totals) => totals.predictedMicros,
};

/** Every name that a check or a sentence may use; `naive.` before a count asks the naive plan. */
export const factNames: readonly string[] = [
  ...Object.keys(COUNTS).flatMap((name) => [name, `naive.${name}`]),
  "decisions",
  "refusals",
  "measured.naive",
  "measured.fused",
  "hand.bytes",
  "hand.right",
];

/** The nodes that a name of the program stands for: the value itself, else the nodes that the fused graph made of it. */
function nodesNamed({ symbols }: Compilation, { graph }: Fusion, name: string): NodeId[] {
  const node = symbols.find((symbol) => symbol.name === name)?.node;
  if (!node) return [];
  if (graph.nodes.has(node)) return [node];
  return [...graph.nodes.values()].filter(({ origins }) => origins.includes(node)).map(({ id }) => id);
}

/** Facts of a compiled program; `final` is its fused state. Null where the program has no plan. */
export function factsOf(
  compilation: Compilation,
  final: Fusion,
  measured: MeasuredTimes | null = null,
  hand: HandFacts | null = null,
): Scope {
  const { naivePlan, fusedPlan, steps } = compilation;
  const totals = (plan: Plan): Totals => ({ ...plan.totals, peakBytes: peakOf(plan) });
  const homes = (name: string): Set<string> => {
    const ids = new Set(nodesNamed(compilation, final, name));
    return new Set(
      [...final.regions.values()].flatMap(({ id, members }) => (members.some((m) => ids.has(m)) ? id : [])),
    );
  };
  return {
    number(name): Value | null {
      if (name === "decisions") return steps.length;
      if (name === "refusals") return steps.filter((step) => !(step.profitable ?? step.legal).ok).length;
      // What nobody knows yet is no success.
      if (name === "hand.bytes") return hand?.bytes ?? Infinity;
      if (name === "hand.right") return hand?.right ?? false;
      if (name === "measured.naive") return measured?.naive ?? null;
      if (name === "measured.fused") return measured?.fused ?? null;
      const count = COUNTS[name.replace(/^naive\./, "")];
      const plan = name.startsWith("naive.") ? naivePlan : fusedPlan;
      return count && plan ? count(totals(plan)) : null;
    },
    /** `fused(a, b)`: one kernel of the fused plan computes all of them. `stored(a)`: a kernel writes it to memory. */
    call(name, names): Value | null {
      if (name === "fused") {
        const [first, ...rest] = names.map(homes);
        return [...(first ?? [])].some((region) => rest.every((home) => home.has(region)));
      }
      if (name === "stored") {
        const ids = new Set(names.flatMap((each) => nodesNamed(compilation, final, each)));
        return [...final.regions.values()].some(({ outputs }) => outputs.some((id) => ids.has(id)));
      }
      return null;
    },
  };
}
