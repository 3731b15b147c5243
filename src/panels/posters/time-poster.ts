/** @file How long each plan takes, as bars in a picture: measured where it ran, else predicted. */
import type { Plan } from "../../fusion";
import type { FinishedRun } from "../../state";
import { element, type Ink, type Shape } from "../../picture";
import type { Spread } from "../model/run/statistics";
import { noDifference } from "../model/run/difference";
import { showSpread, timeRows } from "../model/run/timings";
import { timesBeside } from "../model/units";
import { EDGE, poster, POSTER, word } from "./poster";

const TOP = 120;
const LEFT = EDGE + 100;
const RIGHT = POSTER.width - 220;
const PITCH = 58;
const BAR = 30;

interface Bar {
  readonly name: string;
  readonly fused: boolean;
  readonly micros: number;
  readonly says: string;
  readonly measured: Spread | null;
  /** Beside a measured time, where the profile is the device's. */
  readonly predicted: number | null;
}

function barsOf(naive: Plan, fused: Plan, run: FinishedRun | null): readonly Bar[] {
  const rows = run && timeRows(run);
  if (rows)
    return rows.map(({ plan, title, measured, predicted }) => {
      const { median, spread } = showSpread(measured, rows);
      const says = `${median} ${spread}`;
      return { name: title, fused: plan === "fused", micros: measured.median, says, measured, predicted };
    });
  const say = timesBeside([naive, fused].map(({ totals }) => totals.predictedMicros));
  return [naive, fused].map(({ totals }, i) => ({
    name: i === 1 ? "fused" : "naive",
    fused: i === 1,
    micros: totals.predictedMicros,
    says: say(totals.predictedMicros),
    measured: null,
    predicted: null,
  }));
}

/** @param predictor the profile that times are predicted for */
export function timePoster(
  plans: { readonly naive: Plan; readonly fused: Plan; readonly run: FinishedRun | null; readonly predictor: string },
  title: string,
  ink: Ink,
): Shape {
  const { run, predictor } = plans;
  const bars = barsOf(plans.naive, plans.fused, run);
  const longest = Math.max(
    ...bars.map(({ micros, measured, predicted }) => Math.max(measured?.upper ?? micros, predicted ?? 0)),
  );
  const at = (micros: number): number => LEFT + (micros / longest) * (RIGHT - LEFT);
  const isPredicted = bars.some(({ predicted }) => predicted !== null);
  const says = run
    ? `Measured on ${run.result.device.name}: medians ± half the distance of the quartiles${isPredicted ? `; dashed: predicted by ${run.predictedFor}` : ""}`
    : `Predicted for the profile ${predictor}, not measured`;
  const none = run && noDifference(run);
  const shapes = bars.flatMap(({ name, fused, micros, says: number, measured, predicted }, i) => {
    const y = TOP + i * PITCH;
    const middle = y + BAR / 2;
    const end = Math.max(at(measured?.upper ?? micros), predicted === null ? 0 : at(predicted));
    const whisker =
      measured &&
      `M${at(measured.lower)} ${middle}H${at(measured.upper)}M${at(measured.lower)} ${middle - 6}v12M${at(measured.upper)} ${middle - 6}v12`;
    return [
      word(name, EDGE, middle + 5, 14, ink(fused ? "accent" : "ink-2"), { "font-weight": 650 }),
      element("rect", {
        x: LEFT,
        y,
        width: Math.max(1, at(micros) - LEFT),
        height: BAR,
        rx: 4,
        fill: ink(fused ? "accent" : "pipe"),
      }),
      ...(whisker ? [element("path", { d: whisker, fill: "none", stroke: ink("ink"), "stroke-width": 1.5 })] : []),
      ...(predicted === null
        ? []
        : [
            element("path", {
              d: `M${at(predicted)} ${y - 6}v${BAR + 12}`,
              stroke: ink("ink"),
              "stroke-width": 1.5,
              "stroke-dasharray": "3 3",
            }),
          ]),
      word(number, end + 12, middle + 5, 14, ink("ink"), { "font-weight": 650 }),
    ];
  });
  const said = none ? [word(none, EDGE, TOP + bars.length * PITCH + 20, 13, ink("ink"))] : [];
  return poster(
    { title: `${title}, time of each plan`, says, tone: run ? "ink-2" : "warn" },
    [...shapes, ...said],
    ink,
  );
}
