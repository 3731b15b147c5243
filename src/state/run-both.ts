/** @file Running both plans on the machine, or on the CPU where there is none: in a chunk of its own, asked for by Run. */
import { ENDED } from "../workers";
import { plannedHere } from "./plan-here";
import { rest, say, type RunRequest } from "./run-request";
import { fail, runOn, statesOf } from "./running";
import type { SliceContext } from "./slice-context";
import { runData } from "./weights";

/** The reference and the generated kernels on the CPU, in a worker. */
export async function runOnCpu(context: SliceContext): Promise<void> {
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

/** Runs what is written now; `request` hears what becomes of it. */
export async function runBoth(context: SliceContext, request: RunRequest): Promise<void> {
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
    const planned = await plannedHere(context, request, compilation, described.value);
    if (!planned) return;
    await runOn(context, request, planned.compilation, described.value);
    if (planned.notice && request.latest() && !context.get().notice) context.set({ notice: planned.notice });
    return;
  }
  context.set({ deviceProblem: described.problem, device: null });
  fail(context, request, described.problem);
  await runOnCpu(context);
}
