/** @file Running both plans on the machine, cancelling, and the results that need no machine. */
import { ENDED } from "../workers";
import { runData } from "./weights";
import { fail, previousRun, rest, runOn, say, statesOf, type RunRequest } from "./running";
import type { SliceContext, Slice } from "./slice-context";

async function runOnCpu(context: SliceContext): Promise<void> {
  const { compilation } = context.get().derived;
  if (!compilation?.naive) return;
  const none = { program: compilation.text, outputs: [], check: [] };
  const running = { ...none, status: "running", text: "Computing the reference on the CPU…" } as const;
  context.set({ cpuCheck: running });
  const { naive, fused } = statesOf(compilation, 0);
  const { given, source } = await runData(context.weights, context.get().document.weights, naive.graph);
  const answer = await context.environment.checkWorker.ask({
    kind: "cpu",
    given,
    fusion: naive,
    options: compilation.options,
    plans: [
      { plan: "naive", fusion: naive },
      { plan: "fused", fusion: fused },
    ],
  });
  // Asked again meanwhile.
  if (context.get().cpuCheck !== running) return;
  if (answer.ok && answer.value.kind === "cpu") {
    const { summaries, rows } = answer.value;
    const text = source ? `${answer.value.text} ${source}` : answer.value.text;
    context.set({ cpuCheck: { ...none, status: "done", text, outputs: summaries, check: rows } });
  } else if (!answer.ok) {
    const text = answer.text === ENDED ? "Stopped." : `The reference could not finish: ${answer.text}`;
    context.set({ cpuCheck: { ...none, status: "failed", text } });
  }
}

async function runBoth(context: SliceContext, request: RunRequest): Promise<void> {
  // What is run can be had again, however soon typing goes on.
  context.pause();
  if (context.get().derived.status === "compiling") {
    // What is written now is what runs, not the program before it.
    say(context, request, "Waiting for the plan");
    await context.until(({ derived }) => derived.status !== "compiling", request.signal);
    if (request.signal.aborted) return;
  }
  const { compilation, latest, status } = context.get().derived;
  if (!compilation?.naive || status === "broken" || !latest?.naive) {
    rest(context, request.previous);
    context.set({ notice: { tone: "warn", text: "Nothing to run yet: the program has no plan." } });
    return;
  }
  context.set({ notice: null });
  say(context, request, "Asking for the GPU");
  // A crash of the GPU must not cost a word.
  context.flush();
  const described = await context.environment.session.describe();
  if (request.signal.aborted) return;
  if (described.ok) {
    context.set({ device: described.value, deviceProblem: null });
    await runOn(context, request, compilation, described.value);
    return;
  }
  context.set({ deviceProblem: described.problem, device: null });
  fail(context, request, described.problem);
  await runOnCpu(context);
}

/** Says whose time a run would take. What stands in the way is told when Run is pressed, not before. */
async function describeDevice(context: SliceContext): Promise<void> {
  const described = await context.environment.session.describe();
  if (described.ok && !context.get().device) context.set({ device: described.value });
}

export const runSlice: Slice<"runBoth" | "cancelRun" | "runOnCpu" | "describeDevice"> = (context) => {
  let current: AbortController | null = null;
  return {
    runOnCpu: () => runOnCpu(context),
    describeDevice: () => describeDevice(context),
    async runBoth(sure = false, only) {
      const { run } = context.get();
      if (run.status === "running") return;
      const abort = new AbortController();
      current = abort;
      await runBoth(context, {
        signal: abort.signal,
        previous: previousRun(run),
        sure,
        only,
        latest: () => current === abort,
      });
    },
    cancelRun() {
      const { run } = context.get();
      if (!current || run.status !== "running") return;
      current.abort();
      const previous = previousRun(run);
      rest(context, previous);
      const text = previous ? "Stopped. The results of the run before are shown." : "Stopped. Nothing was timed.";
      context.set({ notice: { tone: "info", text } });
    },
  };
};
