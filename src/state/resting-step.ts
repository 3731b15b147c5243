/** @file The step that a page rests on before anybody has asked for one. */
import { decisionAt, findDecision } from "../document";
import { microsSaved, type Step } from "../fusion";

/** Steps that differ by less than this share of the best saving save the same. */
const SAME_SAVING = 0.999;

/**
 * The cursor that shows the accepted step with the largest predicted saving, of equals the first that is about the most ops;
 * the end where no step saves time: what a page shows before anybody has asked for a step.
 */
export function restingStep(steps: readonly Step[]): number {
  const saved = steps.map(microsSaved);
  const most = Math.max(0, ...saved);
  if (most === 0) return steps.length;
  const best = steps.filter((_, i) => saved[i]! >= most * SAME_SAVING);
  const about = Math.max(...best.map(({ nodes }) => nodes.length));
  return steps.indexOf(best.find(({ nodes }) => nodes.length === about)!) + 1;
}

/**
 * Whether another program shows its end: where the end was shown, and where the page rested (`isResting`: on a first visit) on a step
 * that nobody asked for and that the other program does not have.
 */
export function goesToEnd(steps: readonly Step[], cursor: number, next: readonly Step[], isResting: boolean): boolean {
  if (cursor >= steps.length) return true;
  const ref = isResting && cursor === restingStep(steps) ? decisionAt(steps, cursor) : null;
  return ref !== null && !findDecision(next, ref).isSame;
}
