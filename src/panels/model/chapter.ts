/** @file What the book's chapters print beside what is counted here. Only the printed pair is data; the rest is computed. */
import { node, usesOf, type Compilation, type Graph, type NodeId } from "../../fusion";

interface ChapterExample {
  /** Ops from the last to the first along the first operand. */
  readonly ops: readonly string[];
  readonly printed: readonly [number, number];
}

const examples: readonly ChapterExample[] = [{ ops: ["log", "relu", "add"], printed: [6, 3] }];

/** Ops from output `id` towards the sources while each has one reader; null where it branches. */
function chainOf(graph: Graph, id: NodeId): string[] {
  const uses = usesOf(graph);
  const ops: string[] = [];
  for (let at: NodeId | undefined = id; at; at = node(graph, at).inputs[0]) {
    const { op, inputs } = node(graph, at);
    if (inputs.length === 0) break;
    if (at !== id && (uses.get(at)?.length ?? 0) !== 1) break;
    ops.push(op);
  }
  return ops;
}

const same = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((each, i) => each === b[i]);

/** `The chapter prints 6 → 3; counted 7 → 3.`; null when the program is no chapter's example. */
export function chapterNote({ naive, naivePlan, fusedPlan }: Compilation): string | null {
  if (!naive || !naivePlan || !fusedPlan || naive.graph.outputs.length !== 1) return null;
  const chain = chainOf(naive.graph, naive.graph.outputs[0]!);
  const found = examples.find(({ ops }) => same(ops, chain));
  if (!found) return null;
  const [before, after] = [naivePlan.totals, fusedPlan.totals];
  const printed = `The chapter prints ${found.printed[0]} → ${found.printed[1]}`;
  if (before.transfers === before.fullSizeTransfers)
    return `${printed}; counted ${before.transfers} → ${after.transfers}.`;
  return `${printed}; counted ${before.fullSizeTransfers} → ${after.fullSizeTransfers} full-size.`;
}
