/** @file Right-angled ways for lines between boxes: a few candidates each, the least bad one wins. */
import type { EdgeId, NodeId } from "../../fusion";
import { BoxIndex, lengthOf, rectOf, strip, strips } from "./geometry";
import type { Box, Point, Rect } from "./geometry";
import { candidates } from "./route-candidates";
import { wayAround } from "./way-around";

export interface RouteRequest {
  readonly id: EdgeId;
  readonly from: NodeId;
  readonly to: NodeId;
  readonly width: number;
}

export type Routes = ReadonlyMap<EdgeId, readonly Point[]>;

/** Routes of an earlier picture: a line whose two boxes did not move keeps its way, unless a box has come to stand on it. */
export interface Earlier {
  readonly boxes: ReadonlyMap<NodeId, Box>;
  readonly routes: Routes;
}

interface Leg {
  readonly from: NodeId;
  readonly level: boolean;
}

/** What is already on the page: boxes, legs of lines, taken ports. */
interface Page {
  readonly rects: readonly Rect[];
  readonly boxes: BoxIndex<NodeId>;
  readonly legs: BoxIndex<Leg>;
  /** Taken ports by place, with the value that goes through. */
  readonly ports: Map<number, NodeId>;
}

const BLOCKED = 2000;
const SHARED = 350;
const PORT_TAKEN = 300;
const CROSSING = 14;
const BEND = 30;
const PER_PX = 0.25;

/** Ways from producers to readers, in the order asked. `bends` are the layout's own points for far edges. */
export function routesOf(
  edges: readonly RouteRequest[],
  boxes: ReadonlyMap<NodeId, Box>,
  bends: ReadonlyMap<EdgeId, readonly Point[]>,
  earlier: Earlier | null = null,
): Routes {
  const rects = [...boxes].map(([id, box]) => [id, rectOf(box)] as const);
  const page: Page = {
    rects: rects.map(([, rect]) => rect),
    boxes: new BoxIndex(rects),
    legs: new BoxIndex(),
    ports: new Map(),
  };
  const routes = new Map<EdgeId, readonly Point[]>();
  const open: RouteRequest[] = [];
  for (const edge of edges) {
    const known = earlier && same(earlier, boxes, edge) ? earlier.routes.get(edge.id) : undefined;
    if (!known || isHidden(known, edge, page)) open.push(edge);
    else {
      routes.set(edge.id, known);
      take(page, edge, known);
    }
  }
  const span = ({ from, to }: RouteRequest): number => {
    const [a, b] = [boxes.get(from), boxes.get(to)];
    return a && b ? gapsOf(a, b).across * 2 + gapsOf(a, b).down : 0;
  };
  for (const edge of open.sort((a, b) => span(a) - span(b))) {
    const [from, to] = [boxes.get(edge.from), boxes.get(edge.to)];
    if (!from || !to) continue;
    const way = bestOf(candidates(from, to, bends.get(edge.id) ?? []), edge, page, from, to);
    routes.set(edge.id, way);
    take(page, edge, way);
  }
  return routes;
}

const same = (earlier: Earlier, boxes: ReadonlyMap<NodeId, Box>, { from, to }: RouteRequest): boolean =>
  [from, to].every((id) => {
    const [a, b] = [earlier.boxes.get(id), boxes.get(id)];
    return a !== undefined && b !== undefined && a.x === b.x && a.y === b.y && a.width === b.width;
  });

/** Some of it lies behind a box where it does not end. */
const isHidden = (way: readonly Point[], { from, to }: RouteRequest, { boxes }: Page): boolean =>
  strips(way, 0.5).some((leg) => boxes.some(leg, (id) => id !== from && id !== to));

const portKey = ({ x, y }: Point): number => Math.round(x) * (1 << 20) + Math.round(y);

function take(page: Page, { from, width }: RouteRequest, way: readonly Point[]): void {
  way.slice(1).forEach((point, i) => {
    const before = way[i]!;
    page.legs.add({ from, level: before.y === point.y }, strip(before, point, width / 2 + 1));
  });
  page.ports.set(portKey(way[0]!), from);
  page.ports.set(portKey(way.at(-1)!), from);
}

