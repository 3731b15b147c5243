/** @file Plans that save more or less for the backward pass, peak memory against time, as a picture: the points of the page's chart. */
import type { SavedSheet } from "../../fusion";
import { element, type Ink, type Shape } from "../../picture";
import { axesOf, rowTitle, savedPoints, type SavedPoint } from "../model/plan/saved";
import { showBytes, showMicros } from "../model/units";
import { EDGE, poster, POSTER, word } from "./poster";

const TOP = 112;
const LEFT = EDGE + 76;
const RIGHT = POSTER.width - 380;
const BOTTOM = POSTER.height - 84;

/** Points that stand where another does share its number. */
function byPosition(points: readonly SavedPoint[]): readonly (readonly SavedPoint[])[] {
  const found: SavedPoint[][] = [];
  for (const point of points) {
    const same = found.find(([first]) => Math.hypot(first!.x - point.x, first!.y - point.y) < 0.03);
    if (same) same.push(point);
    else found.push([point]);
  }
  return found;
}

const anchorAt = (share: number): string => (share === 0 ? "start" : share === 1 ? "end" : "middle");

/** Predicted times; the best plans are joined. */
export function savedPoster(sheet: SavedSheet, title: string, ink: Ink): Shape {
  const points = savedPoints(sheet);
  const x = (share: number): number => LEFT + share * (RIGHT - LEFT);
  const y = (share: number): number => BOTTOM - share * (BOTTOM - TOP);
  const { peaks, times } = axesOf(points);
  const small = ink("ink-3");
  const best = points.filter((point) => point.best).toSorted((a, b) => a.x - b.x);
  const marks = byPosition(points).flatMap((same) => {
    const [at] = same;
    const isBest = same.some((point) => point.best);
    const numbers = same.map((point) => points.indexOf(point) + 1).join(", ");
    const look = { fill: ink(isBest ? "accent" : "surface"), stroke: ink(isBest ? "accent" : "line-strong") };
    return [
      element("circle", { cx: x(at!.x), cy: y(at!.y), r: 6, "stroke-width": 1.5, ...look }),
      word(numbers, x(at!.x) + 10, y(at!.y) - 8, 13, ink(isBest ? "accent" : "ink-2"), { "font-weight": 650 }),
    ];
  });
  const list = points.map(({ row, micros, best: isBest }, i) =>
    word(
      `${i + 1}  ${rowTitle(row)}: ${showBytes(row.totals.peakBytes)}, ${showMicros(micros)}`,
      RIGHT + 48,
      TOP + 6 + i * 22,
      13,
      ink(isBest ? "ink" : "ink-2"),
      { "font-weight": isBest ? 650 : 400 },
    ),
  );
  return poster(
    {
      title: `${title}, what the backward pass saves`,
      says: "Peak memory against predicted time; no plan is below and to the left of those that are joined",
    },
    [
      element("path", {
        d: `M${LEFT} ${TOP - 8}V${BOTTOM + 8}H${RIGHT + 8}`,
        fill: "none",
        stroke: ink("line-strong"),
      }),
      ...times.map(({ text, share }) => word(text, LEFT - 8, y(share) + 4, 12, small, { "text-anchor": "end" })),
      ...peaks.map(({ text, share }) =>
        word(text, x(share), BOTTOM + 26, 12, small, { "text-anchor": anchorAt(share) }),
      ),
      word("peak memory", (LEFT + RIGHT) / 2, BOTTOM + (peaks.length > 1 ? 26 : 44), 12, small, {
        "text-anchor": "middle",
      }),
      element("polyline", {
        points: best.map((point) => `${x(point.x)},${y(point.y)}`).join(" "),
        fill: "none",
        stroke: ink("accent"),
        "stroke-width": 2,
      }),
      ...marks,
      ...list,
    ],
    ink,
  );
}
