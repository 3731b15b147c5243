/** @file A plain layout for tests: one row for each depth, ops of a row side by side. The real one is the worker's. */
import { fusionAt } from "../fusion";
import type { Compilation, NodeId } from "../fusion";
import { boxSizes } from "../document";
import type { Box } from "./lines/geometry";
import { sceneOf } from "./scene";

export function layoutOf(compilation: Compilation): Map<NodeId, Box> {
  const depth = new Map<NodeId, number>();
  const boxes = new Map<NodeId, Box>();
  const width: number[] = [];
  for (let cursor = 0; cursor <= compilation.steps.length; cursor++) {
    const { nodes, edges } = sceneOf(fusionAt(compilation, cursor), null);
    for (const { id, kind } of nodes) {
      if (boxes.has(id) || kind === "folded") continue;
      const row = Math.max(-1, ...edges.filter(({ to }) => to === id).map(({ from }) => depth.get(from) ?? 0)) + 1;
      depth.set(id, row);
      const column = (width[row] = (width[row] ?? -1) + 1);
      boxes.set(id, { x: column * 216, y: row * 84, ...boxSizes[kind] });
    }
  }
  return boxes;
}
