/** @file At most 2,000 boxes are drawn; of a larger graph, those around the shown step. All of it is planned and counted. */
import type { NodeId } from "../fusion";
import type { Scene } from "./scene";

export const MAX_DRAWN = 2000;
/** The window moves in strides, so that most steps leave it where it is. */
const STRIDE = 500;

export interface Capped {
  readonly scene: Scene;
  /** Boxes in all; null when every one is drawn. */
  readonly outOf: number | null;
}

/** The part of `scene` around the first of `about` that is in it, else its beginning. */
export function capScene(scene: Scene, about: readonly NodeId[], most = MAX_DRAWN, stride = STRIDE): Capped {
  const { length } = scene.nodes;
  if (length <= most) return { scene, outOf: null };
  const wanted = new Set(about);
  const centre = scene.nodes.findIndex(({ id, inside }) => wanted.has(id) || inside.some((each) => wanted.has(each)));
  const first = Math.floor(Math.max(0, centre - most / 2) / stride) * stride;
  const from = Math.min(first, length - most);
  const nodes = scene.nodes.slice(from, from + most);
  const drawn = new Set(nodes.map(({ id }) => id));
  const edges = scene.edges.filter((edge) => drawn.has(edge.from) && drawn.has(edge.to));
  return { scene: { ...scene, nodes, edges }, outOf: length };
}
