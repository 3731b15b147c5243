/** @file Which hand-written texts have a kernel. */
import { bindsOf, type ByHand } from "../../document";
import type { Compilation, Plan } from "../../fusion";
import type { Notice, PlaygroundState } from "../types";

/** What is bound by hand-written texts that no kernel of the naive, the shown or the final plan binds: they are set aside. */
export function asideOf(byHand: ByHand | undefined, plans: readonly (Plan | null | undefined)[]): readonly string[] {
  if (!byHand) return [];
  const bound = new Set(plans.flatMap((plan) => plan?.kernels.map(bindsOf) ?? []));
  return Object.keys(byHand).filter((binds) => !bound.has(binds));
}

/** Says that texts lost their kernel by the last change; null where none did. */
export function asideNotice({ document, derived }: PlaygroundState, next: Compilation): Notice | null {
  const { byHand } = document;
  const { compilation, plans } = derived;
  if (!byHand || !compilation) return null;
  const before = [compilation.naivePlan, compilation.fusedPlan, ...plans.values()];
  const known = new Set(asideOf(byHand, before));
  const lost = asideOf(byHand, [next.naivePlan, next.fusedPlan]).filter((binds) => !known.has(binds));
  if (lost.length === 0) return null;
  const text =
    lost.length === 1
      ? `A kernel edited by hand is set aside: no kernel of the plan binds ${lost[0]} any more. Its text stays under WGSL.`
      : `${lost.length} kernels edited by hand are set aside: no kernels of the plan bind the same any more. Their texts stay under WGSL.`;
  return { tone: "warn", text };
}
