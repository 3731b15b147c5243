/** @file How peak memory and traffic of both plans grow with a size, as a picture. */
import { element, type Ink, type Shape } from "../../picture";
import type { GrowthOf, SizeRow } from "../../fusion";
import { growthCurves, growthSentence, grown, growths, type Grown } from "../model/plan/growth";
import { count } from "../model/units";
import { EDGE, poster, POSTER, word } from "./poster";

const TOP = 136;
const BOTTOM = POSTER.height - 76;
const BETWEEN = 130;
const WIDTH = (POSTER.width - 2 * EDGE - 2 * BETWEEN) / 2;

interface Curves {
  readonly rows: readonly SizeRow[];
  readonly what: Grown;
  /** px */
  readonly width: number;
  readonly height: number;
}

/** The curves of both plans, for the page and for files. */
export const curveShapes = ({ rows, what, width, height }: Curves, ink: Ink): Shape[] =>
  growthCurves(rows, what).flatMap(({ plan, points }) => {
    const colour = ink(plan === "fused" ? "accent" : "pipe");
    const at = points.map(([x, y]) => [x * width, (1 - y) * height] as const);
    return [
      element("polyline", {
        points: at.map((each) => each.join(",")).join(" "),
        fill: "none",
        stroke: colour,
        "stroke-width": 2,
        "stroke-dasharray": plan === "fused" ? undefined : "5 4",
      }),
      ...at.map(([cx, cy]) => element("circle", { cx, cy, r: 3.5, fill: colour })),
    ];
  });

/** Null for fewer than two sizes. */
export function growthPoster({ name, rows }: GrowthOf, title: string, ink: Ink): Shape | null {
  if (rows.length < 2) return null;
  const small = ink("ink-3");
  const halves = growths.flatMap((what, i) => {
    const left = EDGE + i * (WIDTH + BETWEEN);
    const y = (part: number): number => BOTTOM - part * (BOTTOM - TOP);
    const ends = growthCurves(rows, what).map(({ plan, points, end }, at, all) => {
      const height = y(points.at(-1)![1]);
      // Ends that meet are named one below the other.
      const isClose = at === 1 && Math.abs(height - y(all[0]!.points.at(-1)![1])) < 16;
      return word(
        `${plan} ${end}`,
        left + WIDTH + 10,
        height + (isClose ? 20 : 4),
        13,
        ink(plan === "fused" ? "accent" : "ink-2"),
        {
          "font-weight": 650,
        },
      );
    });
    return [
      word(grown[what], left, TOP - 18, 13, ink("ink-2"), { "font-weight": 650 }),
      element("path", { d: `M${left} ${TOP}V${BOTTOM}h${WIDTH}`, fill: "none", stroke: ink("line-strong") }),
      ...rows.map(({ value }, at) =>
        word(count(value), left + growthCurves(rows, what)[0]!.points[at]![0] * WIDTH, BOTTOM + 18, 12, small, {
          "text-anchor": "middle",
        }),
      ),
      element(
        "g",
        { transform: `translate(${left} ${TOP})` },
        ...curveShapes({ rows, what, width: WIDTH, height: BOTTOM - TOP }, ink),
      ),
      ...ends,
    ];
  });
  const axis = word(`${name}, all axes logarithmic`, POSTER.width - EDGE, POSTER.height - 22, 12, small, {
    "text-anchor": "end",
  });
  return poster(
    { title: `${title}, growth with ${name}`, says: growthSentence(rows, name, "peakBytes") },
    [...halves, axis],
    ink,
  );
}
