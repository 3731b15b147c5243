/** @file The picture as one SVG file, for slides and papers: shapes, colours and words as they are on the canvas, nothing that moves. */
import { boxSizes } from "../../../document";
import { around, rectOf } from "./geometry";
import type { Box, Rect } from "./geometry";
import { glyphOutlines } from "./glyphs";
import { pillWidth, tagRect } from "./labels";
import type { Hull, Line, Picture, Port } from "./picture";
import type { SceneNode } from "./scene";
import { DISK, savedSign } from "./saved";
import { showBytes, textWidth } from "./format";

/** The colour of a token: `ink-2`, `k1-hull`. */
export type Ink = (token: string) => string;

const MARGIN = 16;
const SANS = "system-ui, sans-serif";
const MONO = "ui-monospace, monospace";

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

type Values = Readonly<Record<string, string | number | undefined>>;

function element(name: string, values: Values, inside = ""): string {
  const written = Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(
      ([key, value]) => ` ${key}="${escaped(typeof value === "number" ? String(Number(value.toFixed(2))) : value!)}"`,
    );
  return inside === "" ? `<${name}${written.join("")}/>` : `<${name}${written.join("")}>${inside}</${name}>`;
}

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

function shortened(text: string, room: number, px: number, mono: boolean): string {
  if (textWidth(text, px, mono) <= room) return text;
  const letters = Math.max(1, Math.floor(room / textWidth("x", px, mono)) - 1);
  return `${text.slice(0, letters)}…`;
}

function write(text: string, x: number, y: number, how: Writing): string {
  const { fill, px = 12, weight, mono = false, italic = false, anchor, room = Infinity } = how;
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
  return element("text", values, escaped(shortened(text, room, px, mono)));
}

const colourOf = ({ kernel }: Pick<SceneNode, "kernel">, ink: Ink): string =>
  kernel ? ink(`k${kernel.tone}`) : ink("line-strong");
const hullOf = ({ kernel }: Pick<SceneNode, "kernel">, ink: Ink): string =>
  kernel ? ink(`k${kernel.tone}-hull`) : ink("sunken");

