/** @file One run: the plans for the machine, their data, their times, and the check against the reference. */
import {
  deviceProfileFrom,
  fusionAt,
  type DeviceProfile,
  type Compilation,
  type Drawing,
  type Fusion,
  type NodeId,
  type Plan,
  type Target,
} from "../fusion";
import type { BenchProgress, DeviceInfo, GpuProblem } from "../gpu";
import { ENDED, type Given, type TensorData } from "../workers";
import { loadPart } from "./load-part";
import type { SliceContext } from "./slice-context";
import type { FinishedRun, RunState } from "./types";
import { runData } from "./weights";

const internal = (text: string): GpuProblem => ({ code: "internal", text });

const planNames = ["naive", "step", "fused"] as const;

/** The three states that run; the shown one only where it differs from both ends. */
export interface States {
  readonly naive: Fusion;
  readonly step: Fusion | null;
  readonly fused: Fusion;
}

export function statesOf(compilation: Compilation, cursor: number): States {
  const last = compilation.steps.length;
  return {
    naive: fusionAt(compilation, 0),
    step: cursor > 0 && cursor < last ? fusionAt(compilation, cursor) : null,
    fused: fusionAt(compilation, last),
  };
}

/** Their plans, with the schedules that `target` wants. */
async function plansFor(
  context: SliceContext,
  { text, options, steps }: Compilation,
  cursor: number,
  target: Target,
  profile: DeviceProfile = options.profile,
): Promise<FinishedRun["plans"] | GpuProblem> {
  const last = steps.length;
  const cursors = [...new Set([0, Math.min(cursor, last), last])];
  const answer = await context.environment.compileWorker.ask({
    kind: "plans",
    text,
    options,
    cursors,
    target,
    profile,
  });
  if (!answer.ok) return answer.text === ENDED ? { code: "cancelled", text: "Stopped." } : internal(answer.text);
  const plans = answer.value.kind === "planned" ? answer.value.plans : new Map<number, Plan>();
  const [naive, fused] = [plans.get(0), plans.get(last)];
  if (!naive || !fused) return internal("The worker made no plan.");
  return { naive, step: cursor > 0 && cursor < last ? (plans.get(cursor) ?? null) : null, fused };
}

/** A run that is under way; a newer one makes it stale. */
export interface Turn {
  readonly signal: AbortSignal;
  readonly previous: FinishedRun | null;
  /** The person knows that it takes long. */
  readonly sure: boolean;
  /** False once another run has begun. */
  latest(): boolean;
}

export const previousRun = (run: RunState): FinishedRun | null =>
  run.status === "done" ? run.run : run.status === "idle" ? null : run.previous;

/** Back to the results before, or to none. */
export const rest = (context: SliceContext, previous: FinishedRun | null): void =>
  context.set({ run: previous ? { status: "done", run: previous } : { status: "idle" } });

/** Above this, a run is asked about first: a kernel that runs can't be stopped. */
const ASK_SECONDS = 2;

/** False when the run is refused for its size, or the person was asked instead; their answer starts it again. */
async function mayRun(
  context: SliceContext,
  turn: Turn,
  plans: FinishedRun["plans"],
  device: DeviceInfo,
): Promise<boolean> {
  const { sure, previous } = turn;
  // Loaded with the session: nothing before a run needs the machine's code.
  const { preflight, runSeconds } = await loadPart(() => import("../gpu"));
  if (turn.signal.aborted) return false;
  const all = [plans.naive, plans.step, plans.fused].filter((plan) => plan !== null);
  // Before its data is made: what no device takes may not fit into this tab either.
  const fits = preflight(all, device);
  if (!fits.ok) {
    fail(context, turn, fits.problem);
    return false;
  }
  const roofs = previous?.result.device.name === device.name ? previous.result.roofs : null;
  const seconds = runSeconds(all, device.software, roofs);
  if (sure || seconds <= ASK_SECONDS) return true;
  rest(context, previous);
  const text = `This may take a while: up to ${Math.ceil(seconds)} s for each round on ${device.name}. A kernel that runs can't be stopped, only the next one.`;
  context.set({ notice: { tone: "warn", text, action: { label: "Run anyway", kind: "run-anyway" } } });
  return false;
}

const preparing = (text: string): BenchProgress => ({ fraction: 0, text, secondsLeft: null });

export const say = (context: SliceContext, turn: Turn, text: string): void =>
  context.set({ run: { status: "running", progress: preparing(text), previous: turn.previous } });

