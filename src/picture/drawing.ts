/** @file A picture as shapes: colours, lines and words as they are on the canvas, nothing that moves. What a file and a still view draw. */
import { isDocked, type Area } from "../document";
import { around, rectOf } from "./lines/geometry";
import type { Box } from "./lines/geometry";
import { glyphOutlines } from "./glyphs";
import { pillWidth, tagRect } from "./labels";
import type { Hull, Line, Picture, Port } from "./picture";
import type { SceneNode } from "./scene";
import { DISK, savedSign } from "./saved";
import { showBytes, textWidth } from "./format";
import { zoomLevel } from "./zoom";

/** The colour of a token: `ink-2`, `k1-hull`. */
export type Ink = (token: string) => string;

/** How it will be seen. */
export interface Look {
  readonly ink: Ink;
  /** px on the screen of one px here: what could not be read is left out, what stays is written larger. */
  readonly zoom: number;
}

const MARGIN = 16;
const MONO = "ui-monospace, monospace";

/** One shape, with what is in it. */
export interface Shape {
  readonly name: string;
  readonly values: Values;
  readonly inside: readonly (Shape | string)[];
}

export type Values = Readonly<Record<string, string | number | undefined>>;

/** A value as it is written: two decimals. */
export const written = (value: string | number): string =>
  typeof value === "number" ? String(Number(value.toFixed(2))) : value;

export const element = (name: string, values: Values, ...inside: readonly (Shape | string)[]): Shape => ({
  name,
  values,
  inside,
});

const camel = (name: string): string => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** A shape's values under the names that React has for them. */
export const propsOf = ({ values }: Shape): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[camel(name), written(value)]])),
  );

const isFull = ({ zoom }: Look): boolean => zoomLevel(zoom) === "full";

interface Writing {
  readonly fill: string;
  readonly px?: number;
  readonly weight?: number;
  readonly mono?: boolean;
  readonly italic?: boolean;
  readonly anchor?: "middle" | "end";
  /** px that there are for it; longer words are cut short. */
  readonly room?: number;
}

