/** @file The finished picture: a scene with its boxes, ways, hulls, tags, labels and brackets. */
import { isDocked, pillTarget } from "../document";
import type { EdgeId, NodeId } from "../fusion";
import { bracketsOf } from "./lines/brackets";
import type { Bracket } from "./lines/brackets";
import { BoxIndex, rectOf, roundedPath } from "./lines/geometry";
import type { Box, Point, Rect } from "./lines/geometry";
import { hullRects } from "./lines/hull";
import { Blackboard } from "./labels";
import type { LineLabel, Tag } from "./labels";
import { hullPath } from "./outline";
import { routesOf } from "./lines/route";
import type { Earlier, Routes } from "./lines/route";
import type { Scene, SceneEdge, SceneKernel, SceneNode } from "./scene";
import { showBytes, textWidth } from "./format";

export interface Hull {
  readonly kernel: SceneKernel;
  readonly path: string;
  readonly rects: readonly Rect[];
  readonly tag: Tag;
}

/** What a column is, over it; or what crosses between two. */
export interface Heading {
  readonly text: string;
  /** Its middle. */
  readonly x: number;
  readonly y: number;
  readonly quiet: boolean;
}

export interface Line {
  readonly edge: SceneEdge;
  readonly points: readonly Point[];
  readonly path: string;
  readonly label: LineLabel | null;
}

/** Which side of its box a line leaves or enters, and how far along. */
export interface Port {
  readonly side: "top" | "bottom" | "left" | "right";
  /** px from the box's left or upper corner. */
  readonly offset: number;
}

export interface Picture {
  readonly scene: Scene;
  readonly boxes: ReadonlyMap<NodeId, Box>;
  readonly routes: Routes;
  readonly lines: readonly Line[];
  readonly hulls: readonly Hull[];
  readonly brackets: readonly Bracket[];
  readonly headings: readonly Heading[];
  /** Where each operand's line enters, by `consumer operand`, and where values leave. */
  readonly ports: ReadonlyMap<NodeId, { readonly in: ReadonlyMap<number, Port>; readonly out: readonly Port[] }>;
}

const CORNER = 14;
const TAG_HEIGHT = 36;

/** Draws `scene` into `boxes`. `earlier` keeps the ways of lines whose boxes did not move. */
export function pictureOf(
  scene: Scene,
  boxes: ReadonlyMap<NodeId, Box>,
  bends: ReadonlyMap<EdgeId, readonly Point[]>,
  earlier: Earlier | null = null,
): Picture {
  const routes = routesOf(scene.edges, boxes, bends, earlier);
  const board = new Blackboard([...boxes].map(([id, box]) => [id, rectOf(box, 2)] as const));
  for (const { id, width } of scene.edges) board.addLine(id, routes.get(id) ?? [], width / 2 + 2);
  const brackets = bracketsOf(scene, boxes, routes.values());
  for (const { name, x, top, bottom } of brackets)
    board.addArea(`bracket ${name}`, { x0: x - 400, x1: x + 8, y0: top, y1: bottom });
  const hulls = hullsOf(scene, boxes, routes, board);
  const docked = dockedInputs(scene, boxes);
  const lines = scene.edges.flatMap((edge): Line[] => {
    const points = routes.get(edge.id);
    if (!points) return [];
    const quiet = edge.kind !== "memory" || edge.bytes === 0 || docked.has(edge.from) || pillTarget(edge.to) !== null;
    const label = quiet ? null : board.placeOnLine(edge.id, points, showBytes(edge.bytes), edge.width);
    return [{ edge, points, path: roundedPath(points, CORNER), label }];
  });
  return {
    scene,
    boxes,
    routes,
    lines,
    hulls,
    brackets,
    headings: headingsOf(scene, boxes),
    ports: portsOf(lines, boxes),
  };
}

/** px of a letter where a graph is small enough to be read in part only, and of a line of them. */
const [HEADING_SIZE, HEADING_LINE] = [23, 23];
/** px above the topmost box. */
const HEADING_GAP = 44;

/** What a heading takes of the picture, at the size that it has where the graph is small. */
export function headingRect({ text, x, y }: Heading): Rect {
  const half = textWidth(text, HEADING_SIZE) / 2;
  return { x0: x - half, x1: x + half, y0: y, y1: y + HEADING_LINE };
}

