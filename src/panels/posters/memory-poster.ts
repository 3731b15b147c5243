/** @file What is alive while the kernels of both plans run, as a picture. */
import { element, type Ink, type Shape } from "../../picture";
import { peakSentence, type LiveBar, type LivePicture } from "../model/plan/memory";
import { showBytes } from "../model/units";
import { EDGE, poster, POSTER, word } from "./poster";

const TOP = 132;
const BOTTOM = POSTER.height - 80;
const BETWEEN = 32;
const LETTER = 7;

const LOOKS = {
  naive: {
    temporary: ["pipe-soft", null, "ink"],
    input: ["sunken", "line-strong", "ink"],
    output: ["surface", "pipe", "ink"],
  },
  fused: {
    temporary: ["accent", null, "on-accent"],
    input: ["sunken", "line-strong", "ink"],
    output: ["accent-tint", "accent", "ink"],
  },
} as const;

function barOf(
  bar: LiveBar,
  plan: keyof typeof LOOKS,
  at: { x: number; y: number; width: number; height: number },
  ink: Ink,
) {
  const [fill, stroke, tone] = LOOKS[plan][bar.role];
  const isNamed = at.height >= 15 && at.width >= bar.name.length * LETTER + 6;
  return [
    element("rect", { ...at, fill: ink(fill), stroke: stroke ? ink(stroke) : undefined }),
    ...(isNamed ? [word(bar.name, at.x + 4, at.y + at.height / 2 + 4, 12, ink(tone))] : []),
  ];
}

/** Both plans on one scale. */
export function memoryPoster(naive: LivePicture, fused: LivePicture, title: string, ink: Ink): Shape {
  const most = Math.max(naive.peakBytes, fused.peakBytes);
  const width = (POSTER.width - 2 * EDGE - BETWEEN) / 2;
  const y = (bytes: number): number => BOTTOM - (bytes / most) * (BOTTOM - TOP);
  const halves = (
    [
      ["naive", naive],
      ["fused", fused],
    ] as const
  ).flatMap(([plan, { bars, columns, peakBytes }], i) => {
    const left = EDGE + i * (width + BETWEEN);
    const x = (column: number): number => left + (column * width) / columns.length;
    const name = `${plan}: peak ${showBytes(peakBytes)}`;
    return [
      word(name, left, TOP - 18, 13, ink(plan === "fused" ? "accent" : "ink-2"), { "font-weight": 650 }),
      ...bars.flatMap((bar) => {
        const top = y(bar.high);
        const size = { width: Math.max(1, x(bar.to + 1) - x(bar.from) - 1), height: Math.max(1, y(bar.low) - top - 1) };
        return barOf(bar, plan, { x: x(bar.from), y: top, ...size }, ink);
      }),
      element("path", { d: `M${left} ${BOTTOM}h${width}`, stroke: ink("line-strong") }),
      word(columns[0]!.kernel, left, BOTTOM + 18, 12, ink("ink-3")),
      ...(columns.length > 1
        ? [word(columns.at(-1)!.kernel, left + width, BOTTOM + 18, 12, ink("ink-3"), { "text-anchor": "end" })]
        : []),
    ];
  });
  return poster(
    { title: `${title}, memory while the kernels run`, says: peakSentence(naive, fused, "the fused plan") },
    halves,
    ink,
  );
}
