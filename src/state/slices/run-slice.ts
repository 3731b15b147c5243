/** @file Asking for a run, cancelling it, and the results that need no machine. What runs comes in a chunk of its own. */
import type { GpuProblem } from "../../gpu";
import { isLostPart, loadPart } from "../load-part";
import { previousRun, rest, say, type RunRequest } from "../runs/run-request";
import type { SliceContext, Slice } from "./slice-context";

const loadRun = () => loadPart(() => import("../runs/run-both"));

/** Says whose time a run would take. What stands in the way is told when Run is pressed, not before. */
async function describeDevice(context: SliceContext): Promise<GpuProblem | null> {
  const described = await context.environment.session.describe();
  if (!described.ok) return described.problem;
  if (!context.get().device) context.set({ device: described.value });
  return null;
}

export const runSlice: Slice<"runBoth" | "cancelRun" | "runOnCpu" | "describeDevice"> = (context) => {
  let current: AbortController | null = null;
  return {
    runOnCpu: async () => (await loadRun()).runOnCpu(context),
    describeDevice: () => describeDevice(context),
    async runBoth(sure = false, only) {
      const { run } = context.get();
      if (run.status === "running") return;
      const abort = new AbortController();
      current = abort;
      const request: RunRequest = {
        signal: abort.signal,
        previous: previousRun(run),
        sure,
        only,
        latest: () => current === abort,
      };
      const { compilation, status } = context.get().derived;
      // The press is answered at once, before the chunk is there.
      if (status === "compiling") say(context, request, "Waiting for the plan");
      else if (compilation?.naive && status === "ready") say(context, request, "Asking for the GPU");
      try {
        const { runBoth } = await loadRun();
        if (!abort.signal.aborted) await runBoth(context, request);
      } catch (error) {
        if (isLostPart(error)) rest(context, request.previous);
        else throw error;
      }
    },
    cancelRun() {
      const { run } = context.get();
      if (!current || run.status !== "running") return;
      current.abort();
      const previous = previousRun(run);
      rest(context, previous);
      const text = previous ? "Stopped. The results of the previous run are shown." : "Stopped. Nothing was timed.";
      context.set({ notice: { tone: "info", text } });
    },
  };
};

/** The door to what trains, in a chunk of its own. */
export const trainingSlice: Slice<"train"> = (context) => ({
  async train(command, calm = false) {
    const { train } = await loadPart(() => import("../runs/training-run"));
    await train(context, command, calm);
  },
});
