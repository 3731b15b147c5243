/** @file Free places for writing: bytes on lines, tags beside hulls. Nothing covers a box, a line or other writing. */
import { BoxIndex, around, strips } from "./lines/geometry";
import type { Point, Rect } from "./lines/geometry";
import { textWidth } from "./format";
import { LEGIBLE } from "./zoom";

export interface LineLabel {
  /** Centre of the text. */
  readonly at: Point;
  /** On the line in a pill, or beside it. */
  readonly pill: boolean;
  /** What of it stays where it is when it is written larger than the graph around it. */
  readonly grows: "center" | "left" | "right" | "bottom";
  /** Whether it has room even so. */
  readonly roomy: boolean;
}

/** A label before it is known how far it may grow. */
type LabelSpot = Omit<LineLabel, "roomy">;

const PILL_HEIGHT = 20;
/** px of figures and letters without tails. */
const TEXT_HEIGHT = 11;
const ON_VERTICAL = 52;
const ON_LEVEL = 84;
const MAX_INSIDE = 108;
/** The kernel's number and its bytes. */
const LEAST_TAG = 58;
/** The kernel's number by itself. */
const NUMBER = { width: 26, height: 18 };

const LINE_HEIGHT = 18;
/** How far from its hull a title may stand where it has no room beside it. */
const MAX_AWAY = 128;
const AWAY_STEP = 16;
/** What a tag may need where the graph is at its smallest. */
const MAX_CLEAR = 480;
const CLEAR_STEP = 8;

export const pillWidth = (text: string): number => Math.round(textWidth(text, 12) + 16);

export interface Tag {
  /** Corner of the text block that `align` names. */
  readonly x: number;
  readonly y: number;
  readonly align: "start" | "end";
  /** On the hull itself, for want of room outside. */
  readonly inside?: boolean;
  /** Not as wide as its title. */
  readonly cut?: boolean;
  /** Below it there is room for a second line of the title. */
  readonly tall?: boolean;
  readonly width: number;
  readonly height: number;
  /** Free on the side that it runs to, its own width included: small graphs are named in letters as large as any. */
  readonly clear: number;
}

/** A tag before it is known how far it could run on. */
type Spot = Omit<Tag, "clear">;

export const tagRect = (tag: Spot): Rect => {
  const x0 = tag.align === "start" ? tag.x : tag.x - tag.width;
  return { x0, x1: x0 + tag.width, y0: tag.y, y1: tag.y + tag.height };
};

/** Keeps account of what is taken on one picture. */
export class Blackboard {
  private readonly taken = new BoxIndex<string>();
  private readonly lines = new BoxIndex<string>();
  /** Labels as large as they become in a small graph. */
  private readonly grown = new BoxIndex<string>();
  /** Right of everything: writing beyond it may come to lie under the card. */
  private right = -Infinity;
  constructor(boxes: Iterable<readonly [string, Rect]>) {
    for (const [id, rect] of boxes) {
      this.taken.add(id, rect);
      this.right = Math.max(this.right, rect.x1);
    }
  }
  addLine(id: string, points: readonly Point[], half: number): void {
    for (const rect of strips(points, half)) this.lines.add(id, rect);
  }
  addArea(id: string, rect: Rect): void {
    this.taken.add(id, rect);
  }

