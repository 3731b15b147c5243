/** @file Where the card docks: at the right at its usual height, or as near to it as hides nothing, or else less, of the graph; and the line that leads to it. */
import { around, rectOf } from "./lines/geometry";
import type { Box, Point, Rect } from "./lines/geometry";
import { onScreen, SMALL, type Size, type Viewport as View } from "./zoom";

const USUAL_TOP = 84;
const HIGH_TOP = 14;
/** Above the zoom bar. */
const BELOW = 56;
/** px between the card and a box that it makes way for. */
const CLEAR = 4;
/** A kernel's name counts more than as much of a box: without it nobody knows whose hull it is. */
const NAME_WEIGHT = 3;
/** An op that the card tells of counts so much more than others. */
const ABOUT_WEIGHT = 12;
/** px² of ops that another place has to save before the card leaves its usual one. */
const WORTH_MOVING = 4000;
/** The same before it goes to the other side. */
const WORTH_CROSSING = 2000;
/** px beside the card, on either side. */
const EDGE = 14;

const shared = (a: Rect, b: Rect): number =>
  Math.max(0, Math.min(a.x1, b.x1) - Math.max(a.x0, b.x0)) * Math.max(0, Math.min(a.y1, b.y1) - Math.max(a.y0, b.y0));

/** What a card may hide, the worse the more. */
export interface Hideable {
  readonly boxes: Iterable<Box>;
  /** Of the boxes, those that the card tells of. */
  readonly about?: readonly Box[];
  /** Names of kernels. */
  readonly tags?: Iterable<Rect>;
}

/** Where the card stands on the canvas: its side, and px from the canvas's top. */
export interface CardSpot {
  readonly side: "left" | "right";
  readonly top: number;
  /** px² of the graph that it hides there, what it tells of counted more. */
  readonly hidden: number;
}

/** What is free below all boxes, above what stands over the lower edge of the canvas. */
export function roomBelow(boxes: Iterable<Box>, { y, zoom }: View, canvas: { readonly height: number }): number {
  const end = Math.max(0, ...[...boxes].map((box) => (box.y + box.height) * zoom + y));
  return canvas.height - BELOW - end - CLEAR;
}

/** At the right, at its usual height or as near to it as hides nothing; where it must hide ops, there or at the left, wherever it hides less. */
export function cardSpot({ boxes, about = [], tags = [] }: Hideable, view: View, canvas: Size, card: Size): CardSpot {
  const weighed = (rects: Iterable<Rect>, weight: number) =>
    [...rects].map((rect) => ({ rect: onScreen(rect, view), weight }));
  const drawn = [
    ...weighed(
      [...boxes].map((box) => rectOf(box)),
      1,
    ),
    ...weighed(
      [...about].map((box) => rectOf(box)),
      ABOUT_WEIGHT,
    ),
    ...weighed(tags, NAME_WEIGHT),
  ];
  const right = bestTop(drawn, canvas.width - EDGE - card.width, canvas, card);
  const left = right.hidden > WORTH_CROSSING ? bestTop(drawn, EDGE, canvas, card) : null;
  return left && left.hidden < right.hidden - WORTH_CROSSING ? { side: "left", ...left } : { side: "right", ...right };
}

interface Weighed {
  readonly rect: Rect;
  readonly weight: number;
}

/** Of a card whose left edge is at `x0`: the height at which it hides least, and how much that is. */
function bestTop(
  drawn: readonly Weighed[],
  x0: number,
  canvas: Pick<Size, "height">,
  card: Size,
): { readonly top: number; readonly hidden: number } {
  const hidden = (top: number): number => {
    const area = { x0, x1: x0 + card.width, y0: top, y1: top + card.height };
    return drawn.reduce((sum, { rect, weight }) => sum + weight * shared(rect, area), 0);
  };
  const lowest = canvas.height - BELOW - card.height;
  const usual = Math.max(HIGH_TOP, Math.min(USUAL_TOP, lowest));
  const away = (top: number): number => Math.abs(top - usual);
  const beside = (some: readonly Weighed[]): number[] =>
    some
      .flatMap(({ rect: { y0: top, y1 } }) => [y1 + CLEAR, top - CLEAR - card.height])
      .filter((top) => top >= HIGH_TOP && top <= lowest)
      .sort((a, b) => away(a) - away(b));
  const free = [usual, ...beside(drawn)].find((top) => hidden(top) === 0);
  if (free !== undefined) return { top: free, hidden: 0 };
  const tops = [lowest, HIGH_TOP].filter((top) => top >= HIGH_TOP && top !== USUAL_TOP);
  const about = beside(drawn.filter(({ weight }) => weight === ABOUT_WEIGHT));
  const [first, ...others] = [usual, ...tops, ...about].map((top) => ({ top, hidden: hidden(top) }));
  return others.reduce((best, each) => {
    const worth = best.top === usual ? WORTH_MOVING : 0;
    return each.hidden < best.hidden - worth ? each : best;
  }, first!);
}

