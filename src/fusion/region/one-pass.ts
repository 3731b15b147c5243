/**
 * @file Two passes over a row that one can do, since what the second needed of the first can be repaired while both run: a peak with a
 * sum of exponentials below it (online softmax, arXiv 1805.02867), a mean with the squares around it (Welford, Technometrics 1962).
 */
import { findNode, node, type Graph, type Node, type NodeId, type Region } from "../ir";
import type { RowPlacement } from "./classify";
import type { RegionForm } from "./types";
import { isFreeView } from "./views";

export interface MergedStages {
  /** The earlier of the two; the other follows it. */
  readonly stage: number;
  readonly kind: "peak" | "moments";
  /** The reductions, and what the first of them folds. */
  readonly first: NodeId;
  readonly second: NodeId;
  readonly operand: NodeId;
}

/** What a chain of free views shows. */
function seen(graph: Graph, id: NodeId): Node {
  let n = node(graph, id);
  while (isFreeView(n)) n = node(graph, n.inputs[0]!);
  return n;
}

/** `x − first`, however the row's value is spread. */
function isCentred(graph: Graph, id: NodeId, first: Node): boolean {
  const { op, inputs } = node(graph, id);
  if (op !== "sub") return false;
  const [x, by] = inputs;
  return x === first.inputs[0] && seen(graph, by!).id === first.id;
}

/** What the second reduction makes of the first, or null where nothing repairs it. */
function kindOf(graph: Graph, first: Node, second: Node): MergedStages["kind"] | null {
  const folded = findNode(graph, second.inputs[0]!);
  if (!folded) return null;
  const centred = folded.inputs.length > 0 && folded.inputs.every((input) => isCentred(graph, input, first));
  if (!centred) return null;
  if (first.op === "max" && second.op === "sum" && folded.op === "exp") return "peak";
  const squares = folded.op === "square" || folded.op === "mul";
  return first.op === "mean" && (second.op === "mean" || second.op === "sum") && squares ? "moments" : null;
}

/** Pairs of neighbouring stages that one walk folds: each stage is one f32 reduction and stores nothing itself. None beside scans and sorts. */
export function mergedStages(
  graph: Graph,
  { outputs }: Pick<Region, "outputs">,
  form: RegionForm,
  { places }: Pick<RowPlacement, "places">,
): MergedStages[] {
  // A scan goes on from where it stands and a sort holds the row: each is walked by passes of its own.
  if (form.scans.length + form.orders.length > 0) return [];
  if (form.scans.length > 0 || form.orders.length > 0) return [];
  const stages = new Map<number, NodeId[]>();
  for (const { node: id, stage } of form.reductions) stages.set(stage, [...(stages.get(stage) ?? []), id]);
  const merged: MergedStages[] = [];
  for (const [stage, ids] of stages) {
    const next = stages.get(stage + 1) ?? [];
    if (ids.length !== 1 || next.length !== 1 || merged.at(-1)?.stage === stage - 1) continue;
    const [first, second] = [node(graph, ids[0]!), node(graph, next[0]!)];
    const kind = first.type.dtype === "f32" && second.type.dtype === "f32" ? kindOf(graph, first, second) : null;
    const stored = outputs.some((id) => {
      const { role, stage: known } = places.get(id)!;
      return role !== "row" && (known === stage || known === stage + 1);
    });
    if (kind && !stored) merged.push({ stage, kind, first: first.id, second: second.id, operand: first.inputs[0]! });
  }
  return merged;
}