  /** Bytes on a pipe: in a pill on a long leg, else beside the longest one; null when there is no room at all. */
  placeOnLine(id: string, points: readonly Point[], text: string, width: number): LineLabel | null {
    const size = pillWidth(text);
    for (const [a, b] of legsByLength(points)) {
      const vertical = a.x === b.x;
      const length = Math.abs(a.x - b.x) + Math.abs(a.y - b.y);
      const at = { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
      const spots: LabelSpot[] = [];
      if (width > 3 && length >= (vertical ? ON_VERTICAL : ON_LEVEL)) spots.push({ at, pill: true, grows: "center" });
      if (vertical) {
        spots.push({ at: { x: at.x + width / 2 + 4 + size / 2, y: at.y }, pill: false, grows: "left" });
        spots.push({ at: { x: at.x - width / 2 - 4 - size / 2, y: at.y }, pill: false, grows: "right" });
      } else if (length >= size - 12)
        spots.push({ at: { x: at.x, y: at.y - width / 2 - 10 }, pill: false, grows: "bottom" });
      for (const spot of spots) {
        const rect = {
          x0: spot.at.x - size / 2 + 3,
          x1: spot.at.x + size / 2 - 3,
          y0: spot.at.y - PILL_HEIGHT / 2 + 2,
          y1: spot.at.y + PILL_HEIGHT / 2 - 2,
        };
        if (!this.taken.isFree(rect) || this.crossed(rect, id)) continue;
        this.taken.add(`label ${id}`, rect);
        return { ...spot, roomy: this.mayGrow(id, spot, size) };
      }
    }
    return null;
  }

  /** Whether a label covers nothing where the graph is as small as it may be while its labels are shown. */
  private mayGrow(id: string, { at, pill, grows }: LabelSpot, size: number): boolean {
    const [width, height] = pill ? [size, PILL_HEIGHT] : [size - 16, TEXT_HEIGHT];
    const more = { x: (width / LEGIBLE - width) / 2, y: (height / LEGIBLE - height) / 2 };
    const x = at.x + (grows === "left" ? more.x : grows === "right" ? -more.x : 0);
    const y = at.y - (grows === "bottom" ? more.y : 0);
    const [across, up] = [width / 2 + more.x, height / 2 + more.y];
    const rect = { x0: x - across, x1: x + across, y0: y - up, y1: y + up };
    const isRoomy =
      !this.taken.some(rect, (key) => key !== `label ${id}`) && this.grown.isFree(rect) && !this.crossed(rect, id);
    if (isRoomy) this.grown.add(id, rect);
    return isRoomy;
  }

  /** A tag in the nearest free corner outside a hull. */
  placeTag(id: string, rects: readonly Rect[], width: number, height: number): Tag {
    const size = { width, height };
    const spots: Spot[] = [];
    const fromBelow = [...rects].sort((a, b) => b.y1 - a.y1);
    for (const { x0, y0, x1, y1 } of fromBelow) {
      spots.push(
        { x: x1 + 10, y: y1 - height, align: "start", ...size },
        { x: x1 + 10, y: y0, align: "start", ...size },
      );
      spots.push({ x: x0 - 8, y: y0 + 2, align: "end", ...size }, { x: x1, y: y1 + 4, align: "end", ...size });
      spots.push({ x: x0 - 8, y: y1 - height, align: "end", ...size });
    }
    for (const { x0, y0, x1, y1 } of fromBelow) {
      for (let y = y1 - height; y >= y0; y -= 14) spots.push({ x: x1 + 10, y, align: "start", ...size });
      for (let y = y1 - height; y >= y0; y -= 14) spots.push({ x: x0 - 10, y, align: "end", ...size });
      for (let x = x0; x < x1; x += 16) spots.push({ x, y: y1 + 3, align: "start", ...size });
      for (let x = x0; x < x1; x += 16) spots.push({ x, y: y0 - height - 3, align: "start", ...size });
    }
    // Off a corner, where a row of inputs takes the right side and a result the one below.
    for (const { x1, y0, y1 } of fromBelow)
      spots.push(
        { x: x1 + 10, y: y1 + 3, align: "start", ...size },
        { x: x1 + 10, y: y0 - height - 3, align: "start", ...size },
      );
    // Farther off, between what stands beside the hull: read, it still says whose it is by its colour.
    for (const { x1, y0, y1 } of fromBelow)
      for (let away = AWAY_STEP; away <= MAX_AWAY; away += AWAY_STEP)
        for (let y = y1 - height; y >= y0; y -= 14) spots.push({ x: x1 + 10 + away, y, align: "start", ...size });
    const isFree = (spot: Spot): boolean => this.taken.isFree(tagRect(spot)) && !this.crossed(tagRect(spot), "");
    const free = spots.filter(isFree);
    const shortest = spots.map((spot) => ({ ...spot, cut: true, width: Math.min(width, LEAST_TAG) }));
    const tag =
      free.find((spot) => tagRect(spot).x1 <= this.right) ??
      this.insideOf(id, rects, size) ??
      free[0] ??
      // A title cut short is better than one that covers an op.
      spots.map((spot) => ({ ...spot, cut: true, width: Math.min(width, MAX_INSIDE) })).find(isFree) ??
      shortest.find(isFree) ??
      // Over a line, if it must be: what an op is called is read, a line is followed. At last the number alone.
      [...shortest, ...spots.map((spot) => ({ ...spot, cut: true, ...NUMBER }))].find((spot) =>
        this.taken.isFree(tagRect(spot)),
      ) ??
      spots[0]!;
    const tall = !tag.inside && isFree({ ...tag, y: tag.y + LINE_HEIGHT });
    const clear = tag.inside ? tag.width : this.clearOf(tag);
    this.taken.add(`tag ${id}`, tagRect(tag));
    return tall ? { ...tag, tall, clear } : { ...tag, clear };
  }

  /** The same tag once all others have their places: what it may grow into beside or below it is taken by none of them. */
  settled(id: string, tag: Tag): Tag {
    const own = `tag ${id}`;
    const { tall = false, ...rest } = tag;
    const clear = tag.clear > tag.width ? this.clearOf(tag, own) : tag.clear;
    return tall && this.isClear(tagRect({ ...tag, y: tag.y + LINE_HEIGHT }), own)
      ? { ...rest, tall, clear }
      : { ...rest, clear };
  }

  private isClear(rect: Rect, own: string): boolean {
    return !this.taken.some(rect, (key) => key !== own) && !this.crossed(rect, "");
  }

  /** How wide a tag could be where it stands. */
  private clearOf(tag: Spot, own = ""): number {
    let width = tag.width;
    while (width < MAX_CLEAR && this.isClear(tagRect({ ...tag, width: width + CLEAR_STEP }), own)) width += CLEAR_STEP;
    return width;
  }

  /** Room for a tag within a large hull, where there is none outside it; a long title is cut short there. */
  private insideOf(
    id: string,
    rects: readonly Rect[],
    { width, height }: { width: number; height: number },
  ): Spot | null {
    const all = around(rects);
    const size = { width: Math.min(width, MAX_INSIDE), height };
    for (let y = all.y0 + 6; y + height <= all.y1; y += 12) {
      for (let x = all.x0 + 6; x + size.width <= all.x1; x += 12) {
        const spot: Spot = { x, y, align: "start", inside: true, ...size };
        const rect = tagRect(spot);
        if (!within(rect, rects) || this.crossed(rect, "")) continue;
        if (!this.taken.some(rect, (key) => key !== id)) return spot;
      }
    }
    return null;
  }

  private crossed(rect: Rect, own: string): boolean {
    return this.lines.some(rect, (id) => id !== own);
  }
}

/** Corners and middle in some rectangle: exact enough for unions of boxes larger than a tag. */
function within({ x0, y0, x1, y1 }: Rect, rects: readonly Rect[]): boolean {
  const xs = [x0, (x0 + x1) / 2, x1];
  const inside = (x: number, y: number): boolean =>
    rects.some((rect) => x >= rect.x0 && x <= rect.x1 && y >= rect.y0 && y <= rect.y1);
  return xs.every((x) => inside(x, y0) && inside(x, y1));
}

function legsByLength(points: readonly Point[]): (readonly [Point, Point])[] {
  const length = ([a, b]: readonly [Point, Point]): number => Math.abs(a.x - b.x) + Math.abs(a.y - b.y);
  return points
    .slice(1)
    .map((point, i) => [points[i]!, point] as const)
    .sort((a, b) => length(b) - length(a));
}
