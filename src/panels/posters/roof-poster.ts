/** @file The rooflines as a picture: machines by their datasheets, and where both plans of a program stand under them. */
import { element, textWidth, type Ink, type Shape } from "../../picture";
import { roofAt, roofAxes, type RooflineOf, type Stand, standSentence } from "../model/run/roofline";
import { decimal, significant } from "../model/units";
import { EDGE, poster, POSTER, word } from "./poster";

const TOP = 108;
const LEFT = EDGE + 62;
const RIGHT = POSTER.width - 250;
const BOTTOM = POSTER.height - 76;

const decades = ([low, high]: readonly [number, number]): number[] =>
  Array.from({ length: Math.round(Math.log10(high / low)) + 1 }, (_, i) => low * 10 ** i);

/** The first of `roofs` is the one that the sentence is about. */
export function roofPoster(roofs: readonly RooflineOf[], stands: readonly Stand[], title: string, ink: Ink): Shape {
  const axes = roofAxes(roofs, stands);
  const part = (value: number, [low, high]: readonly [number, number]): number =>
    Math.log10(value / low) / Math.log10(high / low);
  const left = (value: number): number => LEFT + part(value, axes.x) * (RIGHT - LEFT);
  const top = (value: number): number => BOTTOM - part(value, axes.y) * (BOTTOM - TOP);
  const small = ink("ink-3");
  const grid = [
    ...decades(axes.x).flatMap((x) => [
      element("path", { d: `M${left(x)} ${TOP}V${BOTTOM}`, stroke: ink("line") }),
      word(significant(x), left(x), BOTTOM + 18, 12, small, { "text-anchor": "middle" }),
    ]),
    ...decades(axes.y).flatMap((y) => [
      element("path", { d: `M${LEFT} ${top(y)}H${RIGHT}`, stroke: ink("line") }),
      word(decimal(y, ""), LEFT - 8, top(y) + 4, 12, small, { "text-anchor": "end" }),
    ]),
    word("FLOP per byte", RIGHT, BOTTOM + 36, 12, small, { "text-anchor": "end" }),
    word("FLOP/s", LEFT - 8, TOP - 14, 12, small, { "text-anchor": "end" }),
  ];
  const lines = roofs.map((roof, i) => {
    const points = [axes.x[0], roof.ridge, axes.x[1]].map((x) => `${left(x)},${top(roofAt(roof, x))}`).join(" ");
    const look = { stroke: ink(i === 0 ? "ink" : "line-strong"), "stroke-width": i === 0 ? 2.5 : 1.5 };
    return element("polyline", { points, fill: "none", ...look });
  });
  // Flat roofs that are close to one another are named one below the other.
  const named = roofs
    .map((roof, i) => ({ roof, first: i === 0, y: top(roof.flops) + 4 }))
    .toSorted((a, b) => a.y - b.y)
    .reduce<{ roof: RooflineOf; first: boolean; y: number }[]>(
      (all, each) => [...all, { ...each, y: Math.max(each.y, (all.at(-1)?.y ?? -Infinity) + 32) }],
      [],
    )
    .flatMap(({ roof, first, y }) => [
      word(roof.name, RIGHT + 12, y, 13, ink("ink"), { "font-weight": first ? 680 : 400 }),
      word(`${decimal(roof.flops, "FLOP/s")}, ${decimal(roof.bandwidth, "B/s")}`, RIGHT + 12, y + 15, 12, ink("ink-2")),
    ]);
  const least = Math.min(...stands.map(({ intensity }) => intensity));
  const marks = stands.flatMap(({ plan, intensity }) => {
    const colour = ink(plan === "fused" ? "accent" : "pipe");
    const text = `${plan} ${significant(intensity)}`;
    // Away from the other plan's line, where there is room.
    const before = intensity === least && plan === "naive" && left(intensity) - textWidth(text, 13) > LEFT + 6;
    const side = before ? { "text-anchor": "end" } : {};
    return [
      element("path", {
        d: `M${left(intensity)} ${TOP}V${BOTTOM}`,
        stroke: colour,
        "stroke-width": 2,
        "stroke-dasharray": plan === "fused" ? undefined : "5 4",
      }),
      word(
        text,
        left(intensity) + (before ? -6 : 6),
        BOTTOM - (plan === "fused" ? 10 : 28),
        13,
        ink(plan === "fused" ? "accent" : "ink-2"),
        {
          "font-weight": 650,
          ...side,
        },
      ),
    ];
  });
  const says = standSentence(roofs[0]!, stands);
  return poster(
    { title: `${title}, under the roofs of datasheets`, says },
    [...grid, ...lines, ...marks, ...named],
    ink,
  );
}
