/** @file Where the legend of the lines stands: in a corner that is free, or nowhere. */
import type { Size, Viewport } from "./zoom";
import { meets, onScreen } from "./zoom";
import type { Rect } from "./lines/geometry";

/** px of its widest line with the sign before it, and of each line. */
const WIDTH = 216;
const LINE = 20;
const AROUND = 8;
const EDGE = 14;
/** Above the toolbar at the right, above the name of React Flow at the left. */
const BELOW = { right: 56, left: 34 } as const;

export type LegendCorner = "low right" | "low left" | "high right" | "high left" | "none";

/** `drawn` in px of the graph; `card` is open over the canvas. */
export function legendCorner(
  drawn: readonly Rect[],
  view: Viewport,
  { width, height }: Size,
  card: { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number } | null,
  lines: number,
): LegendCorner {
  const size = AROUND + LINE * lines;
  const right = width - EDGE - WIDTH;
  const corners = [
    ["low right", right, height - BELOW.right - size],
    ["low left", EDGE, height - BELOW.left - size],
    ["high right", right, EDGE],
    ["high left", EDGE, EDGE],
  ] as const;
  const seen = drawn.map((rect) => onScreen(rect, view));
  if (card) seen.push({ x0: card.left, x1: card.right, y0: card.top, y1: card.bottom });
  const free = corners.find(([, x, y]) => {
    const place = { x0: x, x1: x + WIDTH, y0: y, y1: y + size };
    return !seen.some((rect) => meets(rect, place));
  });
  return free?.[0] ?? "none";
}
