/** @file Times variants of one program against one another, interleaved, so that all of them meet the same weather. */
import type { Plan } from "../fusion";
import { warm, type BenchOptions } from "./bench";
import { drawKernels, type Inputs } from "./inputs";
import { buildPipelines } from "./pipelines";
import { MEMORY_BUDGET, preflight } from "./preflight";
import { prepare } from "./prepare";
import { done, refusals } from "./problem";
import type { Job } from "./queue";
import { planRounds, subject } from "./rounds";
import { createStopwatch } from "./stopwatch";
import type { Outcome } from "./types";

export type SweepOptions = Pick<BenchOptions, "onProgress" | "signal" | "budgetMillis" | "memoryBudget">;

const DEFAULT_MILLIS = 3000;
/** Share of the budget that measured rounds take; warming up takes the rest. */
const MEASURED = 0.7;

/** Samples in ns of one run of each plan, in their order. All of them read the same `inputs`. */
export async function runSweep(
  job: Job,
  plans: readonly Plan[],
  inputs: Inputs,
  options: SweepOptions,
): Promise<Outcome<(readonly number[])[]>> {
  const fits = preflight(plans, job.held.info, options.memoryBudget ?? MEMORY_BUDGET);
  if (!fits.ok) return fits;
  const { onProgress, signal, budgetMillis = DEFAULT_MILLIS } = options;
  const say = (fraction: number, text: string): void => onProgress?.({ fraction, text, secondsLeft: null });
  say(0, `Building ${plans.length} variants`);
  const kernels = plans.flatMap((plan) => plan.kernels);
  const pipelines = await buildPipelines(job.held, [...kernels, ...drawKernels(plans, inputs)]);
  if (!pipelines.ok) return pipelines;
  const bound = await prepare(
    job,
    plans.map((plan) => ["fused", plan] as const),
    inputs,
    pipelines.value,
  );
  if (!bound.ok) return bound;
  if (signal?.aborted) return refusals.cancelled();
  const watch = await createStopwatch(job);
  if (!watch.ok) return watch;
  const subjects = bound.value.map(({ kernels }) => subject("fused", null, kernels));
  const warmed = await warm(job, watch.value, subjects, { ...options, budgetMillis }, say);
  if (!warmed.ok) return warmed;
  const measured = await planRounds(watch.value, subjects, {
    signal,
    now: () => job.env.now(),
    millis: budgetMillis * MEASURED,
    onStep: (each, round, rounds) =>
      say((round + subjects.indexOf(each) / subjects.length) / rounds, `Round ${round + 1} of ${rounds}`),
  });
  return measured.ok ? done(subjects.map(({ samples }) => samples)) : measured;
}
