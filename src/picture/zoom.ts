/** @file What is drawn at which zoom, and the zoom that fits a graph. Text is drawn at its screen size or not at all. */
import { around } from "./geometry";
import type { Area } from "../document";
import type { Rect } from "./geometry";

export type ZoomLevel = "full" | "name" | "glyph" | "block";

/** From here on an op shows all that is known of it. */
const FULL = 0.85;

export const zoomLevel = (zoom: number): ZoomLevel =>
  zoom >= FULL ? "full" : zoom >= 0.6 ? "name" : zoom >= 0.3 ? "glyph" : "block";

export interface Room {
  readonly width: number;
  readonly height: number;
  /** px at the right that belong to the card. */
  readonly card: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Viewport {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

/** Short in a link, and exact to the pixel when it is shown again. */
const tenths = (px: number): number => Math.round(px * 10) / 10;

/** The part of the graph that `view` shows of a canvas of that size. */
export const areaSeen = ({ x, y, zoom }: Viewport, { width, height }: Size): Area => ({
  x: tenths(-x / zoom),
  y: tenths(-y / zoom),
  width: Math.max(1, tenths(width / zoom)),
  height: Math.max(1, tenths(height / zoom)),
});

/** All of `area` in the middle of a canvas of that size; on one of another form more than that. */
export function viewportOf(area: Area, { width, height }: Size): Viewport {
  const zoom = Math.min(MOST, Math.max(WHOLE, Math.min(width / area.width, height / area.height)));
  return {
    x: width / 2 - (area.x + area.width / 2) * zoom,
    y: height / 2 - (area.y + area.height / 2) * zoom,
    zoom,
  };
}

const EDGE = 8;
/** As near as one can go. */
export const MOST = 2;
/** The whole graph, when a person asks for it. */
export const WHOLE = 0.05;
/** The beginning of the graph at a size where names can be read. */
export const LEGIBLE = 0.6;
/**
 * In the middle of the room beside the card, from the top, never larger than life and not below `least`: a longer graph
 * then runs on below. Of one that is too wide, what lies above and below `lead` is in sight.
 */
export function fitViewport(content: readonly Rect[], room: Room, least: number, lead: Rect | null = null): Viewport {
  if (content.length === 0) return { x: EDGE, y: EDGE, zoom: 1 };
  const all = around(content);
  const [width, height] = [all.x1 - all.x0, all.y1 - all.y0];
  const beside = room.width - room.card - 2 * EDGE;
  // A graph that can't be read in the room beside the card takes the whole width; the view moves when the card is in the way.
  const free = { width: beside >= width * LEGIBLE ? beside : room.width - 2 * EDGE, height: room.height - 2 * EDGE };
  const zoom = Math.max(least, Math.min(1, free.width / width, free.height / height));
  const spare = Math.max(0, free.width - width * zoom);
  const below = Math.max(0, free.height - height * zoom);
  const over = lead && width * zoom > free.width ? (lead.x0 + lead.x1) / 2 - free.width / zoom / 2 : all.x0;
  const left = Math.max(all.x0, Math.min(over, all.x1 - free.width / zoom));
  return { x: EDGE + spare * 0.5 - (spare > 0 ? all.x0 : left) * zoom, y: EDGE + below * 0.3 - all.y0 * zoom, zoom };
}
