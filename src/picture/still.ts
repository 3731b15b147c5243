/** @file The picture of one state of a compilation, whole: for views that stand still, for files, for pages made at build time. */
import { fusionAt, savedMarks, type Compilation, type NodeId, type Plan } from "../fusion";
import type { Position } from "../document";
import { capScene } from "./cap";
import { drawingOf, element, written, type Ink, type Shape } from "./drawing";
import { foldScene } from "./fold";
import { coloursAt } from "./kernel-colours";
import { layoutGraph } from "./layout/graph";
import { foldedRequest, layoutRequest, type Box, type GraphLayout } from "./layout/request";
import { pictureOf, type Picture } from "./picture";
import { boxesOf } from "./place";
import { withSaved } from "./saved";
import { sceneOf } from "./scene";

/** Where boxes stand and far lines bend; `folded`: the same with every series of blocks that opens folded as one box. */
export interface Placed extends Pick<GraphLayout, "boxes" | "bends"> {
  readonly folded?: ReadonlyMap<NodeId, Box>;
}

export interface StillRequest {
  readonly compilation: Compilation;
  readonly cursor: number;
  /** Null while the worker makes it: names and bytes of kernels are then missing. */
  readonly plan: Plan | null;
  readonly layout: Placed;
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
  const boxes = boxesOf(drawn, { layout: layout.boxes, folded: layout.folded ?? null, moved, closed: folds });
  return pictureOf(drawn, boxes, layout.bends);
}

/** Lays all steps out here and now: for who has no worker to ask. */
export function placedBy(compilation: Pick<Compilation, "naive" | "drawn" | "steps">): Placed {
  const request = layoutRequest(compilation);
  const folded = foldedRequest(request, compilation.naive?.graph ?? compilation.drawn);
  return { ...layoutGraph(request), ...(folded && { folded: layoutGraph(folded).boxes }) };
}

const SANS = "system-ui, sans-serif";

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

function printed(shape: Shape | string, between = ""): string {
  if (typeof shape === "string") return escaped(shape);
  const { name, values, inside } = shape;
  const list = Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${escaped(written(value!))}"`)
    .join("");
  if (inside.length === 0) return `<${name}${list}/>`;
  return `<${name}${list}>${between}${inside.map((each) => printed(each)).join(between)}${between}</${name}>`;
}

/** `title` names the file's picture for who can't see it. */
export function svgOf(picture: Picture, title: string, ink: Ink): string {
  const { area, shapes } = drawingOf(picture, { ink, zoom: 1 });
  const { x, y, width, height } = area;
  const frame = {
    xmlns: "http://www.w3.org/2000/svg",
    width,
    height,
    viewBox: [x, y, width, height].map(written).join(" "),
    "font-family": SANS,
  };
  const ground = element("rect", { x, y, width, height, fill: ink("canvas") });
  return `${printed(element("svg", frame, element("title", {}, title), ground, ...shapes), "\n")}\n`;
}
