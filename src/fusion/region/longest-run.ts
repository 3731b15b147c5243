/**
 * @file How far one kernel can reach into a list of members. A member that no kernel of a call as written can compute beside one
 * before it ends the run, whatever else joins them: a search for the longest kernel looks no further.
 */
import { MAX_BINDINGS, node, type Graph, type Node, type NodeId } from "../ir";
import { opDef } from "../ops";
import { isFreeView, isInlined, resolveView } from "./indices/views";
import { isLaunched } from "./loops/launched";
import { MAX_PRODUCTS, neverShare } from "./shared-operand";

/**
 * At most so many of `members`, from the first on, are one kernel of the naive plan. A longer run reads more buffers than every
 * machine binds, or `classifyPlain` refuses it.
 * @param members in topological order
 */
export function longestRun(graph: Graph, members: readonly NodeId[]): number {
  const inside = new Set<NodeId>();
  const stored = new Set<NodeId>();
  const products: Node[] = [];
  let [computed, opaque, launched] = [0, false, false];
  for (const [at, id] of members.entries()) {
    const n = node(graph, id);
    inside.add(id);
    // Others may see a view that the kernel itself does not need: what it shows is read where it is computed on.
    if (isFreeView(n)) continue;
    const { kind } = opDef(n.op);
    computed++;
    opaque ||= kind === "opaque";
    launched ||= isLaunched(n);
    if (opaque && computed > 1) return at;
    if (kind === "contraction") {
      if (products.length === MAX_PRODUCTS || (products[0] && neverShare(products[0], n))) return at;
      products.push(n);
    }
    for (const input of n.inputs) {
      const shown = resolveView(graph, input);
      if (!inside.has(shown) && !isInlined(node(graph, shown))) stored.add(shown);
    }
    // Each launch of a loop binds its own few.
    if (!launched && stored.size >= MAX_BINDINGS) return at;
  }
  return members.length;
}
