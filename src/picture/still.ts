/** @file The picture of one state of a compilation, whole: for views that stand still, for files, for pages made at build time. */
import { fusionAt, outputNames, savedMarks, type Compilation, type NodeId, type Plan } from "../fusion";
import type { Area, Position } from "../document";
import { capScene } from "./cap";
import { drawingOf, element, written, zoomToFit, type Ink, type Shape, type Values } from "./drawing";
import { plural, showBytes, textWidth } from "./format";
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
    sceneOf(fusion, plan, {
      colours: coloursAt(compilation, cursor),
      names: outputNames(compilation.drawn, compilation.symbols),
    }),
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
  const ground = element("rect", { ...area, fill: ink("canvas") });
  const { width, height } = area;
  return file({ width, height, viewBox: boxOf(area) }, title, [ground, ...shapes]);
}

const boxOf = ({ x, y, width, height }: Area): string => [x, y, width, height].map(written).join(" ");

/** A picture of its own, called `title`. */
export const fileOf = (size: Values, title: string, shapes: readonly Shape[]): Shape =>
  element(
    "svg",
    { xmlns: "http://www.w3.org/2000/svg", ...size, "font-family": SANS },
    element("title", {}, title),
    ...shapes,
  );

/** The text of a picture of its own. */
export const svgText = (picture: Shape): string => `${printed(picture, "\n")}\n`;

const file = (size: Values, title: string, shapes: readonly Shape[]): string => svgText(fileOf(size, title, shapes));

/** px of a card: what chats and search engines show beside a link. */
export const CARD = { width: 1200, height: 630 } as const;
const EDGE = 40;
const TOP = 150;
const FOOT = 70;

/** One plan in half of a card: its name, its counts, its graph as large as it fits. */
function half(
  picture: Picture,
  { name, says, x, tone }: { readonly name: string; readonly says: string; readonly x: number; readonly tone: string },
  ink: Ink,
): Shape[] {
  const width = CARD.width / 2 - 1.5 * EDGE;
  const height = CARD.height - TOP - FOOT - 50;
  const zoom = zoomToFit(picture, { width, height }, 1.4);
  // Below this nothing can be read: shapes alone are drawn then.
  const { shapes, area } = drawingOf(picture, { ink, zoom: Math.max(zoom, 0.55) });
  const inner = { x, y: TOP + 50, width, height, viewBox: boxOf(area), preserveAspectRatio: "xMidYMid meet" };
  const word = { x, "font-size": 22, "font-weight": 680 };
  return [
    element("text", { ...word, y: TOP, fill: ink(tone) }, name),
    element("text", { x, y: TOP + 28, "font-size": 18, fill: ink("ink-2") }, says),
    element("svg", inner, ...shapes),
  ];
}

const counts = ({ totals }: Plan): string =>
  `${plural(totals.kernels, "kernel")}, ${showBytes(totals.bytes)} through memory`;

/** Both plans of a program beside each other, 1,200 by 630; null while there is no plan. `sentence`: what it shows, in one line. */
export function cardOf(
  compilation: Compilation,
  { title, sentence, placed }: { readonly title: string; readonly sentence: string; readonly placed: Placed },
  ink: Ink,
): string | null {
  const { naivePlan, fusedPlan, steps } = compilation;
  if (!naivePlan || !fusedPlan) return null;
  const at = (cursor: number, plan: Plan): Picture =>
    stillOf({ compilation, cursor, plan, layout: placed, moved: {}, folds: false });
  const { width, height } = CARD;
  const middle = width / 2 + EDGE / 2;
  return file({ width, height, viewBox: `0 0 ${width} ${height}` }, title, [
    element("rect", { width, height, fill: ink("canvas") }),
    element("text", { x: EDGE, y: 66, "font-size": 38, "font-weight": 700, fill: ink("ink") }, fitted(title, 38)),
    element("text", { x: EDGE, y: 102, "font-size": 20, fill: ink("ink-2") }, fitted(sentence, 20)),
    ...half(at(0, naivePlan), { name: "Naive", says: counts(naivePlan), x: EDGE, tone: "ink" }, ink),
    ...half(at(steps.length, fusedPlan), { name: "Fused", says: counts(fusedPlan), x: middle, tone: "accent" }, ink),
    element(
      "text",
      { x: EDGE, y: height - 26, "font-size": 18, "font-weight": 650, fill: ink("ink-3") },
      "Fusion Playground",
    ),
  ]);
}

/** Cut where it would run out of the card. */
function fitted(text: string, px: number): string {
  const letters = Math.floor((CARD.width - 2 * EDGE) / textWidth("x", px));
  return text.length <= letters ? text : `${text.slice(0, letters - 1).trimEnd()}…`;
}

export type Theme = "light" | "dark";

/** The colours of a theme, read from the text of tokens.css: later rules win, and those for some media are left out. */
export function inkOf(css: string, theme: Theme): Ink {
  const colours = new Map<string, string>();
  const always = css.replace(/@media[^{]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}/g, "");
  for (const [, selectors, body] of always.matchAll(/([^{}]+)\{([^{}]*)\}/g)) {
    const isRoot = selectors!.includes(":root") || selectors!.includes('[data-theme="light"]');
    if (!isRoot && !(theme === "dark" && selectors!.includes('[data-theme="dark"]'))) continue;
    for (const [, name, value] of body!.matchAll(/--([\w-]+):\s*([^;]+);/g)) colours.set(name!, value!.trim());
  }
  return (token) => colours.get(token) ?? "#000000";
}
