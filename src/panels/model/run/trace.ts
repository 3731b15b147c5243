/** @file The trace that leaves the page: what was decided, what was predicted, what was measured. */
import { fusionTrace, type Compilation, type Measured } from "../../../fusion";
import type { FinishedRun } from "../../../state";
import { spreadOf } from "./statistics";

/** Medians of the kernels of one plan of a run; those that were not timed apart are left out. */
function measuredOf({ plans, result }: FinishedRun, plan: "naive" | "fused"): Measured {
  const nanoseconds = new Map<string, number>();
  for (const timing of result.timings) {
    if (timing.plan !== plan || timing.kernel === null || timing.nanoseconds.length === 0) continue;
    nanoseconds.set(timing.kernel, spreadOf(timing.nanoseconds).median);
  }
  return { plan: plans[plan], nanoseconds };
}

/** `fusion_trace.json`, for Chrome's and Perfetto's trace viewers. */
export const traceJson = (compilation: Compilation, run: FinishedRun | null): string =>
  JSON.stringify(
    fusionTrace(compilation, run ? { naive: measuredOf(run, "naive"), fused: measuredOf(run, "fused") } : {}),
  );
