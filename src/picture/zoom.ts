/** @file What is drawn at which zoom, and the zoom that fits a graph. Text is drawn at its screen size or not at all. */
import { around } from "./lines/geometry";
import type { Area } from "../document";
import type { Rect } from "./lines/geometry";

export type ZoomLevel = "full" | "name" | "glyph" | "block";

/** From here on an op shows all that is known of it. */
const FULL = 0.85;
/** From here on an op shows its name: as small as a graph becomes where that brings all of it into sight. */
export const SMALL = 0.5;
/** A graph that has no room even so is shown in part, at a size where most names have room. From here on pipes say their bytes. */
export const LEGIBLE = 0.6;

export const zoomLevel = (zoom: number): ZoomLevel =>
  zoom >= FULL ? "full" : zoom >= SMALL ? "name" : zoom >= 0.3 ? "glyph" : "block";

export interface Room {
  readonly width: number;
  readonly height: number;
  /** px at the right that belong to the card. */
  readonly card: number;
  /** No card is there yet: the graph leaves room for one only where it shows all that is known even so. */
  readonly waits?: boolean;
  /** What stands along the lower edge, over the graph: the toolbar and the like. */
  readonly over?: readonly Rect[];
  /** A small graph may be larger than life: nobody draws it. */
  readonly enlarges?: boolean;
}

export interface Size {
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
  const zoom = Math.min(MAX_ZOOM, Math.max(WHOLE, Math.min(width / area.width, height / area.height)));
  return {
    x: width / 2 - (area.x + area.width / 2) * zoom,
    y: height / 2 - (area.y + area.height / 2) * zoom,
    zoom,
  };
}

const EDGE = 8;
/** Shares of the height that is left over which stand above a graph: beside a card, which docks high, and where it has the canvas for itself. */
const [BESIDE_CARD, WITHOUT_CARD] = [0.3, 0.4];
/** As near as one can go. */
export const MAX_ZOOM = 2;
/** The whole graph, when a person asks for it. */
export const WHOLE = 0.05;
/** px that a card takes below a wide graph, with what stands over the lower edge of the canvas. */
const CARD_BELOW = 388;

/** A part of a graph; the card may stand over an input that is docked rather than over an op. */
export interface Part extends Rect {
  readonly docked?: boolean;
  /** A name beside the graph, which gives way where its room is what the ops' names need. */
  readonly yields?: boolean;
}

interface Extent extends Size {
  /** From the left edge to the end of the last op. */
  readonly ops: number;
}

/** px less between the graph and the card where that brings ops out from under it. */
const NARROWER = 10;

/** px that belong to the graph: beside the card, else above it, else with docked inputs alone below the card; all of them where the graph could not be read there. */
function freeOf(room: Room, { width, height, ops }: Extent): Size {
  const whole = { width: room.width - 2 * EDGE, height: room.height - 2 * EDGE };
  const beside = whole.width - room.card;
  if (beside >= width * SMALL) return { ...whole, width: beside };
  const above = whole.height - CARD_BELOW;
  if (room.card > 0 && above >= height * SMALL) return { ...whole, height: above };
  const tight = beside + NARROWER;
  return tight >= ops * SMALL ? { ...whole, width: Math.min(whole.width, (tight / ops) * width) } : whole;
}

function extentOf(parts: readonly Part[]): Extent {
  const { x0, x1, y0, y1 } = around(parts);
  const ends = parts.filter(({ docked }) => !docked).map((part) => part.x1);
  return { width: x1 - x0, height: y1 - y0, ops: (ends.length > 0 ? Math.max(...ends) : x1) - x0 };
}

/** A rectangle of the graph in px of the canvas. */
export const onScreen = ({ x0, y0, x1, y1 }: Rect, { x, y, zoom }: Viewport): Rect => ({
  x0: x0 * zoom + x,
  y0: y0 * zoom + y,
  x1: x1 * zoom + x,
  y1: y1 * zoom + y,
});

/** A small graph is enlarged so far, in a room that enlarges; what hardly gains by it stays as it is. */
const LARGEST = 1.4;
const WORTH_ENLARGING = 1.15;

/**
 * In the middle of the room beside the card, from the top, larger than life only in a room that enlarges and not below
 * `least`: a longer graph then runs on below. Of one that is too wide, what lies above and below `lead` is in sight.
 */
function fitInto(content: readonly Part[], room: Room, least: number, lead: Rect | null): Viewport {
  const all = around(content);
  const extent = extentOf(content);
  const { width, height } = extent;
  const free = freeOf(room, extent);
  const whole = Math.min(LARGEST, free.width / width, free.height / height);
  const fits = room.enlarges && whole >= WORTH_ENLARGING ? whole : Math.min(1, whole);
  const zoom = fits >= SMALL ? fits : Math.max(least, fits);
  const spare = Math.max(0, free.width - width * zoom);
  const below = Math.max(0, free.height - height * zoom);
  const over = lead && width * zoom > free.width ? (lead.x0 + lead.x1) / 2 - free.width / zoom / 2 : all.x0;
  const left = Math.max(all.x0, Math.min(over, all.x1 - free.width / zoom));
  return {
    x: EDGE + spare * 0.5 - (spare > 0 ? all.x0 : left) * zoom,
    y: EDGE + below * (room.card > 0 ? BESIDE_CARD : WITHOUT_CARD) - all.y0 * zoom,
    zoom,
  };
}

