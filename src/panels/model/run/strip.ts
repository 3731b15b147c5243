/** @file One run of each plan on a line of time: its kernels one after the other, as they were measured. */
import { kernelTitle } from "../../../fusion";
import type { FinishedRun } from "../../../state";
import { PLAN_NAMES, planTitle, type PlanName } from "./run-types";
import { timingOf } from "./timings";
import { plural, showMicros, timesBeside } from "../units";

export interface StripPart {
  readonly kernel: string;
  /** `K2 row stats: 12.3 µs` */
  readonly text: string;
  /** Of the longest plan's time, 0 to 1. */
  readonly from: number;
  readonly width: number;
}

export interface Strip {
  readonly plan: PlanName;
  readonly title: string;
  readonly total: string;
  readonly parts: readonly StripPart[];
}

/** Plans whose kernels were all timed by themselves, in the order in which they run; empty when none was. */
export function stripsOf({ result, plans }: FinishedRun): Strip[] {
  const timed = PLAN_NAMES.flatMap((plan) => {
    const kernels = plans[plan]?.kernels ?? [];
    const medians = kernels.map(({ id }) => timingOf(result, plan, id)?.median ?? Number.NaN);
    const total = medians.reduce((sum, micros) => sum + micros, 0);
    return kernels.length > 0 && total > 0 ? [{ plan, kernels, medians, total }] : [];
  });
  const longest = Math.max(...timed.map(({ total }) => total));
  const say = timesBeside(timed.map(({ total }) => total));
  return timed.map(({ plan, kernels, medians, total }) => {
    let from = 0;
    const parts = kernels.map((kernel, i): StripPart => {
      const width = medians[i]! / longest;
      const part = { kernel: kernel.id, text: `${kernelTitle(kernel)}: ${showMicros(medians[i]!)}`, from, width };
      from += width;
      return part;
    });
    return { plan, title: planTitle(plan), total: say(total), parts };
  });
}

/** What the drawing says, in words. */
export const stripWords = (strips: readonly Strip[]): string =>
  `Kernels one after the other: ${strips.map(({ title, total, parts }) => `${title} ${plural(parts.length, "kernel")}, ${total}`).join("; ")}`;
