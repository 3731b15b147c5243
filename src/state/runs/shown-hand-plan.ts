/** @file The shown plan with kernels by hand in it: what each of them moves, as it was counted, instead of what the generated one does. */
import { bindsOf, handText } from "../../document";
import { withAccesses, type Accesses, type Kernel, type Plan } from "../../fusion";
import { selectPlan } from "../selectors";
import type { PlaygroundState } from "../types";

/** A plan in which kernels were written by hand. */
export interface PlanByHand {
  /** With the counts of the texts, as far as they were counted. */
  readonly plan: Plan;
  /** Ids of the kernels by hand; `false`: what the text moves is not known. */
  readonly counted: ReadonlyMap<string, boolean>;
}

/** The plan with the document's texts in it; null where none of them belongs to it. */
export function planByHand(
  plan: Plan | null,
  { document: { byHand }, handChecks }: Pick<PlaygroundState, "document" | "handChecks">,
): PlanByHand | null {
  const counted = new Map<string, boolean>();
  const moved = new Map<number, Accesses>();
  for (const [i, kernel] of (plan?.kernels ?? []).entries()) {
    const text = handText(byHand, kernel);
    if (text === null) continue;
    const check = handChecks.get(bindsOf(kernel));
    const known = check?.wgsl === text && check.counted?.ok ? check.counted : null;
    counted.set(kernel.id, known !== null);
    if (known) moved.set(i, known);
  }
  return plan && counted.size > 0 ? { plan: withAccesses(plan, moved), counted } : null;
}

let last: { readonly of: readonly unknown[]; readonly found: PlanByHand | null } | null = null;

/** The same of the shown plan, remembered while nothing of it changes. */
export function selectPlanByHand(state: PlaygroundState): PlanByHand | null {
  const of = [selectPlan(state), state.document.byHand, state.handChecks];
  if (!last || last.of.some((each, i) => each !== of[i])) last = { of, found: planByHand(selectPlan(state), state) };
  return last.found;
}

/** What runs instead of `kernel`: itself, or its text by hand with what that moves; `moves` null where nobody knows. */
export interface RunsInstead {
  readonly kernel: Kernel;
  readonly isByHand: boolean;
  readonly moves: Accesses | null;
}

export function runsInstead(own: PlanByHand | null, kernel: Kernel): RunsInstead {
  const counted = own?.counted.get(kernel.id);
  if (!own || counted === undefined) return { kernel, isByHand: false, moves: kernel };
  const instead = own.plan.kernels.find(({ id }) => id === kernel.id) ?? kernel;
  return { kernel: instead, isByHand: true, moves: counted ? instead : null };
}
