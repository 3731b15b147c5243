/** @file Running both plans on the machine, cancelling, and the results that need no machine. */
import { ENDED } from "../workers";
import { runData } from "./weights";
import { fail, previousRun, rest, runOn, say, statesOf, type Turn } from "./running";
import type { Deeds, Slice } from "./slice";

async function runOnCpu(deeds: Deeds): Promise<void> {
  const { compilation } = deeds.get().derived;
  if (!compilation?.naive) return;
  const none = { program: compilation.text, outputs: [], check: [] };
  const running = { ...none, status: "running", text: "Computing the reference on the CPU…" } as const;
  deeds.set({ cpuCheck: running });
  const { naive, fused } = statesOf(compilation, 0);
  const { given, source } = await runData(deeds.weights, deeds.get().document.weights, naive.graph);
  const answer = await deeds.world.checkWorker.ask({
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
  if (deeds.get().cpuCheck !== running) return;
  if (answer.ok && answer.value.kind === "cpu") {
    const { summaries, rows } = answer.value;
    const text = source ? `${answer.value.text} ${source}` : answer.value.text;
    deeds.set({ cpuCheck: { ...none, status: "done", text, outputs: summaries, check: rows } });
  } else if (!answer.ok) {
    const text = answer.text === ENDED ? "Stopped." : `The reference could not finish: ${answer.text}`;
    deeds.set({ cpuCheck: { ...none, status: "failed", text } });
  }
}

async function runBoth(deeds: Deeds, turn: Turn): Promise<void> {
  // What is run can be had again, however soon typing goes on.
  deeds.pause();
  if (deeds.get().derived.status === "compiling") {
    // What is written now is what runs, not the program before it.
    say(deeds, turn, "Waiting for the plan");
    await deeds.until(({ derived }) => derived.status !== "compiling", turn.signal);
    if (turn.signal.aborted) return;
  }
  const { compilation, latest, status } = deeds.get().derived;
  if (!compilation?.naive || status === "broken" || !latest?.naive) {
    rest(deeds, turn.previous);
    deeds.set({ notice: { tone: "warn", text: "Nothing to run yet: the program has no plan." } });
    return;
  }
  deeds.set({ notice: null });
  say(deeds, turn, "Asking for the GPU");
  // A crash of the GPU must not cost a word.
  deeds.flush();
  const described = await deeds.world.session.describe();
  if (turn.signal.aborted) return;
  if (described.ok) {
    deeds.set({ device: described.value, deviceProblem: null });
    await runOn(deeds, turn, compilation, described.value);
    return;
  }
  deeds.set({ deviceProblem: described.problem, device: null });
  fail(deeds, turn, described.problem);
  await runOnCpu(deeds);
}

/** Says whose time a run would take. What stands in the way is told when Run is pressed, not before. */
async function describeDevice(deeds: Deeds): Promise<void> {
  const described = await deeds.world.session.describe();
  if (described.ok && !deeds.get().device) deeds.set({ device: described.value });
}

export const machineSlice: Slice<"runBoth" | "cancelRun" | "runOnCpu" | "describeDevice"> = (deeds) => {
  let current: AbortController | null = null;
  return {
    runOnCpu: () => runOnCpu(deeds),
    describeDevice: () => describeDevice(deeds),
    async runBoth(sure = false) {
      const { run } = deeds.get();
      if (run.status === "running") return;
      const abort = new AbortController();
      current = abort;
      await runBoth(deeds, {
        signal: abort.signal,
        previous: previousRun(run),
        sure,
        latest: () => current === abort,
      });
    },
    cancelRun() {
      const { run } = deeds.get();
      if (!current || run.status !== "running") return;
      current.abort();
      const previous = previousRun(run);
      rest(deeds, previous);
      const text = previous ? "Stopped. The results of the run before are shown." : "Stopped. Nothing was timed.";
      deeds.set({ notice: { tone: "info", text } });
    },
  };
};
