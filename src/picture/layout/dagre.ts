/** @file Dagre's layout for graphs that columns do not suit: ranks from top to bottom, docked inputs beside their reader. */
import { Graph, layout } from "@dagrejs/dagre";
import type { EdgeId, NodeId } from "../../fusion";
import type { Position } from "../../document";
import { boxSizes } from "../../document";
import { sizeIn } from "./sketch";
import type { Sketch } from "./sketch";
import type { Box, GraphLayout, LayoutRequest } from "./request";

const DOCK_GAP = 6;
const DOCK_DISTANCE = 40;
const TIGHT_TREE_FROM = 300;

/** Network simplex gives the shortest edges; above 300 nodes it is too slow, and a tight tree does. */
export function dagreLayout(request: LayoutRequest, sketch: Sketch): GraphLayout {
  const docked = new Map<number, number[]>();
  sketch.dock.forEach((to, i) => {
    if (to >= 0) docked.set(to, [...(docked.get(to) ?? []), i]);
  });
  const ranker = request.nodes.length > TIGHT_TREE_FROM ? "tight-tree" : "network-simplex";
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: "TB", ranker, nodesep: 44, edgesep: 20, ranksep: 36 });
  graph.setDefaultEdgeLabel(() => ({}));
  request.nodes.forEach((_, i) => {
    if (sketch.dock[i]! >= 0) return;
    const size = sizeIn(sketch, i);
    const beside = docked.get(i)?.length ?? 0;
    const width = size.width + (beside > 0 ? 2 * (DOCK_DISTANCE + boxSizes.docked.width) : 0);
    const height = Math.max(size.height, beside * (boxSizes.docked.height + DOCK_GAP) - DOCK_GAP);
    graph.setNode(String(i), { width, height });
  });
  for (const { id, from, to } of request.edges) {
    if (sketch.dock[from]! < 0)
      graph.setEdge(String(from), String(to), { weight: sketch.main[to] === from ? 4 : 1 }, id);
  }
  layout(graph);
  return { ...boxesOf(graph, sketch, docked), bends: bendsOf(graph) };
}

interface Placed {
  readonly x: number;
  readonly y: number;
}

function boxesOf(
  graph: Graph,
  sketch: Sketch,
  docked: ReadonlyMap<number, readonly number[]>,
): Omit<GraphLayout, "bends"> {
  const boxes = new Map<NodeId, Box>();
  let [width, height] = [0, 0];
  const put = (i: number, box: Box): void => {
    boxes.set(sketch.nodes[i]!.id, box);
    width = Math.max(width, box.x + box.width);
    height = Math.max(height, box.y + box.height);
  };
  sketch.nodes.forEach((_, i) => {
    if (sketch.dock[i]! >= 0) return;
    const size = sizeIn(sketch, i);
    const { x, y } = graph.node(String(i)) as Placed;
    put(i, { x: Math.round(x - size.width / 2), y: Math.round(y - size.height / 2), ...size });
    const beside = docked.get(i) ?? [];
    const { width: w, height: h } = boxSizes.docked;
    const top = y - (beside.length * (h + DOCK_GAP) - DOCK_GAP) / 2;
    beside.forEach((d, k) => {
      const left = Math.round(x + size.width / 2 + DOCK_DISTANCE);
      put(d, { x: left, y: Math.round(top + k * (h + DOCK_GAP)), width: w, height: h });
    });
  });
  return { boxes, width, height };
}

/** Inner points of each edge: dagre's dummies, which keep clear of boxes. */
function bendsOf(graph: Graph): Map<EdgeId, readonly Position[]> {
  const bends = new Map<EdgeId, readonly Position[]>();
  for (const edge of graph.edges()) {
    const { points } = graph.edge(edge) as { points?: readonly Placed[] };
    if (edge.name && points && points.length > 3) {
      bends.set(
        edge.name as EdgeId,
        points.slice(1, -1).map(({ x, y }) => ({ x: Math.round(x), y: Math.round(y) })),
      );
    }
  }
  return bends;
}
