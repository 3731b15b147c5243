/** @file A plan drawn without the page's own canvas: beside another one, or in a race. It is looked at, not edited. */
import { fusionAt, savedMarks, type Compilation, type EdgeId, type NodeId, type Plan } from "../../fusion";
import { coloursAt, type Layout } from "../../state";
import type { Position } from "../../document";
import { capScene } from "./model/cap";
import { foldScene } from "./model/fold";
import type { Point } from "./model/geometry";
import { markPoint } from "./model/marks";
import { boxesOf } from "./model/place";
import { pictureOf, type Picture } from "./model/picture";
import { withSaved } from "./model/saved";
import { sceneOf } from "./model/scene";

export interface StillRequest {
  readonly compilation: Compilation;
  readonly cursor: number;
  /** Null while the worker makes it: names and bytes of kernels are then missing. */
  readonly plan: Plan | null;
  readonly layout: Layout;
  readonly moved: Readonly<Record<string, Position>>;
  /** Kernels become one box each. */
  readonly folds: boolean;
}

/** The picture of one state. */
export function stillOf({ compilation, cursor, plan, layout, moved, folds }: StillRequest): Picture {
  const fusion = fusionAt(compilation, cursor);
  const { steps } = compilation;
  const about = cursor < steps.length ? (steps[cursor - 1]?.nodes ?? []) : [];
  const scene = withSaved(
    sceneOf(fusion, plan, coloursAt(compilation, cursor)),
    savedMarks(fusion, steps.slice(0, cursor)),
  );
  const source = compilation.naive?.graph ?? fusion.graph;
  const folded = foldScene(scene, { byHand: new Map(), kernels: folds, about, source });
  const { scene: drawn } = capScene(folded, about);
  const boxes = boxesOf(drawn, { layout: layout.boxes, folded: layout.folded ?? null, moved });
  return pictureOf(drawn, boxes, layout.bends);
}

/** What a mark is about: the first of these lines that is drawn, else the first of these ops. */
export interface About {
  readonly edges: readonly EdgeId[];
  readonly nodes: readonly NodeId[];
}

/** Where its mark sits, in px of the graph; null where neither a line nor an op of it is drawn. */
export function placeOf({ lines, boxes, scene }: Picture, { edges, nodes }: About): Point | null {
  const wanted = new Set<EdgeId>(edges);
  const line = lines.find(({ edge }) => edge.also.some((id) => wanted.has(id)));
  if (line) return markPoint(line.points);
  for (const id of nodes) {
    const home = boxes.has(id) ? id : scene.nodes.find(({ inside }) => inside.includes(id))?.id;
    const box = home && boxes.get(home);
    if (box) return { x: box.x + box.width, y: box.y };
  }
  return null;
}