export const meets = (a: Rect, b: Rect): boolean => a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1;

const covers = ({ over = [] }: Room, content: readonly Rect[], view: Viewport): boolean =>
  content.some((rect) => over.some((each) => meets(onScreen(rect, view), each)));

/** Fitted beside the card; while there is none, into its room, too, where the graph would not show all that is known beside it. */
export function fitViewport(content: readonly Part[], room: Room, least: number, lead: Rect | null = null): Viewport {
  if (content.length === 0) return { x: EDGE, y: EDGE, zoom: 1 };
  const beside = fitOver(content, room, least, lead);
  if (!room.waits || beside.zoom >= FULL) return beside;
  const free = fitOver(content, { ...room, card: 0 }, least, lead);
  return free.zoom > beside.zoom ? free : beside;
}

/** What of a graph has to be in sight: names beside it only where the ops keep theirs all the same. */
export function neededOf(content: readonly Part[], room: Room): readonly Part[] {
  const isNamed = (parts: readonly Part[]): boolean => fitViewport(parts, room, WHOLE).zoom >= SMALL;
  const ops = content.filter(({ yields }) => !yields);
  return !isNamed(content) && isNamed(ops) ? ops : content;
}

/** Fitted as into all of the room; where something over it would cover a part of the graph, above that. */
function fitOver(content: readonly Part[], room: Room, least: number, lead: Rect | null): Viewport {
  const whole = fitInto(content, room, least, lead);
  if (!covers(room, content, whole)) return whole;
  const height = Math.min(...(room.over ?? []).map(({ y0 }) => y0));
  const above = fitInto(content, { ...room, height }, least, lead);
  // One that is too long runs on below all the same.
  return covers(room, content, above) ? whole : above;
}

/** How far [from, to] has to move to lie in [0, room]; its beginning counts where it is too long. */
const shiftInto = (from: number, to: number, room: number): number =>
  from < 0 || to - from > room ? -from : Math.min(0, room - to);

/** Rounding of a view that was just fitted. */
const SLACK = 2;

/** Where parts of the graph lie in the room that they have. */
function placed(parts: readonly Part[], from: Viewport, room: Room): { readonly at: Rect; readonly free: Size } {
  const { x0, y0, x1, y1 } = onScreen(around(parts), from);
  return {
    at: { x0: x0 - EDGE, x1: x1 - EDGE, y0: y0 - EDGE, y1: y1 - EDGE },
    free: freeOf(room, extentOf(parts)),
  };
}

function isSeen(parts: readonly Part[], from: Viewport, room: Room): boolean {
  const { at, free } = placed(parts, from, room);
  return at.x0 >= -SLACK && at.y0 >= -SLACK && at.x1 <= free.width + SLACK && at.y1 <= free.height + SLACK;
}

/** The view before the first step: null where all of the graph is in sight as it is; else its beginning. */
export function firstViewport(
  view: Viewport,
  content: readonly Part[],
  room: Room,
  least: number,
  lead: Rect | null,
): Viewport | null {
  const followed = followViewport(view, content, null, room, least);
  const isWhole = content.length === 0 || followed !== null || isSeen(content, view, room);
  return isWhole ? followed : fitViewport(content, room, least, lead);
}

/** Moved left by what is empty there, so that the card covers less of a graph that it can't stand beside; null where that gains nothing. */
function besideCard(view: Viewport, all: Rect, room: Room): Viewport | null {
  const { x0, x1 } = onScreen(all, view);
  const gain = room.card > 0 ? Math.min(x0 - EDGE, x1 - (room.width - EDGE - room.card)) : 0;
  return gain > SLACK ? { ...view, x: view.x - gain } : null;
}

/**
 * The view after a step: null where all of the graph, or of one too large to be read at once the part that the step is
 * about, is in sight as it is; else the fitted view, moved to that part.
 */
export function followViewport(
  view: Viewport,
  content: readonly Part[],
  about: Rect | null,
  room: Room,
  least: number,
): Viewport | null {
  if (content.length === 0) return null;
  const all = around(content);
  const seen = (parts: readonly Part[], from: Viewport): boolean => isSeen(parts, from, room);
  if (seen(content, view) && !covers(room, content, view)) return besideCard(view, all, room);
  const fitted = fitViewport(content, room, least);
  if (seen(content, fitted)) return besideCard(fitted, all, room) ?? fitted;
  if (!about) return null;
  if (seen([about], view) && view.zoom >= least) return besideCard(view, all, room);
  const { at, free } = placed([about], fitted, room);
  const moved = {
    ...fitted,
    x: fitted.x + shiftInto(at.x0, at.x1, free.width),
    y: fitted.y + shiftInto(at.y0, at.y1, free.height),
  };
  return besideCard(moved, all, room) ?? moved;
}