function bestOf(
  ways: Iterable<readonly Point[]>,
  edge: RouteRequest,
  page: Page,
  from: Box,
  to: Box,
): readonly Point[] {
  const direct = directLength(from, to) * PER_PX;
  let best: readonly Point[] | null = null;
  let least = Infinity;
  for (const way of ways) {
    // Ways come with more and more bends: from here on none can be cheaper.
    if ((way.length - 2) * BEND + direct >= least) break;
    const cost = costOf(way, edge, page, from, to, least);
    if (cost < least) [best, least] = [way, cost];
  }
  if (best && least < BLOCKED) return best;
  const round = between(edge, page, from, to);
  if (round) return round;
  return (
    best ?? [
      { x: from.x + from.width / 2, y: from.y + from.height },
      { x: to.x + to.width / 2, y: to.y },
    ]
  );
}

/** Past all other boxes: as far from them as from any line where that is possible, else as close as it takes. */
function between(edge: RouteRequest, page: Page, from: Box, to: Box): readonly Point[] | null {
  for (const half of [edge.width / 2 + 3, 1]) {
    const legCost = (a: Point, b: Point): number => inTheWay(a, b, { half, edge, page }, Infinity, Infinity);
    const way = wayAround(from, to, { boxes: page.rects, legCost, bend: BEND, perPx: PER_PX });
    if (way) return way;
  }
  return null;
}

/** px between two boxes, each way. */
const gapsOf = (a: Box, b: Box): { readonly across: number; readonly down: number } => ({
  across: Math.max(0, a.x - b.x - b.width, b.x - a.x - a.width),
  down: Math.max(0, a.y - b.y - b.height, b.y - a.y - a.height),
});
const directLength = (a: Box, b: Box): number => gapsOf(a, b).across + gapsOf(a, b).down;

/** Length and bends, then what stands in the way. Stops counting at `least`. */
function costOf(way: readonly Point[], edge: RouteRequest, page: Page, from: Box, to: Box, least: number): number {
  const [start, end] = [way[0]!, way.at(-1)!];
  let cost = lengthOf(way) * PER_PX + (way.length - 2) * BEND + offCentre(start, from) + offCentre(end, to);
  if (cost >= least) return cost;
  for (const port of [start, end]) {
    const taken = page.ports.get(portKey(port));
    if (taken !== undefined && taken !== edge.from) cost += PORT_TAKEN;
  }
  for (let i = 1; i < way.length && cost < least; i++) {
    const [a, b] = [way[i - 1]!, way[i]!];
    cost += inTheWay(a, b, { half: edge.width / 2 + 3, edge, page }, BLOCKED, least - cost);
  }
  return cost;
}

interface Legs {
  readonly half: number;
  readonly edge: RouteRequest;
  readonly page: Page;
}

/** Boxes on a leg at `blocked` each, its own two ends may be touched but not crossed; lines of other values: crossing is cheap, running along is not. */
function inTheWay(a: Point, b: Point, { half, edge, page }: Legs, blocked: number, least: number): number {
  const leg = strip(a, b, half);
  const inner = shrunk(strip(a, b, 1));
  const [own, other] = [edge.from, edge.to];
  let cost = 0;
  const hit = (): boolean => (cost += blocked) >= least;
  if (page.boxes.some(leg, (id) => id !== own && id !== other && hit())) return cost;
  if (page.boxes.some(inner, (id) => (id === own || id === other) && hit())) return cost;
  const level = a.y === b.y;
  page.legs.some(leg, (leg) => leg.from !== own && (cost += leg.level === level ? SHARED : CROSSING) >= least);
  return cost;
}

const shrunk = ({ x0, y0, x1, y1 }: Rect): Rect =>
  x1 - x0 > y1 - y0 ? { x0: x0 + 2, x1: x1 - 2, y0, y1 } : { x0, x1, y0: y0 + 2, y1: y1 - 2 };

const offCentre = ({ x, y }: Point, box: Box): number => {
  const onSide = x <= box.x || x >= box.x + box.width;
  return onSide ? Math.abs(y - box.y - box.height / 2) * 0.4 : Math.abs(x - box.x - box.width / 2) * 0.2;
};
