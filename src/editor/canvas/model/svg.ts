/** @file The picture as one SVG file, for slides and papers. */
import { drawingOf, element, written, type Ink, type Shape } from "./drawing";
import type { Picture } from "./picture";

const SANS = "system-ui, sans-serif";

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

function printed(shape: Shape | string, between = ""): string {
  if (typeof shape === "string") return escaped(shape);
  const { name, values, inside } = shape;
  const list = Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${escaped(written(value!))}"`)
    .join("");
  if (inside.length === 0) return `<${name}${list}/>`;
  return `<${name}${list}>${between}${inside.map((each) => printed(each)).join(between)}${between}</${name}>`;
}

/** `title` names the file's picture for who can't see it. */
export function svgOf(picture: Picture, title: string, ink: Ink): string {
  const { area, shapes } = drawingOf(picture, { ink, zoom: 1 });
  const { x, y, width, height } = area;
  const frame = {
    xmlns: "http://www.w3.org/2000/svg",
    width,
    height,
    viewBox: [x, y, width, height].map(written).join(" "),
    "font-family": SANS,
  };
  const ground = element("rect", { x, y, width, height, fill: ink("canvas") });
  return `${printed(element("svg", frame, element("title", {}, title), ground, ...shapes), "\n")}\n`;
}
