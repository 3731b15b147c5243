/** @file Both plans on one axis of time: kernels as bars, launches as gaps, the moment as a line. As shapes, for the page and for files. */
import { element, type Ink, type Shape } from "../../picture";
import { raceTimes, ticksOf, type Lane, type Race, type RaceKernel } from "../model/run/race";
import { measureMicros, showBytes } from "../model/units";

/** px: from the left to the axis, beside it at the right, the upper edge of the first lane, from lane to lane, and a bar's height. */
export const AXIS = { left: 56, right: 16, top: 24, pitch: 48, bar: 28 } as const;
export const TIMELINE_HEIGHT = AXIS.top + 2 * AXIS.pitch + 24;

/** px that a letter takes, generously. */
const LETTER = 7.3;
/** As many words of a kernel's name as have room: whole, or left out. */
export function wordsWithin(name: string, room: number): string {
  const words = name.split(" ");
  const held = words.map((_, i) => words.slice(0, i + 1).join(" ")).filter((some) => some.length * LETTER <= room);
  return held.at(-1) ?? "";
}

export interface TimelineRequest {
  readonly race: Race;
  readonly time: number;
  /** px */
  readonly width: number;
  readonly ink: Ink;
}

interface Drawing extends TimelineRequest {
  /** px at a time. */
  readonly at: (time: number) => number;
}

function bar(kernel: RaceKernel, lane: Lane["name"], y: number, { at, time, ink }: Drawing): Shape[] {
  const { launch, from, to, name, bytes } = kernel;
  const [left, right] = [at(from), at(to)];
  const width = Math.max(1, right - left);
  const done = Math.max(0, Math.min(width, at(time) - left));
  const finished = time >= to;
  const fused = lane === "fused";
  const fill = fused ? (finished ? "accent" : "accent-tint") : "pipe-soft";
  const words = ink(fused && finished ? "on-accent" : "ink");
  const size = showBytes(bytes);
  const room = width - 14;
  // The name first; its bytes where both fit.
  const both = name.length * LETTER + 12 + size.length * LETTER <= room;
  const shown = wordsWithin(name, room);
  const middle = y + AXIS.bar / 2;
  const box = (of: number, look: Readonly<Record<string, string>>): Shape =>
    element("rect", { x: left, y, width: of, height: AXIS.bar, rx: Math.min(4, of / 3), ...look });
  const text = { y: middle + 4, "font-size": 12, fill: words };
  return [
    element("rect", {
      x: at(launch),
      y: middle - 3,
      width: Math.max(0, left - at(launch)),
      height: 6,
      fill: ink(time > launch ? "pipe" : "line"),
    }),
    box(width, { fill: ink("surface") }),
    box(done, { fill: ink(fill) }),
    box(width, { fill: "none", stroke: ink(fused ? "accent" : "line-strong") }),
    ...(shown ? [element("text", { ...text, x: left + 7, "font-weight": 650 }, shown)] : []),
    ...(both ? [element("text", { ...text, x: right - 7, "text-anchor": "end" }, size)] : []),
  ];
}

function finish(lane: Lane, y: number, { race, at, time, width, ink }: Drawing): Shape[] {
  const done = time >= lane.end;
  const x = at(lane.end);
  const text = `${done ? "done at" : "ends at"} ${raceTimes(race)(lane.end)}`;
  const beside = x + 10 + text.length * LETTER < width;
  const colour = ink(done ? (lane.name === "fused" ? "accent" : "ink") : "ink-3");
  return [
    element("path", { d: `M${x} ${y - 8}v${AXIS.bar + 12}`, stroke: colour, "stroke-width": 1.5 }),
    element("path", { d: `M${x} ${y - 8}h10l-3 4 3 4h-10z`, fill: colour }),
    element(
      "text",
      {
        x: beside ? x + 10 : x - 6,
        y: beside ? y + AXIS.bar / 2 + 4 : y - 8,
        "font-size": 12,
        "font-weight": 650,
        "text-anchor": beside ? "start" : "end",
        fill: colour,
      },
      text,
    ),
  ];
}

/** `TIMELINE_HEIGHT` high. */
export function timeline(request: TimelineRequest): Shape[] {
  const { race, time, width, ink } = request;
  const span = Math.max(1, width - AXIS.left - AXIS.right);
  const at = (when: number): number => AXIS.left + (race.end > 0 ? (Math.min(when, race.end) / race.end) * span : 0);
  const drawing = { ...request, at };
  const ticks = ticksOf(race.end);
  const measure = measureMicros(ticks.slice(1));
  const floor = AXIS.top + 2 * AXIS.pitch;
  return [
    ...ticks.flatMap((tick) => {
      const { value, unit } = measure(tick);
      const word = { x: at(tick), y: floor + 14, "font-size": 12, "text-anchor": "middle", fill: ink("ink-3") };
      return [
        element("path", { d: `M${at(tick)} ${AXIS.top - 8}V${floor - 4}`, stroke: ink("line") }),
        element("text", word, tick === 0 ? "0" : `${value} ${unit}`),
      ];
    }),
    ...race.lanes.flatMap((lane, i) => {
      const y = AXIS.top + i * AXIS.pitch;
      const fill = ink(lane.name === "fused" ? "accent" : "ink-2");
      return [
        element("text", { x: 0, y: y + AXIS.bar / 2 + 4, "font-size": 12, "font-weight": 650, fill }, lane.name),
        ...lane.kernels.flatMap((kernel) => bar(kernel, lane.name, y, drawing)),
        ...finish(lane, y, drawing),
      ];
    }),
    element("path", { d: `M${at(time)} ${AXIS.top - 14}V${floor}`, stroke: ink("accent"), "stroke-width": 2 }),
    element("circle", { cx: at(time), cy: AXIS.top - 14, r: 5, fill: ink("accent") }),
  ];
}
