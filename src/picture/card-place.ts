/** @file Where the card docks at the right: at its usual height, or as near to it as hides nothing, or else less, of the graph; and the line that leads to it. */
import { rectOf } from "./lines/geometry";
import type { Box, Point, Rect } from "./lines/geometry";

export interface View {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

const USUAL_TOP = 84;
const HIGH_TOP = 14;
/** Above the zoom bar. */
const BELOW = 56;
/** px between the card and a box that it makes way for. */
const CLEAR = 4;
/** A kernel's name counts more than as much of a box: without it nobody knows whose hull it is. */
const NAME_WEIGHT = 3;
/** px² of ops that another place has to save before the card leaves its usual one. */
const WORTH_MOVING = 4000;

const shared = (a: Rect, b: Rect): number =>
  Math.max(0, Math.min(a.x1, b.x1) - Math.max(a.x0, b.x0)) * Math.max(0, Math.min(a.y1, b.y1) - Math.max(a.y0, b.y0));

/** The top of the card in px of the canvas. */
export function cardTop(
  boxes: Iterable<Box>,
  tags: Iterable<Rect>,
  view: View,
  canvas: { readonly width: number; readonly height: number },
  card: { readonly width: number; readonly height: number },
): number {
  const seen = ({ x0, x1, y0, y1 }: Rect): Rect => ({
    x0: x0 * view.zoom + view.x,
    x1: x1 * view.zoom + view.x,
    y0: y0 * view.zoom + view.y,
    y1: y1 * view.zoom + view.y,
  });
  const onScreen = [...boxes].map((box) => ({ rect: seen(rectOf(box)), weight: 1 }));
  for (const tag of tags) onScreen.push({ rect: seen(tag), weight: NAME_WEIGHT });
  const x0 = canvas.width - 14 - card.width;
  const hidden = (top: number): number => {
    const area = { x0, x1: x0 + card.width, y0: top, y1: top + card.height };
    return onScreen.reduce((sum, { rect, weight }) => sum + weight * shared(rect, area), 0);
  };
  const lowest = canvas.height - BELOW - card.height;
  const usual = Math.max(HIGH_TOP, Math.min(USUAL_TOP, lowest));
  const away = (top: number): number => Math.abs(top - usual);
  const free = [usual, ...onScreen.flatMap(({ rect: { y0: top, y1 } }) => [y1 + CLEAR, top - CLEAR - card.height])]
    .filter((top) => top === usual || (top >= HIGH_TOP && top <= lowest))
    .sort((a, b) => away(a) - away(b))
    .find((top) => hidden(top) === 0);
  if (free !== undefined) return free;
  const tops = [lowest, HIGH_TOP].filter((top) => top >= HIGH_TOP && top !== USUAL_TOP);
  let best = usual;
  let least = hidden(best) - WORTH_MOVING;
  for (const top of tops) {
    const area = hidden(top);
    if (area < least) [best, least] = [top, area];
  }
  return best;
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
