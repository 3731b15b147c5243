/** @file Which kernels a value of the text went to, in words for its hover. Pure. */
import { findNode, kernelWords, type Graph, type NodeId, type Plan } from "../../fusion";

/** `Computed by K2 row stats.`; empty when no kernel computes it (inputs, views, what a pass removed). */
export function kernelSentence(plan: Plan, graph: Graph, id: NodeId): string {
  const comesFrom = (planned: NodeId): boolean =>
    planned === id || (findNode(graph, planned)?.origins.includes(id) ?? false);
  const names = plan.kernels.flatMap((kernel) =>
    kernel.nodes.some(comesFrom) ? [`**${kernel.id}** ${kernelWords(kernel.name)}`] : [],
  );
  return names.length === 0 ? "" : `Computed by ${names.join(", ")}.`;
}