/** px² of what the card tells of that it hides. */
function hiddenAbout(what: Hideable, view: View, canvas: Size, card: Size): number {
  const { side, top } = cardSpot(what, view, canvas, card);
  const x0 = side === "left" ? EDGE : canvas.width - EDGE - card.width;
  const area = { x0, x1: x0 + card.width, y0: top, y1: top + card.height };
  return (what.about ?? []).reduce((sum, box) => sum + shared(onScreen(rectOf(box), view), area), 0);
}

/**
 * The view moved left, and smaller as far as names have room, so that what the card tells of stands beside it; null where the
 * card hides nothing of that, or would all the same.
 */
export function clearedOfCard(what: Hideable, view: View, canvas: Size, card: Size): View | null {
  if (hiddenAbout(what, view, canvas, card) === 0) return null;
  const about = onScreen(around((what.about ?? []).map((box) => rectOf(box))), view);
  const free = { from: EDGE, to: canvas.width - EDGE - card.width - EDGE };
  const smaller = Math.min(1, Math.max(SMALL / view.zoom, (free.to - free.from) / (about.x1 - about.x0)));
  const right = view.x + (about.x1 - view.x) * smaller;
  const moved = {
    x: view.x - Math.max(0, right - free.to),
    y: canvas.height / 2 + (view.y - canvas.height / 2) * smaller,
    zoom: view.zoom * smaller,
  };
  const isSeen = moved.x + ((about.x0 - view.x) / view.zoom) * moved.zoom >= 0;
  return isSeen && hiddenAbout(what, moved, canvas, card) === 0 ? moved : null;
}

/** px of the graph between the leader and a name that it goes round. */
const ROUND = 5;

interface CardEdge {
  /** Where the card begins, and the heights at which its leader may meet it. */
  readonly x: number;
  readonly top: number;
  readonly bottom: number;
}

/**
 * The way from a mark to the card's edge: along the mark, or as near to it as no kernel's name is in the way, and up or down
 * beside the card, or before a name that reaches there. `bend`: px before the card.
 */
export function leaderPath({ x, y }: Point, edge: CardEdge, bend: number, names: readonly Rect[]): string {
  const isClear = (x0: number, x1: number, y0: number, y1: number): boolean =>
    names.every((name) => x1 <= name.x0 || x0 >= name.x1 || y1 <= name.y0 - ROUND / 2 || y0 >= name.y1 + ROUND / 2);
  const levels = [y, ...names.flatMap(({ y0, y1 }) => [y0 - ROUND, y1 + ROUND])].sort(
    (a, b) => Math.abs(a - y) - Math.abs(b - y),
  );
  const last = edge.x - bend;
  const turns = [last, ...names.map(({ x0 }) => x0 - ROUND).filter((at) => at > x && at < last), x + ROUND];
  const ways = levels.flatMap((level) => turns.map((turn) => ({ level, turn, end: withinEdge(level, edge) })));
  const free = ways.find(
    ({ level, turn, end }) =>
      (level === y || isClear(x, x + ROUND, Math.min(y, level), Math.max(y, level))) &&
      isClear(x, turn, level, level) &&
      isClear(turn, turn, Math.min(level, end), Math.max(level, end)) &&
      isClear(turn, edge.x, end, end),
  );
  const { level, turn, end } = free ?? { level: y, turn: last, end: withinEdge(y, edge) };
  const start = level === y ? `M${x} ${y}` : `M${x} ${y}h${ROUND}V${level}`;
  return end === level ? `${start}H${edge.x}` : `${start}H${turn}V${end}H${edge.x}`;
}

const withinEdge = (y: number, { top, bottom }: CardEdge): number => Math.min(Math.max(y, top), bottom);