/** Nothing once the run was cancelled: that has been told. */
export function fail(context: SliceContext, turn: Turn, problem: GpuProblem): void {
  if (!turn.signal.aborted) context.set({ run: { status: "failed", problem, previous: turn.previous } });
}

async function check(context: SliceContext, turn: Turn, states: States, run: FinishedRun, given: Given): Promise<void> {
  const answer = await context.environment.checkWorker.ask({
    kind: "compare",
    fusion: states.naive,
    given,
    plans: planNames.flatMap((plan) => {
      const state = states[plan];
      if (!state) return [];
      return { plan, outputs: state.graph.outputs, results: run.result.outputs.filter((each) => each.plan === plan) };
    }),
  });
  const shown = context.get().run;
  if (shown.status !== "done" || shown.run !== run) return;
  if (!answer.ok) {
    if (answer.text !== ENDED) fail(context, turn, internal(`The check could not finish: ${answer.text}`));
    return;
  }
  if (answer.value.kind !== "compare") return fail(context, turn, internal("The worker answered another question."));
  const { rows, apart } = answer.value;
  context.set({ run: { status: "done", run: { ...run, check: rows, apart } } });
}

async function inputsFor(
  context: SliceContext,
  { naive, ...states }: States,
  given: Given,
): Promise<ReadonlyMap<NodeId, TensorData | Drawing> | GpuProblem> {
  const plans = Object.values(states).filter((state) => state !== null && state !== undefined);
  const answer = await context.environment.checkWorker.ask({ kind: "inputs", fusion: naive, plans, given });
  if (!answer.ok) return answer.text === ENDED ? { code: "cancelled", text: "Stopped." } : internal(answer.text);
  return answer.value.kind === "inputs" ? answer.value.inputs : internal("The worker answered another question.");
}

/** The same plans with the times that this device's own roofs predict; as they were when no roofs were measured. */
async function predicted(
  context: SliceContext,
  compilation: Compilation,
  cursor: number,
  run: FinishedRun,
): Promise<FinishedRun> {
  const { roofs, device } = run.result;
  if (!roofs) return run;
  const { bandwidth, flops: peakFlops, launchMicros } = roofs;
  const { profile: base } = compilation.options;
  const here = deviceProfileFrom(device.name, { bandwidth, peakFlops, launchMicros }, {}, base);
  const plans = await plansFor(context, compilation, cursor, device.target, here);
  return "code" in plans ? run : { ...run, plans, predictedFor: "this device's roofs" };
}

/** Runs on a machine that has described itself. Whatever comes of it is in the store. */
export async function runOn(
  context: SliceContext,
  turn: Turn,
  compilation: Compilation,
  device: DeviceInfo,
): Promise<void> {
  say(context, turn, "Making the input data");
  const { cursor } = context.get();
  const states = statesOf(compilation, cursor);
  const plans = await plansFor(context, compilation, cursor, device.target);
  if (turn.signal.aborted) return;
  if ("code" in plans) return fail(context, turn, plans);
  if (!(await mayRun(context, turn, plans, device))) return;
  const { given, source } = await runData(context.weights, context.get().document.weights, states.naive.graph);
  const inputs = await inputsFor(context, states, given);
  if (turn.signal.aborted) return;
  if ("code" in inputs) return fail(context, turn, inputs);
  const outcome = await context.environment.session.bench(plans, inputs, {
    signal: turn.signal,
    onProgress: (progress) => {
      if (!turn.signal.aborted) context.set({ run: { status: "running", progress, previous: turn.previous } });
    },
  });
  if (!turn.latest()) return;
  if (!outcome.ok) return outcome.problem.code === "cancelled" ? undefined : fail(context, turn, outcome.problem);
  const result = outcome.value;
  // A profile of a GPU says nothing about the times of a CPU that pretends to be one.
  const predictedFor = result.device.software ? null : compilation.options.profile.name;
  const first: FinishedRun = { result, check: null, text: compilation.text, source, predictedFor, plans };
  context.set({ run: { status: "done", run: first }, device: result.device });
  if (outcome.value.stopped) {
    context.set({ notice: { tone: "info", text: "Stopped. The samples so far are kept." } });
  }
  const run = await predicted(context, compilation, cursor, first);
  const shown = context.get().run;
  if (shown.status !== "done" || shown.run !== first) return;
  context.set({ run: { status: "done", run } });
  await check(context, turn, states, run, given);
}
