/** @file Chooses the engine that lays a graph out, and puts the two passes of a derivative in columns of their own. Pure. */
import type { Position } from "../../document";
import { laneLayout } from "./lanes";
import { dagreLayout } from "./dagre";
import { sketchOf } from "./sketch";
import type { Box, GraphLayout, LayoutRequest } from "./request";

const MAX_FOR_DAGRE = 1000;
const MAX_LANES = 6;

/**
 * Boxes for every node, top to bottom. Main chains stand in columns with side branches to their right; graphs too
 * tangled for that go through dagre, up to 1,000 nodes. A backward pass runs back up at the right of the forward pass.
 */
export function layoutGraph(request: LayoutRequest): GraphLayout {
  return inTwoColumns(request, inOneColumn) ?? inOneColumn(request);
}

function inOneColumn(request: LayoutRequest): GraphLayout {
  const sketch = sketchOf(request);
  const lanes = laneLayout(sketch);
  const tangled = lanes.lanes > MAX_LANES && request.nodes.length <= MAX_FOR_DAGRE;
  return request.engine === "auto" && tangled ? dagreLayout(request, sketch) : lanes.layout;
}

/** Between the columns: what is saved crosses here, with its bytes. */
const BETWEEN = 150;

/** The nodes of each pass with the edges among them; null where there is only one pass. */
function phasesOf({ nodes, edges, engine }: LayoutRequest): readonly [LayoutRequest, LayoutRequest] | null {
  const isWork = (late: boolean): boolean => nodes.some((node) => node.late === late && node.kind !== "input");
  if (!isWork(true) || !isWork(false)) return null;
  const part = (late: boolean): LayoutRequest => {
    const index = new Map<number, number>();
    nodes.forEach((node, i) => node.late === late && index.set(i, index.size));
    return {
      nodes: nodes.filter((node) => node.late === late),
      edges: edges.flatMap((edge) => {
        const [from, to] = [index.get(edge.from), index.get(edge.to)];
        return from === undefined || to === undefined ? [] : [{ ...edge, from, to }];
      }),
      engine,
    };
  };
  return [part(false), part(true)];
}

/** Both passes laid out by `layout`, the backward pass upside down at the right: its first op is beside the loss. */
function inTwoColumns(request: LayoutRequest, layout: (part: LayoutRequest) => GraphLayout): GraphLayout | null {
  const phases = phasesOf(request);
  if (!phases) return null;
  const [forward, backward] = phases.map(layout) as [GraphLayout, GraphLayout];
  const height = Math.max(forward.height, backward.height);
  const left = forward.width + BETWEEN;
  const boxes = new Map(forward.boxes);
  for (const [id, { x, y, ...size }] of backward.boxes)
    boxes.set(id, { x: x + left, y: height - y - size.height, ...size } satisfies Box);
  const bends = new Map(forward.bends);
  const upwards = ({ x, y }: Position): Position => ({ x: x + left, y: height - y });
  for (const [id, points] of backward.bends) bends.set(id, points.map(upwards));
  return { boxes, bends, width: left + backward.width, height };
}
