/** @file Where the arrow keys lead: from an op along its lines, from a line to its ends or its neighbours. */
import type { EdgeId, NodeId } from "../../../fusion";
import type { Scene } from "../../../picture";

export type FocusTarget =
  { readonly kind: "node"; readonly id: NodeId } | { readonly kind: "edge"; readonly id: EdgeId };
export type Arrow = "ArrowUp" | "ArrowDown" | "ArrowLeft" | "ArrowRight";

/** The op or line that `arrow` leads to from `at`; null when there is nothing that way. */
export function walk({ nodes, edges }: Scene, at: FocusTarget, arrow: Arrow): FocusTarget | null {
  if (at.kind === "node") {
    if (arrow === "ArrowUp" || arrow === "ArrowDown") {
      const line = edges.find(({ from, to }) => (arrow === "ArrowUp" ? to : from) === at.id);
      return line ? { kind: "edge", id: line.id } : null;
    }
    const index = nodes.findIndex(({ id }) => id === at.id);
    const next = nodes[index + (arrow === "ArrowRight" ? 1 : -1)];
    return index >= 0 && next ? { kind: "node", id: next.id } : null;
  }
  const line = edges.find(({ id }) => id === at.id);
  if (!line) return null;
  if (arrow === "ArrowUp") return { kind: "node", id: line.from };
  if (arrow === "ArrowDown") return { kind: "node", id: line.to };
  const siblings = edges.filter(({ from, to }) => from === line.from || to === line.to);
  const step = arrow === "ArrowRight" ? 1 : siblings.length - 1;
  const next = siblings[(siblings.indexOf(line) + step) % siblings.length]!;
  return next.id === line.id ? null : { kind: "edge", id: next.id };
}