function glyphAt(node: SceneNode, x: number, y: number, stroke: string): string {
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
function opOf(node: SceneNode, { x, y, width, height }: Box, ink: Ink): string {
  const right = x + width - 10;
  const tone = colourOf(node, ink);
  const inHull = node.kernel !== null && !node.alone;
  const parts = [
    element("rect", {
      x,
      y,
      width,
      height,
      rx: 8,
      fill: ink("surface"),
      stroke: inHull ? tone : ink("line-strong"),
      "stroke-width": 1.25,
    }),
    glyphAt(node, x + 9, y + 6, tone),
    write(node.title, x + 31, y + 18, { fill: ink("ink"), px: 13, weight: 650, room: width - (node.alone ? 74 : 44) }),
    write(node.shape, x + 11, y + 36, { fill: ink("ink-3"), room: width / 2 }),
  ];
  if (node.alone && node.kernel) {
    parts.push(
      element("rect", { x: right - 28, y: y + 5, width: 28, height: 17, rx: 8.5, fill: hullOf(node, ink) }),
      write(node.kernel.name, right - 14, y + 18, { fill: tone, weight: 650, anchor: "middle" }),
    );
  } else {
    const room = width - 48 - textWidth(node.title, 13);
    if (room > 14)
      parts.push(write(node.formula, right, y + 18, { fill: ink("ink-3"), mono: true, anchor: "end", room }));
  }
  if (node.lives === "memory")
    parts.push(write(showBytes(node.bytes), right, y + 36, { fill: ink("ink-2"), weight: 650, anchor: "end" }));
  else if (node.lives !== "nowhere")
    parts.push(write(node.lives, right, y + 36, { fill: ink("ink-3"), italic: true, anchor: "end" }));
  return parts.join("");
}

function pillOf(node: SceneNode, { x, y, width, height }: Box, ink: Ink): string {
  const middle = y + height / 2;
  const fact = width === boxSizes.docked.width && node.bytes > 0 ? showBytes(node.bytes) : node.shape;
  const room = width - 45 - textWidth(node.title, 13, true);
  return [
    element("rect", {
      x,
      y,
      width,
      height,
      rx: height / 2,
      fill: ink("sunken"),
      stroke: ink("line-strong"),
      "stroke-width": 1.25,
    }),
    glyphAt(node, x + 10, middle - 8, ink("ink-2")),
    write(node.title, x + 31, middle + 4.5, { fill: ink("ink"), px: 13, weight: 650, mono: true, room: width - 44 }),
    ...(room >= textWidth(fact, 12)
      ? [write(fact, x + width - 12, middle + 4, { fill: ink("ink-2"), anchor: "end" })]
      : []),
  ].join("");
}

function foldedOf(node: SceneNode, { x, y, width, height }: Box, ink: Ink): string {
  const [tone, hull] = [colourOf(node, ink), hullOf(node, ink)];
  const edge = { width, height, rx: 12, fill: hull, stroke: tone, "stroke-width": 1.5 };
  const bytes = node.lives === "memory" ? showBytes(node.bytes) : "";
  return [
    element("rect", { x: x + 5, y: y + 5, ...edge }),
    element("rect", { x, y, ...edge }),
    glyphAt(node, x + 13, y + 12, tone),
    write(node.title, x + 36, y + 25, { fill: tone, px: 13, weight: 650, room: width - 56 - textWidth(bytes, 12) }),
    write(bytes, x + width - 13, y + 25, { fill: ink("ink-2"), anchor: "end" }),
    write(node.formula, x + 14, y + 47, { fill: ink("ink"), room: width - 28 }),
  ].join("");
}

function hullShape({ path, kernel, tag }: Hull, ink: Ink): string {
  const tone = ink(`k${kernel.tone}`);
  const how: Writing = { fill: tone, ...(tag.align === "end" ? { anchor: "end" } : {}) };
  const named = { ...how, px: 13, weight: 650, ...(tag.cut || tag.inside ? { room: tag.width } : {}) };
  return [
    element("path", {
      d: path,
      fill: ink(`k${kernel.tone}-hull`),
      stroke: tone,
      "stroke-opacity": 0.75,
      "stroke-width": 1.5,
    }),
    write(`${kernel.name} ${kernel.title}`.trim(), tag.x, tag.y + 13, named),
    ...(kernel.bytes === null
      ? []
      : [write(showBytes(kernel.bytes), tag.x, tag.y + 29, { ...how, fill: ink("ink-2") })]),
  ].join("");
}

function lineOf({ edge, path }: Line, ink: Ink): string {
  const { kind, width, tone } = edge;
  const stroke = (colour: string, px: number): string =>
    element("path", { d: path, fill: "none", stroke: colour, "stroke-width": px, "stroke-linejoin": "round" });
  if (kind === "register") return stroke(tone ? ink(`k${tone}`) : ink("pipe"), 1.5);
  if (kind === "view") return stroke(ink("line-strong"), 4) + stroke(ink("canvas"), 1.5);
  return stroke(ink("pipe"), width + 1) + (width >= 4 ? stroke(ink("pipe-soft"), width - 1.5) : "");
}

/** Its bytes, over everything that it might cross. */
function labelOf({ edge, label }: Line, ink: Ink): string {
  if (!label) return "";
  const text = showBytes(edge.bytes);
  const { x, y } = label.at;
  const width = pillWidth(text);
  const pill = element("rect", {
    x: x - width / 2,
    y: y - 10,
    width,
    height: 20,
    rx: 10,
    fill: ink("canvas"),
    stroke: ink("pipe-soft"),
    "stroke-width": 1.25,
  });
  return (label.pill ? pill : "") + write(text, x, y + 4, { fill: ink("ink-2"), anchor: "middle" });
}

/** The disk beside the port where its value leaves. */
function savedOf({ saved }: SceneNode, { x, y, width, height }: Box, port: Port | undefined, ink: Ink): string {
  if (!saved || !port) return "";
  const { side, offset } = port;
  const [left, top] = { top: [offset, 0], bottom: [offset, height], left: [0, offset], right: [width, offset] }[side];
  const across = side === "left" || side === "right";
  const at = across ? `${x + left! - 8} ${y + top! + 5}` : `${x + left! + 7} ${y + top! - 8}`;
  const { fill, lines } = savedSign[saved];
  const path = (d: string, paint: string, line: string): string =>
    element("path", { d, fill: paint, stroke: line, "stroke-width": 1.5 });
  const [body, rim] = fill ? [ink("ink"), ink("surface")] : [ink("surface"), ink("ink")];
  const disk = path(DISK.body, body, ink("ink")) + path(`${DISK.rim}${lines}`, "none", rim);
  return element("g", { transform: `translate(${at})` }, disk);
}

function areaOf({ boxes, hulls, brackets }: Picture): Rect {
  return around([
    ...[...boxes.values()].map((box) => rectOf(box, 6)),
    ...hulls.flatMap(({ rects, tag }) => [...rects, tagRect(tag)]),
    ...brackets.map(({ name, x, top, bottom }) => ({
      x0: x - 10 - textWidth(name, 12, true),
      x1: x,
      y0: top,
      y1: bottom,
    })),
  ]);
}

/** `title` names the file's picture for who can't see it. */
export function svgOf(picture: Picture, title: string, ink: Ink): string {
  const { scene, boxes, lines, hulls, brackets } = picture;
  const area = areaOf(picture);
  const [x, y] = [area.x0 - MARGIN, area.y0 - MARGIN];
  const [width, height] = [area.x1 - area.x0 + 2 * MARGIN, area.y1 - area.y0 + 2 * MARGIN];
  const nodes = scene.nodes.flatMap((node) => {
    const box = boxes.get(node.id);
    if (!box) return [];
    if (node.kind === "input" || node.kind === "output") return pillOf(node, box, ink);
    const drawn = node.kind === "op" ? opOf(node, box, ink) : foldedOf(node, box, ink);
    return drawn + savedOf(node, box, picture.ports.get(node.id)?.out[0], ink);
  });
  const drawn = [
    element("title", {}, escaped(title)),
    element("rect", { x, y, width, height, fill: ink("canvas") }),
    ...brackets.flatMap(({ name, x: left, top, bottom }) => [
      element("path", {
        d: `M${left + 7} ${top}h-3a4 4 0 0 0-4 4V${bottom - 4}a4 4 0 0 0 4 4h3`,
        fill: "none",
        stroke: ink("line-strong"),
        "stroke-width": 1.25,
      }),
      write(name, left - 6, (top + bottom) / 2 + 4, { fill: ink("ink-2"), mono: true, anchor: "end" }),
    ]),
    ...hulls.map((hull) => hullShape(hull, ink)),
    ...lines.map((line) => lineOf(line, ink)),
    ...nodes,
    ...lines.map((line) => labelOf(line, ink)),
  ].join("\n");
  const frame: Values = {
    xmlns: "http://www.w3.org/2000/svg",
    width,
    height,
    viewBox: [x, y, width, height].map((value) => Number(value.toFixed(2))).join(" "),
    "font-family": SANS,
  };
  return `${element("svg", frame, `\n${drawn}\n`)}\n`;
}
