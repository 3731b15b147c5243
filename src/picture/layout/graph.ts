/** @file Chooses the engine that lays a graph out. Pure. */
import { laneLayout } from "./lanes";
import { dagreLayout } from "./dagre";
import { sketchOf } from "./sketch";
import type { GraphLayout, LayoutRequest } from "./request";

const MOST_FOR_DAGRE = 1000;
const MOST_LANES = 6;

/**
 * Boxes for every node, top to bottom. Main chains stand in columns with side branches to their right; graphs too
 * tangled for that go through dagre, up to 1,000 nodes.
 */
export function layoutGraph(request: LayoutRequest): GraphLayout {
  const sketch = sketchOf(request);
  const lanes = laneLayout(sketch);
  const tangled = lanes.lanes > MOST_LANES && request.nodes.length <= MOST_FOR_DAGRE;
  return request.engine === "auto" && tangled ? dagreLayout(request, sketch) : lanes.layout;
}
