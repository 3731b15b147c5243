/** @file What a lesson may know of kernels that were written by hand. Comes with the lesson. */
import type { HandFacts } from "../../course";
import { handText, bindsOf } from "../../document";
import type { PlaygroundState } from "../types";
import { planByHand } from "./shown-hand-plan";

/** Facts of the fused plan with the document's texts in it; null where none of them belongs to it. What it moves is what the score counts. */
export function handFacts(state: PlaygroundState): HandFacts | null {
  const { document, derived, run } = state;
  const own = planByHand(derived.latest?.fusedPlan ?? null, state);
  if (!own) return null;
  const bytes = [...own.counted.values()].every(Boolean) ? own.plan.totals.bytes : null;
  const ran = run.status === "done" && run.run.text === document.text ? run.run.hand : undefined;
  const texts = own.plan.kernels.filter(({ id }) => own.counted.has(id));
  const outcomes = texts.map((kernel) =>
    ran?.kernels.find(({ binds, wgsl }) => binds === bindsOf(kernel) && wgsl === handText(document.byHand, kernel)),
  );
  if (!ran?.check || outcomes.some((each) => each?.status !== "ran")) return { bytes, right: null };
  const agrees =
    ran.check.every(({ pass }) => pass) && ran.full.every(({ beyond, amplified }) => beyond === 0 || amplified);
  return { bytes, right: agrees };
}