/** Over the forward pass and the backward pass, where they stand apart, and between them what is saved. */
function headingsOf({ nodes, savedBytes = 0 }: Scene, boxes: ReadonlyMap<NodeId, Box>): Heading[] {
  const drawn = nodes.filter(({ id, kind }) => kind !== "input" && boxes.has(id));
  const isLate = ({ late = false }: SceneNode): boolean => late;
  const ops = drawn.filter(({ kind }) => kind !== "output");
  // A column of results alone computes nothing.
  if (ops.every(isLate) || !ops.some(isLate)) return [];
  const side = (after: boolean): Box[] =>
    drawn.flatMap((node) => (isLate(node) === after ? (boxes.get(node.id) ?? []) : []));
  const [early, late] = [side(false), side(true)];
  const [end, start] = [Math.max(...early.map(({ x, width }) => x + width)), Math.min(...late.map(({ x }) => x))];
  if (start <= end) return [];
  const left = Math.min(...early.map(({ x }) => x));
  const right = Math.max(...late.map(({ x, width }) => x + width));
  const y = Math.min(...[...boxes.values()].map((box) => box.y)) - HEADING_GAP;
  const titles = [
    { text: "forward", x: (left + end) / 2, y, quiet: false },
    { text: "backward", x: (start + right) / 2, y, quiet: false },
  ];
  const between = { text: `${showBytes(savedBytes)} saved`, x: (end + start) / 2, y, quiet: true };
  const wide = (text: string): number => textWidth(text, HEADING_SIZE);
  const crowded = titles.some(({ text, x }) => Math.abs(x - between.x) < (wide(text) + wide(between.text)) / 2);
  return [...titles, crowded ? { ...between, y: y + HEADING_LINE } : between];
}

/** The boxes in which `nodes` are drawn, by themselves or folded. */
export function boxesAbout(
  { boxes, scene }: Pick<Picture, "boxes" | "scene">,
  nodes: readonly NodeId[],
): ReadonlyMap<NodeId, Box> {
  const wanted = new Set(nodes);
  const found = scene.nodes.flatMap(({ id, inside }): (readonly [NodeId, Box])[] => {
    const box = boxes.get(id);
    return box && (wanted.has(id) || inside.some((each) => wanted.has(each))) ? [[id, box]] : [];
  });
  return new Map(found);
}

/** A docked pill says its bytes itself. */
const dockedInputs = (scene: Scene, boxes: ReadonlyMap<NodeId, Box>): Set<NodeId> =>
  new Set(
    scene.nodes
      .filter(({ id, kind }) => kind === "input" && isDocked(boxes.get(id) ?? { height: 0 }))
      .map(({ id }) => id),
  );

function hullsOf(scene: Scene, boxes: ReadonlyMap<NodeId, Box>, routes: Routes, board: Blackboard): Hull[] {
  const index = new BoxIndex([...boxes].map(([id, box]) => [id, rectOf(box)] as const));
  const drawn = new Map<string, NodeId[]>();
  for (const { id, kind, lid, kernel } of scene.nodes) {
    if ((kind !== "op" && !lid) || !kernel) continue;
    const known = drawn.get(kernel.region);
    if (known) known.push(id);
    else drawn.set(kernel.region, [id]);
  }
  const bodies = scene.kernels.flatMap((kernel) => {
    const members = drawn.get(kernel.region) ?? [];
    if (members.length < 2) return [];
    const own = new Set(members);
    const inner = scene.edges.filter(({ kind, from, to }) => kind === "register" && own.has(from) && own.has(to));
    const lines = inner.map(({ id, from, to }) => ({ from, to, points: routes.get(id) ?? [] }));
    const rects = hullRects(members, lines, boxes, index);
    for (const rect of rects) board.addArea(kernel.region, rect);
    return [{ kernel, rects }];
  });
  const tagged = bodies.map(({ kernel, rects }) => {
    const width = Math.ceil(textWidth(`${kernel.name} ${kernel.title}`, 14)) + 6;
    return { kernel, rects, tag: board.placeTag(kernel.region, rects, width, TAG_HEIGHT) };
  });
  return tagged.map(({ kernel, rects, tag }) => {
    return { kernel, rects, path: hullPath(rects), tag: board.settled(kernel.region, tag) };
  });
}

function portOf(box: Box, { x, y }: Point): Port {
  if (y <= box.y) return { side: "top", offset: x - box.x };
  if (y >= box.y + box.height) return { side: "bottom", offset: x - box.x };
  return x <= box.x ? { side: "left", offset: y - box.y } : { side: "right", offset: y - box.y };
}

function portsOf(lines: readonly Line[], boxes: ReadonlyMap<NodeId, Box>): Picture["ports"] {
  const ports = new Map<NodeId, { in: Map<number, Port>; out: Port[] }>();
  const at = (id: NodeId): { in: Map<number, Port>; out: Port[] } => {
    const known = ports.get(id) ?? { in: new Map<number, Port>(), out: [] };
    ports.set(id, known);
    return known;
  };
  for (const { edge, points } of lines) {
    const [from, to] = [boxes.get(edge.from)!, boxes.get(edge.to)!];
    const out = portOf(from, points[0]!);
    const known = at(edge.from).out;
    if (!known.some(({ side, offset }) => side === out.side && offset === out.offset)) known.push(out);
    at(edge.to).in.set(edge.operand, portOf(to, points.at(-1)!));
  }
  return ports;
}
