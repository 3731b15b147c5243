/** @file What every chart's picture has: its size, a title, whose numbers these are, where it comes from. */
import { element, fileOf, type Ink, type Shape } from "../../picture";

export const POSTER = { width: 960, height: 400 } as const;
export const EDGE = 32;

interface Head {
  readonly title: string;
  readonly says: string;
  /** The token of the colour of what it says. */
  readonly tone?: string;
}

export const word = (text: string, x: number, y: number, px: number, fill: string, rest = {}): Shape =>
  element("text", { x, y, "font-size": px, fill, ...rest }, text);

/** A picture of `POSTER`'s size with these shapes. */
export function poster({ title, says, tone = "ink-2" }: Head, shapes: readonly Shape[], ink: Ink): Shape {
  const { width, height } = POSTER;
  return fileOf({ width, height, viewBox: `0 0 ${width} ${height}` }, title, [
    element("rect", { width, height, fill: ink("surface") }),
    word(title, EDGE, 52, 21, ink("ink"), { "font-weight": 680 }),
    word(says, EDGE, 76, 13, ink(tone)),
    ...shapes,
    word("Fusion Playground", EDGE, height - 22, 12, ink("ink-3")),
  ]);
}
