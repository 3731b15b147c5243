/** @file One run: the plans for the machine, their data, their times, and the check against the reference. */
import {
  applyTextEdits,
  deviceProfileFrom,
  fusionAt,
  node as nodeOf,
  showBytes,
  type DeviceProfile,
  type Compilation,
  type Drawing,
  type Fusion,
  type NodeId,
  constantsOf,
  type Plan,
  type Target,
} from "../../fusion";
import type { BenchPlans, CompareRequest, DeviceInfo, FirstRuns, GpuProblem } from "../../gpu";
import { ENDED, type Given, type PlannedRun, type TapRequest, type TensorData } from "../../workers";
import { calledBy } from "../../picture";
import { bindsOf, handText } from "../../document";
import { askBeside } from "../ask-beside";
import { loadPart } from "../load-part";
import { preparing, rest, say, type RunRequest } from "./run-request";
import type { SliceContext } from "../slices/slice-context";
import type { FinishedRun, HandRun, Notice, NoticeAction } from "../types";
import { runData } from "../storage/weights";
import { selectOpenExample } from "../selectors";

const internal = (text: string): GpuProblem => ({ code: "internal", text });

const planNames = ["naive", "step", "fused", "hand"] as const;

/** The three states that run; the shown one only where it differs from both ends. */
export interface States {
  readonly naive: Fusion;
  readonly step: Fusion | null;
  readonly fused: Fusion;
  /** Of the plan with hand-written kernels. */
  readonly hand?: Fusion | null;
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
export async function plansFor(
  context: SliceContext,
  { text, options, steps }: Compilation,
  cursor: number,
  target: Target | null,
  profile: DeviceProfile = options.profile,
): Promise<FinishedRun["plans"] | GpuProblem> {
  const last = steps.length;
  const cursors = [...new Set([0, Math.min(cursor, last), last])];
  const answer = await askBeside(context, { kind: "plans", text, options, cursors, target, profile });
  if (!answer.ok) return internal(answer.text);
  const plans = answer.value.kind === "planned" ? answer.value.plans : new Map<number, Plan>();
  const [naive, fused] = [plans.get(0), plans.get(last)];
  if (!naive || !fused) return internal("The worker made no plan.");
  return { naive, step: cursor > 0 && cursor < last ? (plans.get(cursor) ?? null) : null, fused };
}

/** Above this, a run is asked about first: a kernel that runs can't be stopped. */
const ASK_SECONDS = 2;

/** The smallest power of two of MiB that holds `bytes`. */
const allowance = (bytes: number): number => 2 ** Math.ceil(Math.log2(bytes / 2 ** 20));

const memoryText = (mebibytes: number): string => (mebibytes >= 1024 ? `${mebibytes / 1024} GiB` : `${mebibytes} MiB`);

const FUSED_ONLY = { label: "Run fused only", kind: "run-fused" } as const;

/** Asks instead of running: what is missing, and the ways on. */
function ask(context: SliceContext, { previous }: RunRequest, notice: Omit<Notice, "tone">): false {
  rest(context, previous);
  context.set({ notice: { tone: "warn", ...notice } });
  return false;
}

/** Bytes of the largest tensor that only the naive plan stores, in words; null where the fused plan stores all of them. */
function naiveNeed({ naive, fused }: FinishedRun["plans"]): string | null {
  const also = new Map(fused.buffers.map(({ value, bytes }) => [value, bytes]));
  const own = naive.buffers.filter(({ value, bytes }) => (also.get(value) ?? 0) < bytes);
  const largest = own.toSorted((a, b) => b.bytes - a.bytes)[0];
  return largest ? `The naive plan would store ${showBytes(largest.bytes)} for ${largest.value} alone.` : null;
}

const plansToRun = ({ naive, step, fused }: FinishedRun["plans"], { only }: RunRequest): BenchPlans =>
  only === "fused" ? { naive: null, fused } : { naive, step, fused };

/** Looking for a size that fits may take this long, ms; halvings tried at most. */
const LOOK_MILLIS = 2000;
const MAX_HALVINGS = 12;
const MAX_CONSTANTS = 4;

/** The value of a size constant that fits with the fewest halvings, as a way on; null where none is found soon. */
async function smallerSize(
  context: SliceContext,
  request: RunRequest,
  fits: (plans: readonly Plan[]) => boolean,
): Promise<NoticeAction | null> {
  const { derived } = context.get();
  const { compilation } = derived;
  if (!compilation) return null;
  const { text, options, steps } = compilation;
  const sizes = selectOpenExample(context.get())?.sizes;
  const constants = [...constantsOf(text)].filter(([name, value]) => value > 1 && (!sizes || name === sizes.name));
  const { setConstant } = await loadPart(() => import("../edits"));
  const end = context.environment.now() + LOOK_MILLIS;
  for (let halving = 1; halving <= MAX_HALVINGS; halving++) {
    for (const [constant, value] of constants.slice(0, MAX_CONSTANTS)) {
      const amount = Math.floor(value / 2 ** halving);
      const edit = amount < 1 ? null : setConstant(text, constant, amount);
      if (!edit?.ok) continue;
      if (request.signal.aborted || context.environment.now() > end) return null;
      const question = {
        kind: "plans",
        text: applyTextEdits(text, edit.edits),
        options,
        cursors: request.only === "fused" ? [steps.length] : [0, steps.length],
        target: context.get().device?.target ?? null,
      } as const;
      const answer = await askBeside(context, question, () => request.signal.aborted);
      const plans = answer.ok && answer.value.kind === "planned" ? [...answer.value.plans.values()] : [];
      if (plans.length > 0 && fits(plans))
        return { label: `Use ${constant} = ${amount.toLocaleString("en")}`, kind: "use-size", constant, amount };
    }
  }
  return null;
}

/** False when the run is refused for its size, or the person was asked instead; their answer starts it again. */
async function mayRun(
  context: SliceContext,
  request: RunRequest,
  plans: FinishedRun["plans"],
  device: DeviceInfo,
): Promise<boolean> {
  const { sure, previous, only } = request;
  // Loaded with the session: nothing before a run needs the machine's code.
  const { memoryNeed, preflight, runSeconds } = await loadPart(() => import("../../gpu"));
  if (request.signal.aborted) return false;
  const wanted = plansToRun(plans, request);
  const all = [wanted.naive, wanted.step, wanted.fused].filter((plan) => plan !== null && plan !== undefined);
  const { memoryMiB } = context.get();
  const budget = memoryMiB * 2 ** 20;
  const fusedFits = only !== "fused" && preflight([plans.fused], device, budget).ok;
  const others = async (): Promise<NoticeAction[]> => {
    const smaller = await smallerSize(context, request, (some) => preflight(some, device, budget).ok);
    return [...(fusedFits ? [FUSED_ONLY] : []), ...(smaller ? [smaller] : [])];
  };
  const ever = preflight(all, device, Infinity);
  if (!ever.ok) {
    const [action, ...rest] = await others();
    if (request.signal.aborted) return false;
    const lead = only === "fused" ? null : naiveNeed(plans);
    if (action)
      return ask(context, request, { text: [lead, ever.problem.text].filter(Boolean).join(" "), action, others: rest });
    fail(context, request, ever.problem);
    return false;
  }
  const { bytes } = memoryNeed(all);
  if (bytes > budget) {
    const amount = allowance(bytes);
    const text = `This run needs ${showBytes(bytes)} of GPU memory: the page may use ${memoryText(memoryMiB)}.`;
    const allow = { label: `Allow ${memoryText(amount)}`, kind: "allow-memory", amount, only } as const;
    const rest = await others();
    return request.signal.aborted ? false : ask(context, request, { text, action: allow, others: rest });
  }
  const roofs = previous?.result.device.name === device.name ? previous.result.roofs : null;
  const seconds = runSeconds(all, device.software, roofs);
  if (sure || seconds <= ASK_SECONDS) return true;
  const text = `This may take a while: up to ${Math.ceil(seconds)} s for each round on ${device.name}. A kernel that runs can't be stopped, only the next one.`;
  return ask(context, request, { text, action: { label: "Run anyway", kind: "run-anyway", only } });
}

/** Nothing once the run was cancelled: that has been told. */
export function fail(context: SliceContext, request: RunRequest, problem: GpuProblem): void {
  if (!request.signal.aborted) context.set({ run: { status: "failed", problem, previous: request.previous } });
}

/** What came of a run that gave no times. The fused plan may still fit where memory ran out on the way. */
function notRun(context: SliceContext, request: RunRequest, plans: FinishedRun["plans"], problem: GpuProblem): void {
  if (problem.code === "cancelled") return;
  if (problem.code === "out-of-memory" && request.only !== "fused") {
    // What the driver says of it helps nobody here.
    const text = ["The GPU has no memory left for both plans.", naiveNeed(plans)].filter(Boolean).join(" ");
    ask(context, request, { text, action: FUSED_ONLY });
  } else fail(context, request, problem);
}

/** The plans as the check worker has to know them: regions by kernel, and what is in memory. */
function plannedRuns(states: States, plans: BenchPlans): PlannedRun[] {
  return planNames.flatMap((plan) => {
    const [fusion, planned] = [states[plan], plans[plan]];
    if (!fusion || !planned) return [];
    const regions = planned.kernels.map(({ region }) => region);
    return { plan, fusion, regions, stored: planned.buffers.map(({ value }) => value) };
  });
}

/** Which elements to read while the plans run; none when the worker was ended. */
async function tapsFor(
  context: SliceContext,
  states: States,
  plans: BenchPlans,
  given: Given,
): Promise<readonly TapRequest[]> {
  const runs = plannedRuns(states, plans);
  const answer = await context.environment.checkWorker.ask({
    kind: "points",
    fusion: states.naive,
    plans: runs,
    given,
  });
  return answer.ok && answer.value.kind === "points" ? answer.value.taps : [];
}

/** The outputs by their names in each plan. Two plans may each be off by the limit. */
export async function outputsOf(states: States): Promise<CompareRequest[]> {
  const { toleranceFor } = await loadPart(() => import("./tolerances"));
  const { graph } = states.naive;
  return graph.outputs.map((naive, i) => {
    const { atol, ofSize, rtol } = toleranceFor(graph, naive);
    const step = states.step?.graph.outputs[i];
    const fused = states.fused.graph.outputs[i] ?? naive;
    const hand = states.hand?.graph.outputs[i];
    const names = { naive, fused, ...(step ? { step } : {}), ...(hand ? { hand } : {}) };
    return { names, atol: 2 * atol, ofSize: 2 * ofSize, rtol: 2 * rtol };
  });
}

/** What the program calls its outputs, by their names in each plan. */
function namesOf({ naive, ...others }: States): ReadonlyMap<NodeId, string> {
  const graphs = [naive, ...Object.values(others)].flatMap((state) => state?.graph ?? []);
  const called = naive.graph.outputs.map((id) => calledBy(nodeOf(naive.graph, id)));
  return new Map(graphs.flatMap(({ outputs }) => outputs.map((id, i) => [id, called[i] ?? id] as const)));
}

interface Checked extends Pick<FinishedRun, "check" | "full" | "skipped"> {
  /** The same of the plan with hand-written kernels. */
  readonly hand: Pick<HandRun, "check" | "full">;
}

/** What the first runs came to: the plans against one another in full, and chosen elements of each kernel against f64. */
async function checked(context: SliceContext, { apart, tapped }: FirstRuns, states: States): Promise<Checked | string> {
  const answer = await context.environment.checkWorker.ask({ kind: "tapped", tapped, apart });
  if (!answer.ok) return answer.text;
  if (answer.value.kind !== "tapped") return "The worker answered another question.";
  const { skipped, amplified } = answer.value;
  const names = namesOf(states);
  const named = <Row extends { readonly output: NodeId }>(row: Row) => ({ ...row, called: names.get(row.output) });
  const rows = answer.value.rows.map(named);
  const all = apart.map((each, i) => ({ ...named(each), amplified: amplified[i] ?? null }));
  const [planned, hand] = [false, true].map((own) => {
    const isOwn = ({ plan }: { readonly plan: string }): boolean => (plan === "hand") === own;
    return { check: rows.filter(isOwn), full: all.filter(isOwn) };
  });
  return { ...planned!, skipped: skipped.filter(({ kernel }) => !kernel.startsWith("hand ")), hand: hand! };
}

export async function inputsFor(
  context: SliceContext,
  { naive, ...states }: States,
  given: Given,
): Promise<ReadonlyMap<NodeId, TensorData | Drawing> | GpuProblem> {
  const plans = Object.values(states).filter((state) => state !== null && state !== undefined);
  const answer = await context.environment.checkWorker.ask({ kind: "inputs", fusion: naive, plans, given });
  if (!answer.ok) return answer.text === ENDED ? { code: "cancelled", text: "Stopped." } : internal(answer.text);
  return answer.value.kind === "inputs" ? answer.value.inputs : internal("The worker answered another question.");
}

/**
 * The same plans with the times that this device's own roofs predict; as they were when no roofs were measured, and for a CPU that
 * pretends to be a GPU: all else of a profile would be a GPU's.
 */
async function predicted(
  context: SliceContext,
  compilation: Compilation,
  cursor: number,
  run: FinishedRun,
): Promise<Partial<FinishedRun>> {
  const { roofs, device } = run.result;
  if (!roofs || device.software) return {};
  const { bandwidth, flops: peakFlops, launchMicros } = roofs;
  const { profile: base } = compilation.options;
  const here = deviceProfileFrom(device.name, { bandwidth, peakFlops, launchMicros }, {}, base);
  const plans = await plansFor(context, compilation, cursor, device.target, here);
  const hand = run.plans.hand ?? null;
  return "code" in plans ? {} : { plans: { ...plans, hand }, predictedFor: "this device's roofs" };
}

/** Runs on a machine that has described itself. Whatever comes of it is in the store. */
export async function runOn(
  context: SliceContext,
  request: RunRequest,
  compilation: Compilation,
  device: DeviceInfo,
): Promise<void> {
  say(context, request, "Making the input data");
  const { cursor } = context.get();
  const planned = statesOf(compilation, cursor);
  const plans = await plansFor(context, compilation, cursor, device.target);
  if (request.signal.aborted) return;
  if ("code" in plans) return fail(context, request, plans);
  if (!(await mayRun(context, request, plans, device))) return;
  const { given, source } = await runData(context.weights, context.get().document.weights, planned.naive.graph);
  const inputs = await inputsFor(context, planned, given);
  if (request.signal.aborted) return;
  if ("code" in inputs) return fail(context, request, inputs);
  const { byHand: texts } = context.get().document;
  const byHand = texts
    ? await (
        await loadPart(() => import("./hand-run"))
      ).runByHand({
        context,
        request,
        compilation,
        states: planned,
        plans,
        device,
        inputs,
        plansFor,
        textOf: (kernel) => handText(texts, kernel),
        bindsOf,
      })
    : null;
  if (request.signal.aborted) return;
  if (byHand && "code" in byHand) return fail(context, request, byHand);
  const states = { ...planned, hand: byHand?.fusion ?? null };
  const hand = byHand?.plan ?? null;
  const wanted = { ...plansToRun(plans, request), hand };
  // A profile of a GPU says nothing about the times of a CPU that pretends to be one.
  const predictedFor = device.software ? null : compilation.options.profile.name;
  const own: HandRun | null = byHand && { kernels: byHand.kernels, check: null, full: [] };
  const { naivePlan, fusedPlan } = compilation;
  const stepPlan = (plans.step && context.get().derived.plans.get(cursor)) ?? null;
  const about = {
    text: compilation.text,
    source,
    predictedFor,
    plans: { ...plans, hand },
    ...(naivePlan && fusedPlan && { planned: { naive: naivePlan, step: stepPlan, fused: fusedPlan, hand, cursor } }),
    ...(own ? { hand: own } : {}),
  };
  let progress = preparing("Building kernels");
  let live: FinishedRun | null = null;
  let verdict: Promise<Checked | string> | null = null;
  const show = (): void => {
    if (!request.signal.aborted)
      context.set({ run: { status: "running", progress, previous: request.previous, live } });
  };
  const compare = wanted.naive ? await outputsOf(states) : [];
  const outcome = await context.environment.session.bench(wanted, inputs, {
    signal: request.signal,
    memoryBudget: context.get().memoryMiB * 2 ** 20,
    outputs: false,
    compare,
    taps: tapsFor(context, states, wanted, given),
    onFirst: (first) => (verdict = checked(context, first, states)),
    onResult(result) {
      live = { ...about, result, check: null };
      show();
    },
    onProgress(next) {
      progress = next;
      show();
    },
  });
  if (!request.latest()) return;
  if (!outcome.ok) return notRun(context, request, plans, outcome.problem);
  const result = outcome.value;
  const first: FinishedRun = { ...about, result, check: null };
  const { text, options } = compilation;
  const timing = result.timings.find(({ plan, kernel }) => plan === "fused" && kernel === null);
  const timed = timing ? [{ text, savedValues: options.savedValues, nanoseconds: timing.nanoseconds }] : [];
  context.set({
    run: { status: "done", run: first },
    timed: [...context.get().timed, ...timed],
    device: result.device,
  });
  // What is shown is what was timed before Cancel was pressed: some samples, or all.
  if (request.signal.aborted) {
    const text = result.stopped ? "Stopped. The samples so far count." : "Stopped after the last sample: all count.";
    context.set({ notice: { tone: "info", text } });
  }
  await Promise.all([
    amend(context, request, async () => amended(own, await verdict)),
    amend(context, request, () => predicted(context, compilation, cursor, first)),
  ]);
}

/** What the check found, with that of hand-written kernels among what is known of them. */
function amended(own: HandRun | null, found: Checked | string | null): Partial<FinishedRun> | string {
  if (found === null || typeof found === "string") return found ?? {};
  const { hand, ...planned } = found;
  return own ? { ...planned, hand: { ...own, ...hand } } : planned;
}

/** Adds to this turn's results when they are still those that are shown. */
async function amend(
  context: SliceContext,
  request: RunRequest,
  more: () => Promise<Partial<FinishedRun> | string>,
): Promise<void> {
  const added = await more();
  const { run } = context.get();
  if (!request.latest() || run.status !== "done") return;
  if (typeof added !== "string") context.set({ run: { status: "done", run: { ...run.run, ...added } } });
  else if (added !== ENDED) fail(context, request, internal(`The check could not finish: ${added}`));
}
