/** @file Where the card docks at the right: at its usual height, or lower or higher where it hides less of the graph. */
import { rectOf } from "./geometry";
import type { Box, Rect } from "./geometry";

export interface View {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

const USUAL_TOP = 84;
const HIGH_TOP = 14;
/** Above the zoom bar. */
const BELOW = 56;
/** px² of ops that another place has to save before the card leaves its usual one. */
const WORTH_MOVING = 4000;

const shared = (a: Rect, b: Rect): number =>
  Math.max(0, Math.min(a.x1, b.x1) - Math.max(a.x0, b.x0)) * Math.max(0, Math.min(a.y1, b.y1) - Math.max(a.y0, b.y0));

/** The top of the card in px of the canvas. */
export function cardTop(
  boxes: Iterable<Box>,
  view: View,
  canvas: { readonly width: number; readonly height: number },
  card: { readonly width: number; readonly height: number },
): number {
  const onScreen = [...boxes].map((box) =>
    rectOf({
      x: box.x * view.zoom + view.x,
      y: box.y * view.zoom + view.y,
      width: box.width * view.zoom,
      height: box.height * view.zoom,
    }),
  );
  const x0 = canvas.width - 14 - card.width;
  const hidden = (top: number): number => {
    const area = { x0, x1: x0 + card.width, y0: top, y1: top + card.height };
    return onScreen.reduce((sum, rect) => sum + shared(rect, area), 0);
  };
  const lowest = canvas.height - BELOW - card.height;
  const tops = [lowest, HIGH_TOP].filter((top) => top >= HIGH_TOP && top !== USUAL_TOP);
  let best = Math.max(HIGH_TOP, Math.min(USUAL_TOP, lowest));
  let least = hidden(best) - WORTH_MOVING;
  for (const top of tops) {
    const area = hidden(top);
    if (area < least) [best, least] = [top, area];
  }
  return best;
}
