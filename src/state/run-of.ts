/** @file Whether a run timed what the page plans now. */
import type { Compilation, Plan } from "../fusion";
import type { FinishedRun } from "./types";

const isAlike = (a: Plan, b: Plan | null): boolean =>
  a === b ||
  (b !== null &&
    a.kernels.length === b.kernels.length &&
    a.kernels.every(({ wgsl }, i) => wgsl === b.kernels[i]!.wgsl));

/** The same program, planned into the same kernels: other options may make others of it. */
export const isRunOf = (
  run: Pick<FinishedRun, "text" | "planned">,
  compilation: Pick<Compilation, "text" | "naivePlan" | "fusedPlan"> | null,
): boolean =>
  run.text === compilation?.text &&
  (!run.planned ||
    (isAlike(run.planned.naive, compilation.naivePlan) && isAlike(run.planned.fused, compilation.fusedPlan)));
