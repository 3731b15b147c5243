/** @file Lines of a scene whose ops stand in boxes. */
import { edgeId } from "../../fusion";
import type { NodeId } from "../../fusion";
import type { SceneEdge } from "../scene";

/** Lines between boxes, `homeOf` saying which box an op or input is in. One line for each value and reader: two values into one box stay two lines. */
export function linesBetween(edges: readonly SceneEdge[], homeOf: ReadonlyMap<NodeId, NodeId>): SceneEdge[] {
  const lines = new Map<string, SceneEdge>();
  for (const edge of edges) {
    const from = homeOf.get(edge.from) ?? edge.from;
    const to = homeOf.get(edge.to) ?? edge.to;
    if (from === to) continue;
    const key = `${edge.from}>${to}`;
    const known = lines.get(key);
    if (known) lines.set(key, together(known, edge));
    else if (from === edge.from && to === edge.to) lines.set(key, edge);
    else lines.set(key, { ...edge, id: edgeId(edge.from, to, edge.operand), from, to });
  }
  return [...lines.values()];
}

/** Two lines that fall on one: the pipe shows when either is one, and a value in registers rather than one that is recomputed. */
function together({ again, ...known }: SceneEdge, edge: SceneEdge): SceneEdge {
  const also = [...known.also, ...edge.also];
  if (known.kind === "memory" || (edge.kind !== "memory" && !edge.again)) return { ...known, also };
  if (edge.kind === "memory") return { ...known, also, kind: "memory", width: edge.width, tone: null };
  return { ...known, also, ...(again && { again }) };
}
