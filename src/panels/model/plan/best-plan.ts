/** @file How far a plan is from the best one by the price, in a sentence. */
import { isTooLarge, regretOf, type BestPlan } from "../../../fusion";
import { plural, showMicros, significant } from "../units";

export function bestPlanText(best: BestPlan): string {
  if (isTooLarge(best)) return `The best plan is not searched for: ${best.tooLarge}.`;
  const tried = `found by trying all; ${plural(best.weighed, "kernel")} compared`;
  const regret = regretOf(best);
  return regret === 0
    ? `By the cost model, no plan is better than the fused one: ${showMicros(best.planned)} (${tried}).`
    : `By the cost model, the best plan takes ${showMicros(best.micros)} (${tried}); the fused one ${showMicros(best.planned)}, +${significant(100 * regret, 2)} %.`;
}
