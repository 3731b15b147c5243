/** @file What sentences about a chapter's numbers are made of: both plans of one compilation. */
import { bytesOf, node, type Compilation, type CompileOptions, type Graph, type Plan } from "../../fusion";
import { significant } from "./units";

export interface Counted {
  readonly graph: Graph;
  readonly naive: Plan;
  readonly fused: Plan;
  readonly options: CompileOptions;
}

/** Null while a program has no plans. */
export const countedOf = ({ naive, naivePlan, fusedPlan, options }: Compilation): Counted | null =>
  naive && naivePlan && fusedPlan ? { graph: naive.graph, naive: naivePlan, fused: fusedPlan, options } : null;

/** A pair of counts, naive and fused. */
export type Pair = readonly [number, number];

export const arrow = ([before, after]: Pair): string => `${before} → ${after}`;
/** `2.33×`; `no less` where nothing is saved, `all of them` where nothing is left. */
export function fewer([before, after]: Pair): string {
  if (before <= after) return "no less";
  return after === 0 ? "all of them" : `${significant(before / after)}×`;
}

export const fullSize = ({ naive, fused }: Counted): Pair => [
  naive.totals.fullSizeTransfers,
  fused.totals.fullSizeTransfers,
];
export const allTransfers = ({ naive, fused }: Counted): Pair => [naive.totals.transfers, fused.totals.transfers];
export const kernels = ({ naive, fused }: Counted): Pair => [naive.totals.kernels, fused.totals.kernels];

/** Full-size reads and writes of values that the program computes; its inputs are left out. */
export function ofComputed(graph: Graph, plan: Plan): { readonly reads: number; readonly writes: number } {
  const counted = plan.kernels.flatMap(({ reads, writes }) => [
    ...reads.map((access) => ({ ...access, read: true })),
    ...writes.map((access) => ({ ...access, read: false })),
  ]);
  const found = counted.filter(({ value, fullSize: full }) => full && graph.nodes.get(value)?.op !== "input");
  const reads = found.filter(({ read }) => read).reduce((sum, { rereads }) => sum + 1 + rereads, 0);
  return { reads, writes: found.filter(({ read }) => !read).length };
}

/** Bytes of the largest input, of the largest value that is computed, and of the first result. */
export function largest({ graph }: Counted): {
  readonly input: number;
  readonly computed: number;
  readonly result: number;
} {
  const most = (inputs: boolean): number => {
    const all = [...graph.nodes.values()].filter(({ op }) => op !== "const" && (op === "input") === inputs);
    return Math.max(0, ...all.map(({ type }) => bytesOf(type)));
  };
  return { input: most(true), computed: most(false), result: bytesOf(node(graph, graph.outputs[0]!).type) };
}

/** FLOP of all kernels of a plan. */
export const flopsOf = ({ kernels: all }: Plan): number => all.reduce((sum, { flops }) => sum + flops, 0);
