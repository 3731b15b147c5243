/** @file Measured times as the score writes them. */
import { isRunOf, type PlaygroundState } from "../../../state";
import type { Compilation } from "../../../fusion";
import { measureMicros } from "../units";
import { noDifference } from "./difference";
import { timeRows } from "./timings";

export interface MeasuredScore {
  readonly values: readonly [naive: string, now: string, end: string];
  readonly unit: string;
  readonly software: boolean;
  /** That the run shows no difference; null where it shows one. */
  readonly none: string | null;
}

/**
 * The medians of a run of this very program in these kernels, as the score writes them at step `cursor` of `steps`; null without one, or
 * while both plans disagree. `byHand`: that of the shown plan with kernels by hand, null where it has none.
 */
export function measuredScore(
  run: PlaygroundState["run"],
  text: string,
  compilation: Compilation | null,
  cursor: number,
  steps: number,
  byHand?: number | null,
): MeasuredScore | null {
  if (run.status !== "done" || run.run.text !== text || !isRunOf(run.run, compilation)) return null;
  if (run.run.check?.some(({ pass }) => !pass)) return null;
  const times = new Map(timeRows(run.run).map(({ plan, measured }) => [plan, measured]));
  const [first, last] = [times.get("naive"), times.get("fused")];
  if (!first || !last) return null;
  const [naive, fused] = [first.median, last.median];
  // At either end the shown plan is one of the two, which a run does not time twice.
  const generated =
    cursor === 0
      ? naive
      : cursor >= steps
        ? fused
        : (run.run.planned?.cursor === cursor ? times.get("step") : undefined)?.median;
  const step = byHand === undefined ? generated : (byHand ?? undefined);
  const all = [naive, step ?? fused, fused] as const;
  const measure = measureMicros(all);
  const values = all.map((micros) => measure(micros).value);
  const { software } = run.run.result.device;
  const now = step === undefined ? "–" : values[1]!;
  return {
    values: [values[0]!, now, values[2]!],
    unit: measure(fused).unit,
    software,
    none: noDifference(run.run),
  };
}
