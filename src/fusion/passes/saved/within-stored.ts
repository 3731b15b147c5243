/** @file Saving less must not take more memory: the whole plan is held against the one that saves every value. */
import type { PassRun, PlanOptions } from "../planner";

/** The most bytes alive at once at the end; null where no step was taken. */
const peakOf = ({ steps }: PassRun): number | null => steps.at(-1)?.totals.peakBytes ?? null;

/**
 * The plan as asked for. Where a policy saves less than every value, and its peak is above that of the plan that saves every value, it
 * is planned again with that peak as a limit; where it stays above, the plan that saves every value is taken. A budget is kept to in any
 * case, and choices of single values decide by themselves.
 */
export function withinStored(options: PlanOptions, plan: (options: PlanOptions) => PassRun): PassRun {
  const asked = plan(options);
  const { savedValues } = options;
  const isFree = savedValues && Object.keys(savedValues.choices).length === 0;
  const rewrote = asked.steps.some(({ pass, accepted }) => accepted && pass === "saved-values");
  if (!isFree || (savedValues.policy ?? "stored") === "stored" || !rewrote) return asked;
  const stored = plan({ ...options, savedValues: { ...savedValues, policy: "stored" }, storedPeak: Infinity });
  const limit = peakOf(stored) ?? Infinity;
  if (peakOf(asked)! <= limit) return asked;
  const within = plan({ ...options, storedPeak: limit });
  if (peakOf(within)! <= limit || savedValues.budgetBytes !== undefined) return within;
  return stored;
}
