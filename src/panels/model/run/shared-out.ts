/** @file A plan's measured time shared out among its kernels: one rule for all that is drawn along time. µs throughout. */
import type { Plan } from "../../../fusion";
import { listOf } from "../../../fusion";
import { timesBeside } from "../units";
import type { BenchResult, PlanName } from "./run-types";
import { timingOf } from "./timings";

/** Time of a launch and of the kernel's own work. */
export interface Part {
  readonly launch: number;
  readonly work: number;
}

export interface SharedOut {
  readonly plan: PlanName;
  /** The median of the whole plan: what all parts take. */
  readonly whole: number;
  readonly parts: readonly Part[];
  /** What the kernels took together, each timed by itself; null where one was not, and the parts are in the prediction's proportions. */
  readonly alone: number | null;
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0);

/**
 * Each kernel has the share of the whole that it took by itself, of all that kernels took so. Of that a launch takes what one was
 * measured at, and nothing where none was: what is left between the whole and its kernels is no launch. Null for a plan that was not timed.
 */
export function sharedOut({ kernels }: Plan, plan: PlanName, result: BenchResult): SharedOut | null {
  const whole = timingOf(result, plan, null)?.median;
  if (whole === undefined) return null;
  const timed = kernels.flatMap(({ id }) => timingOf(result, plan, id)?.median ?? []);
  const alone = timed.length === kernels.length && sumOf(timed) > 0 ? sumOf(timed) : null;
  const weights = alone === null ? kernels.map(({ predictedMicros }) => predictedMicros) : timed;
  const sum = sumOf(weights);
  const one = result.roofs?.launchMicros ?? 0;
  const parts = weights.map((weight): Part => {
    const all = whole * (sum > 0 ? weight / sum : 1 / kernels.length);
    const launch = Math.min(one, all);
    return { launch, work: all - launch };
  });
  return { plan, whole, parts, alone };
}

/** What is drawn where it is not what was measured: `Drawn to the time of the whole run; by themselves, the kernels took 66 ms (naive) and 82 ms (fused).` */
export function sharedWords(all: readonly SharedOut[]): string | null {
  if (all.some(({ alone }) => alone === null)) return "Each run is shared out among its kernels as predicted.";
  const say = timesBeside(all.map(({ whole }) => whole));
  if (all.every(({ whole, alone }) => say(alone!) === say(whole))) return null;
  const sums = listOf(all.map(({ plan, alone }) => `${say(alone!)} (${plan})`));
  return `Drawn to the time of the whole run; timed by themselves, the kernels took ${sums}.`;
}
