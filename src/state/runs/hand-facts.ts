/** @file What a lesson may know of kernels that were written by hand. Comes with the lesson. */
import type { HandFacts } from "../../course";
import { bindsOf } from "../../document";
import { bytesOfKernel } from "../../fusion";
import type { HandOutcome, PlaygroundState } from "../types";

/** Facts of the fused plan with the document's texts in it; null where none of them belongs to it. */
export function handFacts({ document, derived, run, handChecks }: PlaygroundState): HandFacts | null {
  const { byHand, text } = document;
  const kernels = derived.latest?.fusedPlan?.kernels ?? [];
  const own = kernels.map(bindsOf).filter((binds) => byHand?.[binds] !== undefined);
  if (!byHand || own.length === 0) return null;
  const ran = run.status === "done" && run.run.text === text ? run.run.hand : undefined;
  const outcome = (binds: string): HandOutcome | undefined =>
    ran?.kernels.find((each) => each.binds === binds && each.wgsl === byHand[binds]);
  const countOf = (binds: string) => {
    const known = handChecks.get(binds);
    return known && known.wgsl === byHand[binds] && known.counted ? known.counted : (outcome(binds)?.counted ?? null);
  };
  let bytes: number | null = 0;
  for (const kernel of kernels) {
    const counted = own.includes(bindsOf(kernel)) ? countOf(bindsOf(kernel)) : { ok: true as const, ...kernel };
    bytes = bytes === null || !counted?.ok ? null : bytes + bytesOfKernel(counted);
  }
  const outcomes = own.map(outcome);
  if (!ran?.check || outcomes.some((each) => each?.status !== "ran")) return { bytes, right: null };
  const agrees =
    ran.check.every(({ pass }) => pass) && ran.full.every(({ beyond, amplified }) => beyond === 0 || amplified);
  return { bytes, right: agrees };
}
