/** @file One run of each plan on a line of time: its kernels one after the other, as they were measured. */
import { kernelTitle } from "../../../fusion";
import type { FinishedRun } from "../../../state";
import { PLAN_NAMES, planTitle, type PlanName } from "./run-types";
import { sharedOut, sharedWords } from "./shared-out";
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

export interface Strips {
  readonly rows: readonly Strip[];
  /** What is drawn where it is not what was measured. */
  readonly note: string | null;
}

/** Plans whose kernels were all timed by themselves, in the order in which they run, each to its own measured time; no rows when none was. */
export function stripsOf({ result, plans }: FinishedRun): Strips {
  const timed = PLAN_NAMES.flatMap((name) => {
    const plan = plans[name];
    const shared = plan && plan.kernels.length > 0 ? sharedOut(plan, name, result) : null;
    return plan && shared && shared.alone !== null ? [{ ...shared, kernels: plan.kernels }] : [];
  });
  const longest = Math.max(...timed.map(({ whole }) => whole));
  const say = timesBeside(timed.map(({ whole }) => whole));
  const rows = timed.map(({ plan, kernels, parts: shares, whole }) => {
    let from = 0;
    const parts = kernels.map((kernel, i): StripPart => {
      const width = (shares[i]!.launch + shares[i]!.work) / longest;
      const text = `${kernelTitle(kernel)}: ${showMicros(timingOf(result, plan, kernel.id)!.median)} by itself`;
      const part = { kernel: kernel.id, text, from, width };
      from += width;
      return part;
    });
    return { plan, title: planTitle(plan), total: say(whole), parts };
  });
  return { rows, note: timed.length > 0 ? sharedWords(timed) : null };
}

/** What the drawing says, in words. */
export const stripWords = ({ rows }: Strips): string =>
  `Kernels one after the other: ${rows.map(({ title, total, parts }) => `${title} ${plural(parts.length, "kernel")}, ${total}`).join("; ")}`;