/** em of a letter in DejaVu Sans Bold, the widest font that systems draw words with, by how wide it looks. */
function emOf(letter: string): number {
  if (/[mwMW]/.test(letter)) return 1.04;
  if (/[A-Z×Σ−+]/.test(letter)) return 0.84;
  return /[fijlrt .,:;'|()[\]/]/.test(letter) ? 0.46 : 0.7;
}
const EM = { mono: 0.605, light: 0.92 } as const;

/** px that a text may take: nobody is there to measure it with the reader's font. */
function widest(text: string, px: number, { mono, weight = 400 }: Pick<Writing, "mono" | "weight"> = {}): number {
  if (mono) return text.length * px * EM.mono;
  return px * (weight > 400 ? 1 : EM.light) * Array.from(text, emOf).reduce((sum, em) => sum + em, 0);
}

function shortened(text: string, room: number, px: number, how: Writing): string {
  if (widest(text, px, how) <= room) return text;
  let letters = text.length - 1;
  while (letters > 1 && widest(`${text.slice(0, letters)}…`, px, how) > room) letters -= 1;
  return `${text.slice(0, letters).trimEnd()}…`;
}

function write({ zoom }: Look, text: string, x: number, y: number, how: Writing): Shape {
  const { fill, px: asked = 12, weight, mono = false, italic = false, anchor, room = Infinity } = how;
  // Text is never smaller on the screen than it was meant.
  const px = asked / Math.min(1, zoom);
  const values: Values = {
    x,
    y,
    fill,
    "font-size": px,
    "font-weight": weight,
    "font-family": mono ? MONO : undefined,
    "font-style": italic ? "italic" : undefined,
    "text-anchor": anchor,
  };
  return element("text", values, shortened(text, room, px, how));
}

const colourOf = ({ kernel }: Pick<SceneNode, "kernel">, look: Look): string =>
  kernel ? look.ink(`k${kernel.tone}`) : look.ink("line-strong");
const hullOf = ({ kernel }: Pick<SceneNode, "kernel">, look: Look): string =>
  kernel ? look.ink(`k${kernel.tone}-hull`) : look.ink("sunken");

function glyphAt(node: SceneNode, x: number, y: number, stroke: string): Shape {
  const fill = node.glyph === "output" ? stroke : "none";
  const path = element("path", {
    d: glyphOutlines[node.glyph],
    fill,
    stroke,
    "stroke-width": 2,
    "stroke-linejoin": "round",
    "stroke-linecap": "round",
  });
  return element("g", { transform: `translate(${x} ${y})` }, path);
}

/** Kind, name, formula or kernel; shape, and where the value lives. */
function opOf(node: SceneNode, { x, y, width, height }: Box, look: Look): Shape[] {
  const right = x + width - 10;
  const tone = colourOf(node, look);
  const inHull = node.kernel !== null && !node.alone;
  const parts = [
    element("rect", {
      x,
      y,
      width,
      height,
      rx: 8,
      fill: look.ink("surface"),
      stroke: inHull ? tone : look.ink("line-strong"),
      "stroke-width": 1.25,
    }),
    ...(isFull(look)
      ? [glyphAt(node, x + 9, y + 6, tone)]
      : [
          glyphAt(node, x + 11, y + height / 2 - 8, tone),
          write(look, node.title, x + 34, y + height / 2 + 6, {
            fill: look.ink("ink"),
            px: 13,
            weight: 650,
            room: width - 42,
          }),
        ]),
  ];
  if (!isFull(look)) return parts;
  const stored = node.lives === "memory";
  // Beside a long shape there is no room for the word, which the colour of the lines says as well.
  const fits = widest(node.shape, 12) + widest(node.lives, 12) <= width - 29;
  const where = stored ? showBytes(node.bytes) : node.lives === "nowhere" || !fits ? "" : node.lives;
  const whereLook: Writing = stored
    ? { fill: look.ink("ink-2"), weight: 650 }
    : { fill: look.ink("ink-3"), italic: true };
  parts.push(
    write(look, node.title, x + 31, y + 18, {
      fill: look.ink("ink"),
      px: 13,
      weight: 650,
      room: width - (node.alone ? 74 : 44),
    }),
    write(look, node.shape, x + 11, y + 36, {
      fill: look.ink("ink-3"),
      room: width - 29 - widest(where, 12, whereLook),
    }),
    write(look, where, right, y + 36, { ...whereLook, anchor: "end" }),
  );
  if (node.alone && node.kernel) {
    parts.push(
      element("rect", { x: right - 28, y: y + 5, width: 28, height: 17, rx: 8.5, fill: hullOf(node, look) }),
      write(look, node.kernel.name, right - 14, y + 18, { fill: tone, weight: 650, anchor: "middle" }),
    );
  } else {
    const room = width - 45 - widest(node.title, 13, { weight: 650 });
    if (widest(node.formula, 12, { mono: true }) <= room)
      parts.push(write(look, node.formula, right, y + 18, { fill: look.ink("ink-3"), mono: true, anchor: "end" }));
  }
  return parts;
}

function pillOf(node: SceneNode, { x, y, width, height }: Box, look: Look): Shape[] {
  const middle = y + height / 2;
  const bytes = node.bytes > 0 ? [showBytes(node.bytes)] : [];
  const facts = isDocked({ height }) ? [...bytes, node.shape] : [node.shape, ...bytes];
  const room = width - 48 - widest(node.title, 13, { mono: true });
  const fact = facts.find((each) => widest(each, 12) <= room);
  return [
    element("rect", {
      x,
      y,
      width,
      height,
      rx: height / 2,
      fill: look.ink("sunken"),
      stroke: look.ink("line-strong"),
      "stroke-width": 1.25,
    }),
    glyphAt(node, x + 10, middle - 8, look.ink("ink-2")),
    write(look, node.title, x + 31, middle + 4.5, {
      fill: look.ink("ink"),
      px: 13,
      weight: 650,
      mono: true,
      room: width - 44,
    }),
    ...(fact && isFull(look)
      ? [write(look, fact, x + width - 12, middle + 4, { fill: look.ink("ink-2"), anchor: "end" })]
      : []),
  ];
}

function foldedOf(node: SceneNode, { x, y, width, height }: Box, look: Look): Shape[] {
  const [tone, hull] = [colourOf(node, look), hullOf(node, look)];
  const edge = { width, height, rx: 12, fill: hull, stroke: tone, "stroke-width": 1.5 };
  const bytes = node.lives === "memory" ? showBytes(node.bytes) : "";
  return [
    element("rect", { x: x + 5, y: y + 5, ...edge }),
    element("rect", { x, y, ...edge }),
    glyphAt(node, x + 13, isFull(look) ? y + 12 : y + height / 2 - 8, tone),
    write(look, node.title, x + 36, y + (isFull(look) ? 25 : height / 2 + 6), {
      fill: tone,
      px: 13,
      weight: 650,
      room: width - 46 - (isFull(look) ? 10 + widest(bytes, 12) : 0),
    }),
    ...(isFull(look)
      ? [
          write(look, bytes, x + width - 13, y + 25, { fill: look.ink("ink-2"), anchor: "end" }),
          write(look, node.formula, x + 14, y + 47, { fill: look.ink("ink"), room: width - 28 }),
        ]
      : []),
  ];
}

function hullShape({ path, kernel, tag }: Hull, look: Look): Shape[] {
  const tone = look.ink(`k${kernel.tone}`);
  const how: Writing = { fill: tone, ...(tag.align === "end" ? { anchor: "end" } : {}) };
  const named = { ...how, px: 13, weight: 650, ...(tag.cut || tag.inside || !isFull(look) ? { room: tag.clear } : {}) };
  return [
    element("path", {
      d: path,
      fill: look.ink(`k${kernel.tone}-hull`),
      stroke: tone,
      "stroke-opacity": 0.75,
      "stroke-width": 1.5,
    }),
    write(look, `${kernel.name} ${kernel.title}`.trim(), tag.x, tag.y + 13, named),
    ...(kernel.bytes === null || !isFull(look)
      ? []
      : [write(look, showBytes(kernel.bytes), tag.x, tag.y + 29, { ...how, fill: look.ink("ink-2") })]),
  ];
}

function lineOf({ edge, path }: Line, look: Look): Shape[] {
  const { kind, width, tone, again } = edge;
  const stroke = (colour: string, px: number): Shape =>
    element("path", {
      d: path,
      fill: "none",
      stroke: colour,
      "stroke-width": px,
      "stroke-linejoin": "round",
      "stroke-dasharray": again && "2 4",
    });
  if (kind === "register") return [stroke(tone ? look.ink(`k${tone}`) : look.ink("pipe"), 1.5)];
  if (kind === "view") return [stroke(look.ink("line-strong"), 4), stroke(look.ink("canvas"), 1.5)];
  return [stroke(look.ink("pipe"), width + 1), ...(width >= 4 ? [stroke(look.ink("pipe-soft"), width - 1.5)] : [])];
}

/** Its bytes, over everything that it might cross. */
function labelOf({ edge, label }: Line, look: Look): Shape[] {
  if (!label || !isFull(look)) return [];
  const text = showBytes(edge.bytes);
  const { x, y } = label.at;
  const width = pillWidth(text);
  const pill = element("rect", {
    x: x - width / 2,
    y: y - 10,
    width,
    height: 20,
    rx: 10,
    fill: look.ink("canvas"),
    stroke: look.ink("pipe-soft"),
    "stroke-width": 1.25,
  });
  return [...(label.pill ? [pill] : []), write(look, text, x, y + 4, { fill: look.ink("ink-2"), anchor: "middle" })];
}

/** The disk beside the port where its value leaves. */
function savedOf({ saved }: SceneNode, { x, y, width, height }: Box, port: Port | undefined, look: Look): Shape[] {
  if (!saved || !port) return [];
  const { side, offset } = port;
  const [left, top] = { top: [offset, 0], bottom: [offset, height], left: [0, offset], right: [width, offset] }[side];
  const across = side === "left" || side === "right";
  const at = across ? `${x + left! - 8} ${y + top! + 5}` : `${x + left! + 7} ${y + top! - 8}`;
  const { fill, lines } = savedSign[saved];
  const path = (d: string, paint: string, line: string): Shape =>
    element("path", { d, fill: paint, stroke: line, "stroke-width": 1.5 });
  const [body, rim] = fill ? [look.ink("ink"), look.ink("surface")] : [look.ink("surface"), look.ink("ink")];
  const disk = [path(DISK.body, body, look.ink("ink")), path(`${DISK.rim}${lines}`, "none", rim)];
  return [element("g", { transform: `translate(${at})` }, ...disk)];
}

/** The whole picture with a margin, in px of the graph; at a small `zoom` what is written takes more of it. */
function areaOf({ boxes, hulls, brackets, headings }: Picture, zoom: number): Area {
  const { x0, y0, x1, y1 } = around([
    ...[...boxes.values()].map((box) => rectOf(box, 6)),
    ...hulls.flatMap(({ rects, tag }) => [...rects, tagRect(tag)]),
    ...headings.map(({ x, y }) => ({ x0: x, x1: x, y0: y - 16, y1: y })),
    ...brackets.map(({ name, x, top, bottom }) => ({
      x0: x - 10 - textWidth(name, 12, true) / Math.min(1, zoom),
      x1: x,
      y0: top,
      y1: bottom,
    })),
  ]);
  return { x: x0 - MARGIN, y: y0 - MARGIN, width: x1 - x0 + 2 * MARGIN, height: y1 - y0 + 2 * MARGIN };
}

/** The zoom at which all of it has room, at most `most`. */
export function zoomToFit(picture: Picture, room: Pick<Area, "width" | "height">, most = 1): number {
  const at = (zoom: number): number => {
    const { width, height } = areaOf(picture, zoom);
    return Math.min(most, room.width / width, room.height / height);
  };
  return at(at(at(1)));
}

export interface Drawing {
  /** The whole picture with a margin, in px of the graph. */
  readonly area: Area;
  readonly shapes: readonly Shape[];
}

/** Hulls, lines, boxes and labels, from back to front. */
export function drawingOf(picture: Picture, look: Look): Drawing {
  const { scene, boxes, lines, hulls, brackets, headings } = picture;
  const area = areaOf(picture, look.zoom);
  const nodes = scene.nodes.flatMap((node): Shape[] => {
    const box = boxes.get(node.id);
    if (!box) return [];
    if (node.kind === "input" || node.kind === "output") return pillOf(node, box, look);
    const drawn = node.kind === "op" ? opOf(node, box, look) : foldedOf(node, box, look);
    return [...drawn, ...savedOf(node, box, picture.ports.get(node.id)?.out[0], look)];
  });
  const shapes = [
    ...brackets.flatMap(({ name, x: left, top, bottom }) => [
      element("path", {
        d: `M${left + 7} ${top}h-3a4 4 0 0 0-4 4V${bottom - 4}a4 4 0 0 0 4 4h3`,
        fill: "none",
        stroke: look.ink("line-strong"),
        "stroke-width": 1.25,
      }),
      write(look, name, left - 6, (top + bottom) / 2 + 4, { fill: look.ink("ink-2"), mono: true, anchor: "end" }),
    ]),
    ...headings.map(({ text, x, y, quiet }) =>
      write(look, text, x, y, {
        fill: look.ink(quiet ? "ink-3" : "ink-2"),
        px: quiet ? 12 : 14,
        weight: quiet ? 400 : 650,
        anchor: "middle",
      }),
    ),
    ...hulls.flatMap((hull) => hullShape(hull, look)),
    ...lines.flatMap((line) => lineOf(line, look)),
    ...nodes,
    ...lines.flatMap((line) => labelOf(line, look)),
  ];
  return { area, shapes };
}
