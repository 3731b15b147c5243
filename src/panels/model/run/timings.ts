/** @file From raw samples and predictions to the rows of the time chart. Microseconds throughout. */
import { kernelTitle } from "../../../fusion";
import type { FinishedRun } from "../../../state";
import { measureMicros } from "../units";
import { PLAN_NAMES, planTitle, type BenchResult, type PlanName } from "./run-types";
import { halfSpread, spreadOf, type Spread } from "./statistics";

export interface TimeRow {
  readonly plan: PlanName;
  readonly title: string;
  /** µs */
  readonly measured: Spread;
  /** µs; what the cost model says, null when it knows nothing of this machine. */
  readonly predicted: number | null;
  /** Passes × dispatches repeated inside one. */
  readonly runs: number;
  /** Dispatches repeated inside one timed pass. */
  readonly repeats: number;
}

const micros = (nanoseconds: readonly number[]): number[] => nanoseconds.map((each) => each / 1e3);

/** Samples of a whole plan, or of one kernel; null when it was not timed. */
export function timingOf(result: BenchResult, plan: PlanName, kernel: string | null): Spread | null {
  const found = result.timings.find((each) => each.plan === plan && each.kernel === kernel);
  return found && found.nanoseconds.length > 0 ? spreadOf(micros(found.nanoseconds)) : null;
}

/** One row for each plan that was timed, in the order naive, this step, fused. */
export function timeRows({ result, plans, predictedFor }: FinishedRun): TimeRow[] {
  return PLAN_NAMES.flatMap((plan) => {
    const timing = result.timings.find((each) => each.plan === plan && each.kernel === null);
    const planned = plans[plan];
    if (!timing || !planned || timing.nanoseconds.length === 0) return [];
    return [
      {
        plan,
        title: planTitle(plan),
        measured: spreadOf(micros(timing.nanoseconds)),
        predicted: predictedFor === null || plan === "hand" ? null : planned.totals.predictedMicros,
        runs: timing.nanoseconds.length * timing.repeats,
        repeats: timing.repeats,
      },
    ];
  });
}

/** `271 µs` and `±6`, in the unit that suits it and what it is compared with. */
export function showSpread(
  measured: Spread,
  beside: readonly Pick<TimeRow, "measured">[] = [],
): { readonly median: string; readonly spread: string } {
  const measure = measureMicros([measured.median, ...beside.map((row) => row.measured.median)]);
  const { value, unit } = measure(measured.median);
  return { median: `${value} ${unit}`, spread: `±${measure(halfSpread(measured)).value}` };
}

export interface KernelTime {
  readonly plan: PlanName;
  readonly kernel: string;
  readonly title: string;
  readonly measured: Spread;
  readonly predicted: number | null;
}

/** Every kernel that was timed by itself, in plan order. */
export function kernelTimes({ result, plans, predictedFor }: FinishedRun): KernelTime[] {
  return PLAN_NAMES.flatMap((plan) =>
    (plans[plan]?.kernels ?? []).flatMap((kernel) => {
      const measured = timingOf(result, plan, kernel.id);
      if (!measured) return [];
      const title = kernelTitle(kernel);
      const predicted = predictedFor === null || plan === "hand" ? null : kernel.predictedMicros;
      return [{ plan, kernel: kernel.id, title, measured, predicted }];
    }),
  );
}
