/** @file What all passes make of a naive state, and how it is held against the plan that saves every value. */
import { chosenFor } from "./cost";
import type { CompileOptions, Fusion } from "./ir";
import { allPasses, pipelineOf, runPasses, type PassRun, type PlanOptions } from "./passes";
import { planFusion } from "./plan";

/**
 * Runs the passes that the options ask for. Where a policy saves less than every value, and the peak of its plan is above that of the
 * plan that saves every value, it is planned again with that peak as a limit; where it stays above, the plan that saves every value is
 * taken. A budget holds in any case, and choices of single values decide by themselves.
 */
export function fuse(naive: Fusion, options: CompileOptions): PassRun {
  const run = (more: Partial<PlanOptions> = {}): PassRun =>
    runPasses(naive, { ...options, ...more }, pipelineOf(allPasses, options));
  const asked = run();
  const { savedValues, profile } = options;
  const isFree = savedValues && Object.keys(savedValues.choices).length === 0;
  const rewrote = asked.steps.some(({ pass, accepted }) => accepted && pass === "saved-values");
  if (!isFree || (savedValues.policy ?? "stored") === "stored" || !rewrote) return asked;
  const peakOf = ({ final }: PassRun): number => planFusion(final, chosenFor(options), profile).totals.peakBytes;
  const stored = run({ savedValues: { ...savedValues, policy: "stored" }, storedPeak: Infinity });
  const storedPeak = peakOf(stored);
  if (peakOf(asked) <= storedPeak) return asked;
  const within = run({ storedPeak });
  return peakOf(within) <= storedPeak || savedValues.budgetBytes !== undefined ? within : stored;
}
