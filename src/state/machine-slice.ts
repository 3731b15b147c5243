/** @file Running both plans on the machine, and checking them against the reference in a worker. */
import type { Compilation, Plan, Target } from "../fusion";
import type { BenchProgress, BenchResult, DeviceInfo, GpuProblem } from "../gpu";
import { ENDED, type CheckReply } from "../workers";
import { front } from "./front";
import type { Deeds, Slice } from "./slice";
import type { CheckRow, FinishedRun, RunState } from "./types";

const preparing = (text: string): BenchProgress => ({ fraction: 0, text, secondsLeft: null });

const previousRun = (run: RunState): FinishedRun | null =>
  run.status === "done" ? run.run : run.status === "idle" ? null : run.previous;

const internal = (text: string): GpuProblem => ({ code: "internal", text });

/** Naive, shown and final plan with the schedules that `target` wants; the shown one only where it differs from both. */
export function plansFor(compilation: Compilation, cursor: number, target: Target): FinishedRun["plans"] {
  const last = compilation.steps.length;
  const { profile } = compilation.options;
  const at = (place: number): Plan => front.planForTarget(front.fusionAt(compilation, place), target, profile);
  return { naive: at(0), step: cursor > 0 && cursor < last ? at(cursor) : null, fused: at(last) };
}

/** The run that is under way; a newer one or a cancel makes it stale. */
interface Turn {
  readonly signal: AbortSignal;
  readonly previous: FinishedRun | null;
  /** False once another run has begun. */
  latest(): boolean;
}

const fail = (deeds: Deeds, turn: Turn, problem: GpuProblem): void =>
  deeds.set({ run: { status: "failed", problem, previous: turn.previous } });

async function check(deeds: Deeds, turn: Turn, compilation: Compilation, run: FinishedRun): Promise<void> {
  const answer = await deeds.world.checkWorker.ask({
    kind: "compare",
    fusion: front.fusionAt(compilation, 0),
    outputs: run.result.outputs,
    aliases: (["naive", "step", "fused"] as const).flatMap((plan) =>
      (run.plans[plan]?.aliases ?? []).map((alias) => ({ plan, ...alias })),
    ),
  });
  const shown = deeds.get().run;
  if (shown.status !== "done" || shown.run !== run) return;
  if (!answer.ok) {
    if (answer.text !== ENDED) fail(deeds, turn, internal(`The check could not finish: ${answer.text}`));
    return;
  }
  const rows: readonly CheckRow[] = answer.value.kind === "compare" ? answer.value.rows : [];
  deeds.set({ run: { status: "done", run: { ...run, check: rows } } });
}

async function askInputs(
  deeds: Deeds,
  compilation: Compilation,
): Promise<(CheckReply & { kind: "inputs" }) | GpuProblem> {
  const answer = await deeds.world.checkWorker.ask({ kind: "inputs", fusion: front.fusionAt(compilation, 0) });
  if (!answer.ok) return answer.text === ENDED ? { code: "cancelled", text: "Stopped." } : internal(answer.text);
  return answer.value.kind === "inputs" ? answer.value : internal("The worker answered another question.");
}

async function runOn(deeds: Deeds, turn: Turn, compilation: Compilation, device: DeviceInfo): Promise<void> {
  const plans = plansFor(compilation, deeds.get().cursor, device.target);
  const inputs = await askInputs(deeds, compilation);
  if (turn.signal.aborted) return;
  if ("code" in inputs) return fail(deeds, turn, inputs);
  const outcome = await deeds.world.session.bench(plans, inputs.inputs, {
    signal: turn.signal,
    onProgress: (progress) => {
      if (!turn.signal.aborted) deeds.set({ run: { status: "running", progress, previous: turn.previous } });
    },
  });
  if (!turn.latest()) return;
  if (!outcome.ok) return outcome.problem.code === "cancelled" ? undefined : fail(deeds, turn, outcome.problem);
  await finish(deeds, turn, compilation, outcome.value, plans);
}

async function finish(
  deeds: Deeds,
  turn: Turn,
  compilation: Compilation,
  result: BenchResult,
  plans: FinishedRun["plans"],
): Promise<void> {
  const run: FinishedRun = { result, check: null, text: compilation.text, plans };
  deeds.set({
    run: { status: "done", run },
    device: result.device,
    notice: result.stopped ? { tone: "info", text: "Stopped. The samples so far are kept." } : deeds.get().notice,
  });
  await check(deeds, turn, compilation, run);
}

export const machineSlice: Slice<"runBoth" | "cancelRun" | "runOnCpu"> = (deeds) => {
  let current: AbortController | null = null;

  async function runOnCpu(): Promise<void> {
    const { compilation } = deeds.get().derived;
    if (!compilation?.naive) return;
    deeds.set({ cpuCheck: { status: "running", text: "Computing the reference on the CPU…", outputs: [], check: [] } });
    const naive = front.fusionAt(compilation, 0);
    const fused = front.fusionAt(compilation, compilation.steps.length);
    const answer = await deeds.world.checkWorker.ask({
      kind: "cpu",
      fusion: naive,
      plans: [
        { plan: "naive", fusion: naive },
        { plan: "fused", fusion: fused },
      ],
    });
    if (answer.ok && answer.value.kind === "cpu") {
      const { summaries, rows, text } = answer.value;
      deeds.set({ cpuCheck: { status: "done", text, outputs: summaries, check: rows } });
    } else if (!answer.ok) {
      const text = answer.text === ENDED ? "Stopped." : `The reference could not finish: ${answer.text}`;
      deeds.set({ cpuCheck: { status: "failed", text, outputs: [], check: [] } });
    }
  }

  async function runBoth(): Promise<void> {
    const { derived, run } = deeds.get();
    const { compilation } = derived;
    if (run.status === "running") return;
    if (!compilation?.naive || derived.status === "broken" || !derived.latest?.naive) {
      deeds.set({ notice: { tone: "warn", text: "Nothing to run yet: the program has no plan." } });
      return;
    }
    const abort = new AbortController();
    current = abort;
    const turn: Turn = {
      signal: abort.signal,
      previous: previousRun(run),
      latest: () => current === abort,
    };
    const say = (text: string): void =>
      deeds.set({ run: { status: "running", progress: preparing(text), previous: turn.previous } });
    say("Asking for the GPU");
    deeds.set({ notice: null });
    // A crash of the GPU must not cost a word.
    deeds.flush();
    const described = await deeds.world.session.describe();
    if (abort.signal.aborted) return;
    if (!described.ok) {
      deeds.set({ deviceProblem: described.problem, device: null });
      fail(deeds, turn, described.problem);
      return runOnCpu();
    }
    deeds.set({ device: described.value, deviceProblem: null });
    say("Making the input data");
    await runOn(deeds, turn, compilation, described.value);
  }

  return {
    runBoth,
    runOnCpu,
    cancelRun() {
      if (!current || deeds.get().run.status !== "running") return;
      const { run } = deeds.get();
      current.abort();
      const previous = previousRun(run);
      deeds.set({ run: previous ? { status: "done", run: previous } : { status: "idle" } });
    },
  };
};
