/** @file Pointing at a decision so that another version of the compiler can still find it. */
import type { Step } from "../fusion";
import type { DecisionRef } from "./types";

const same = (step: Step, ref: Pick<DecisionRef, "pass" | "rule" | "nodes">): boolean =>
  step.pass === ref.pass &&
  step.rule === ref.rule &&
  step.nodes.length === ref.nodes.length &&
  step.nodes.every((id, i) => id === ref.nodes[i]);

/** How to find the step that the cursor shows; null at the naive and the final plan. */
export function decisionAt(steps: readonly Step[], cursor: number): DecisionRef | null {
  const step = steps[cursor - 1];
  if (!step || cursor >= steps.length) return null;
  const { pass, rule, nodes, seq, hash } = step;
  const occurrence = steps.slice(0, cursor - 1).filter((earlier) => same(earlier, step)).length;
  return { pass, rule, nodes: [...nodes], occurrence, seq, hash };
}

export interface FoundDecision {
  readonly cursor: number;
  /** The very same step, with the same history. */
  readonly exact: boolean;
  /** The same question about the same nodes, wherever it stands now. */
  readonly isSame: boolean;
  /** What to tell the person when it is not. */
  readonly notice: string | null;
}

/** The cursor that shows the decision `ref`, or the nearest same one: same question, then same nodes, then same position. */
export function findDecision(steps: readonly Step[], ref: DecisionRef): FoundDecision {
  const there = steps[ref.seq - 1];
  if (there && there.hash === ref.hash && same(there, ref))
    return { cursor: ref.seq, exact: true, isSame: true, notice: null };
  const alike = steps.filter((step) => same(step, ref));
  const found = alike[ref.occurrence] ?? alike.at(-1);
  if (found) {
    return {
      cursor: found.seq,
      exact: false,
      isSame: true,
      notice: `This link was made with a different list of steps. Showing the same decision, now step ${found.seq}.`,
    };
  }
  const wanted = new Set(ref.nodes);
  let nearest: Step | null = null;
  let best = 0;
  for (const step of steps) {
    const shared = step.nodes.filter((id) => wanted.has(id)).length;
    const score = shared * 2 + (step.pass === ref.pass ? 1 : 0);
    if (shared > 0 && score > best) [nearest, best] = [step, score];
  }
  const cursor = nearest?.seq ?? Math.min(ref.seq, steps.length);
  return {
    cursor,
    exact: false,
    isSame: false,
    notice: nearest
      ? `The decision in this link does not occur here. Showing the nearest one, step ${cursor}.`
      : "The decision in this link does not occur here, nor a similar one.",
  };
}
