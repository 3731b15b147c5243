/** @file Times plans against one another on the device: cold run and outputs first, then warm-up, then interleaved rounds, then kernel by kernel. */
import type { NodeId, Plan } from "../fusion";
import { compareInFull, compareKernel, type Pair } from "./compare-outputs";
import { readOutputs, runOnce, runWithTwoStops } from "./execute";
import { drawKernels, type Inputs } from "./inputs";
import type { BoundPlan } from "./memory";
import { buildPipelines } from "./pipelines";
import type { Built, KernelSource } from "./pipelines";
import { MEMORY_BUDGET, memoryNeed, preflight } from "./preflight";
import { prepare } from "./prepare";
import { done, refusals } from "./problem";
import { SUBMIT_MILLIS } from "./queue";
import type { Job } from "./queue";
import { riseClocks } from "./roofs";
import { calibrate, kernelRounds, planRounds, subject, timeOnce, warmUp } from "./rounds";
import type { RoundLimits, Subject } from "./rounds";
import { scoped } from "./scopes";
import { createStopwatch, median } from "./stopwatch";
import type { Stopwatch } from "./stopwatch";
import { bindTaps, gatherKernel } from "./taps";
import type {
  BenchProgress,
  BenchResult,
  ComparedInFull,
  DeviceInfo,
  FirstRuns,
  Outcome,
  PlanName,
  RunOutput,
  Tap,
  Tapped,
  TwoStops,
} from "./types";

export interface BenchPlans {
  /** null: it is left out, since it does not fit. */
  readonly naive: Plan | null;
  /** The step that is shown, where it is neither of the two. */
  readonly step?: Plan | null;
  readonly fused: Plan;
  /** A plan with kernels that a person wrote. */
  readonly hand?: Plan | null;
}

export interface BenchOptions {
  readonly onProgress?: (progress: BenchProgress) => void;
  /** The samples so far, some ten times a second. */
  readonly onResult?: (soFar: BenchResult) => void;
  /** Once, when every plan has run for the first time. */
  readonly onFirst?: (first: FirstRuns) => void;
  /** Tensors of the naive plan to be compared in full with the same ones of the others. */
  readonly compare?: readonly CompareRequest[];
  /** Elements to be read while plans run for the first time. */
  readonly taps?: Promise<readonly Tap[]>;
  /** false: outputs stay on the device. */
  readonly outputs?: boolean;
  readonly signal?: AbortSignal;
  /** ms at most for timing, warming up included; 1,800 when absent. */
  readonly budgetMillis?: number;
  /** Bytes; 512 MiB when absent. */
  readonly memoryBudget?: number;
  /** false: leave the roofs out. */
  readonly roofs?: boolean;
  /** false: whole plans only. */
  readonly kernels?: boolean;
}

const DEFAULT_MILLIS = 1800;
/** A pass this long hides what beginning one costs, about 4 µs; `STEPS_IN_A_PASS` hides the clock's step. */
const PASS_NANOS = 2e6;
/** Samples are told this often, ms. */
const TELL_MILLIS = 100;
const STEPS_IN_A_PASS = 100;
const STEPS_AT_LEAST = 20;
// Consumer cards have 24–96 MB of L2; a working set below four times that is measured in cache.
const CACHE_BYTES = 4 * 48 * 2 ** 20;
/** ms that clocks which have idled may take to rise. */
const RISE_MILLIS = 1000;
// Clocks that have idled need sustained load; a CPU's do not.
const WARM_GPU = { leastMillis: 300, agreement: 0.015 };
const WARM_CPU = { leastMillis: 0, agreement: 0.1 };
/** Faster by this share after all rounds than within them: the rounds are taken anew, so many times in all at most. */
const RISEN = 0.05;
const MAX_LOOKS = 3;
/** Shares of the budget. */
const SHARE = { warm: 0.25, plans: 0.35, kernels: 0.4 };

/** One output: its name in each plan, and how far apart two plans may be. */
export interface CompareRequest {
  readonly names: Readonly<Partial<Record<PlanName, NodeId>>>;
  readonly atol: number;
  /** What of `atol` is meant for values of size 1. */
  readonly ofSize: number;
  readonly rtol: number;
}

/** What a bench has found so far; Cancel takes it as it is. */
export class Recorder {
  device: DeviceInfo | null = null;
  readonly coldMillis: Partial<Record<PlanName, number>> = {};
  readonly pipelineMillis: Partial<Record<PlanName, number>> = {};
  readonly twoStops: Partial<Record<PlanName, TwoStops>> = {};
  readonly outputs: RunOutput[] = [];
  subjects: readonly Subject[] = [];
  cacheResident = false;
  warming = false;

  result(stopped: boolean): BenchResult | null {
    if (!this.device) return null;
    const timings = this.subjects
      .filter(({ samples }) => samples.length > 0)
      .map(({ plan, kernel, samples, repeats }) => ({ plan, kernel, nanoseconds: [...samples], repeats }));
    const { device, coldMillis, pipelineMillis, twoStops, outputs, warming, cacheResident } = this;
    const known = { device, timings, coldMillis, pipelineMillis, twoStops, outputs, warming, cacheResident };
    return { ...known, roofs: null, stopped };
  }

  /** What a person gets who pressed Cancel. */
  partial(): Outcome<BenchResult> {
    const result = this.warming ? null : this.result(true);
    return result && result.timings.length > 0 ? done(result) : refusals.cancelled();
  }
}

/** `inputs` by input node. Refused, lost or cancelled before the first sample: a problem; afterwards: the samples so far. */
export async function runBench(
  job: Job,
  plans: BenchPlans,
  inputs: Inputs,
  options: BenchOptions,
  recorder: Recorder,
): Promise<Outcome<BenchResult>> {
  recorder.device = job.held.info;
  const named = plansNamed(plans);
  const all = named.map(([, plan]) => plan);
  const fits = preflight(all, job.held.info, options.memoryBudget ?? MEMORY_BUDGET);
  if (!fits.ok) return fits;
  recorder.cacheResident = memoryNeed([plans.fused]).bytes < CACHE_BYTES;
  const say = progressOf(job, options);
  mark(job, "pipelines");
  const own = [...drawKernels(all, inputs), ...firstRunKernels(all, options)];
  const pipelines = await build(job, named, own, recorder, say);
  if (!pipelines.ok) return pipelines;
  say(0.1, "Making the inputs");
  mark(job, "inputs");
  const bound = await prepare(job, named, inputs, pipelines.value);
  if (!bound.ok) return bound;
  mark(job, "first runs");
  const cold = await coldRuns(job, bound.value, pipelines.value, options, recorder, say);
  if (!cold.ok) return stopOr(cold, recorder);
  const timed = await timeAll(job, bound.value, options, recorder, say);
  return timed.ok ? done(recorder.result(false)!) : stopOr(timed, recorder);
}

/** A phase begins: a mark on the browser's timeline. */
const mark = ({ env }: Job, phase: string): void => env.mark?.(`run: ${phase}`);

const stopOr = (refused: Outcome<null>, recorder: Recorder): Outcome<BenchResult> =>
  refused.ok || refused.problem.code === "cancelled" ? recorder.partial() : refused;

/** The plans that are timed, with their names. */
export const plansNamed = ({ naive, step, fused, hand }: BenchPlans): [PlanName, Plan][] => [
  ...(naive ? [["naive", naive] satisfies [PlanName, Plan]] : []),
  ...(step ? [["step", step] satisfies [PlanName, Plan]] : []),
  ["fused", fused],
  ...(hand ? [["hand", hand] satisfies [PlanName, Plan]] : []),
];

type Say = (fraction: number, text: string) => void;

function progressOf(job: Job, { onProgress }: BenchOptions): Say {
  const begin = job.env.now();
  let reached = 0;
  return (wanted, text) => {
    const fraction = (reached = Math.max(reached, wanted)); // never backwards, though the number of rounds is a guess
    const seconds = (job.env.now() - begin) / 1000;
    const secondsLeft = fraction > 0.2 ? (seconds / fraction) * (1 - fraction) : null;
    onProgress?.({ fraction, text, secondsLeft });
  };
}

/** Pipelines of all plans, built side by side; the time of each plan ends with the last that it needs. */
async function build(
  job: Job,
  named: readonly [PlanName, Plan][],
  own: readonly KernelSource[],
  recorder: Recorder,
  say: Say,
): Promise<Outcome<ReadonlyMap<string, Built>>> {
  const kernels = new Set(named.flatMap(([, plan]) => plan.kernels.map(({ wgsl }) => wgsl)));
  say(0, `Building ${kernels.size} kernels`);
  const begin = job.env.now();
  const built = await buildPipelines(job.held, [...named.flatMap(([, plan]) => plan.kernels), ...own]);
  if (!built.ok) return built;
  for (const [name] of named) recorder.pipelineMillis[name] = job.env.now() - begin;
  return built;
}

/** The stored tensor behind a plan's output. */
function storedOf({ plan, buffers }: Pick<BoundPlan, "plan" | "buffers">, output: NodeId | undefined) {
  const value = plan.aliases.find((alias) => alias.output === output)?.value ?? output;
  const planned = plan.buffers.find((each) => each.value === value);
  return planned && planned.role !== "input" ? { planned, buffer: buffers.get(planned.value)! } : null;
}

/** What of `request` there is to compare: the naive plan's outputs with those of `bound`. */
function pairsOf(naive: BoundPlan, bound: BoundPlan, request: readonly CompareRequest[]): Pair[] {
  const { name: plan } = bound;
  if (plan === "naive") return [];
  return request.flatMap(({ names, atol, ofSize, rtol }) => {
    const [one, other] = [storedOf(naive, names.naive), storedOf(bound, names[plan])];
    if (!one || !other || one.planned.bytes !== other.planned.bytes) return [];
    const { type, bytes } = one.planned;
    const elements = type.shape.reduce((product, extent) => product * extent, 1);
    const [output, { dtype }] = [names.naive!, type];
    return { plan, output, dtype, elements, bytes, atol, ofSize, rtol, naive: one.buffer, other: other.buffer };
  });
}

/** The kernels that the first runs need besides the plans'. */
function firstRunKernels([naive]: readonly Plan[], { compare = [], taps }: BenchOptions): KernelSource[] {
  const wanted = new Set(compare.map(({ names }) => names.naive));
  const dtypes = new Set(naive!.buffers.filter(({ role }) => role === "output").map(({ type }) => type.dtype));
  const comparing = wanted.size === 0 ? [] : [...dtypes].map(compareKernel);
  return taps ? [...comparing, gatherKernel] : comparing;
}

/** Runs every plan once. The naive plan runs first, and its outputs stay until the others have been compared with them. */
async function coldRuns(
  job: Job,
  bound: readonly BoundPlan[],
  pipelines: ReadonlyMap<string, Built>,
  options: BenchOptions,
  recorder: Recorder,
  say: Say,
): Promise<Outcome<null>> {
  const { device } = job.held;
  const wanted = (await options.taps) ?? [];
  const apart: ComparedInFull[] = [];
  const tapped: Tapped[] = [];
  for (const [i, each] of bound.entries()) {
    say(0.12 + (0.1 * i) / bound.length, `First run, ${each.name}`);
    const taps = wanted.length === 0 ? null : await scoped(device, () => bindTaps(job, each, wanted, pipelines));
    if (taps && !taps.ok) return taps;
    const millis = await runOnce(job, each, options.signal, taps?.value);
    if (!millis.ok) return millis;
    recorder.coldMillis[each.name] = millis.value;
    const found = await taps?.value.read();
    if (found && !found.ok) return found;
    tapped.push(...(found?.value ?? []));
    const pairs = pairsOf(bound[0]!, each, options.compare ?? []);
    if (pairs.length > 0) {
      const compared = await compareInFull(job, pairs, pipelines);
      if (!compared.ok) return compared;
      apart.push(...compared.value);
    }
    if (options.outputs !== false) {
      const outputs = await readOutputs(job, each);
      if (!outputs.ok) return outputs;
      recorder.outputs.push(...outputs.value);
    }
    if (each.kernels.length === 0 || millis.value > SUBMIT_MILLIS) continue;
    const stops = await runWithTwoStops(job, each);
    if (!stops.ok) return stops;
    recorder.twoStops[each.name] = stops.value;
  }
  options.onFirst?.({ apart, tapped });
  return done(null);
}

async function timeAll(
  job: Job,
  bound: readonly BoundPlan[],
  options: BenchOptions,
  recorder: Recorder,
  say: Say,
): Promise<Outcome<null>> {
  const timed = bound.filter(({ kernels }) => kernels.length > 0);
  if (timed.length === 0) return done(null);
  const watch = await createStopwatch(job);
  if (!watch.ok) return watch;
  const wholes = timed.map(({ name, kernels }) => subject(name, null, kernels));
  const parts = timed.flatMap(({ name, kernels }, i) => kernelSubjects(name, kernels, wholes[i]!));
  recorder.subjects = options.kernels === false ? wholes : [...wholes, ...parts];

  let told = -Infinity;
  const tell = (always = false): void => {
    if (!options.onResult || (!always && job.env.now() - told < TELL_MILLIS)) return;
    told = job.env.now();
    const soFar = recorder.result(false);
    if (soFar && soFar.timings.length > 0) options.onResult(soFar);
  };
  mark(job, "warm-up");
  recorder.warming = true;
  const warmed = await warm(job, watch.value, wholes, { ...options, onSample: tell }, say);
  recorder.warming = false;
  if (!warmed.ok) return warmed;
  mark(job, "timing");
  const budget = options.budgetMillis ?? DEFAULT_MILLIS;
  const limits = (share: number, from: number, to: number): RoundLimits => ({
    signal: options.signal,
    now: () => job.env.now(),
    millis: budget * share,
    onStep: (each, round, rounds) => {
      tell();
      const repeat = (round + 1) * each.repeats;
      const text = `Running ${each.plan}, repeat ${repeat} of ${rounds * each.repeats}`;
      say(from + (to - from) * Math.min(1, (round + 1) / rounds), each.kernel ? `${text}, ${each.kernel}` : text);
    },
  });
  // A plan of one kernel is that kernel: the same passes.
  const apart = parts.filter(({ samples }) => !wholes.some((whole) => whole.samples === samples));
  for (let look = 1; ; look++) {
    const measured = await planRounds(watch.value, wholes, limits(SHARE.plans, 0.35, 0.65));
    if (!measured.ok) return measured;
    tell(true);
    mark(job, "kernels");
    for (const part of parts)
      if (!apart.includes(part)) part.repeats = wholes.find((w) => w.samples === part.samples)!.repeats;
    if (options.kernels !== false && apart.length > 0) {
      const target = kernelTarget(job.held.info, (budget * SHARE.kernels * 1e6) / (apart.length * 10));
      const timed = await kernelRounds(watch.value, apart, target, limits(SHARE.kernels, 0.65, 0.98));
      if (!timed.ok) return timed;
    }
    if (job.held.info.software || look === MAX_LOOKS) return done(null);
    const risen = await clocksRose(watch.value, wholes, options.signal);
    if (!risen.ok) return risen;
    if (!risen.value) return done(null);
    for (const each of [...wholes, ...apart]) each.samples.length = 0;
  }
}

/** True where a plan is faster by now than its samples say: they were taken while clocks still rose. */
async function clocksRose(
  watch: Stopwatch,
  wholes: readonly Subject[],
  signal: AbortSignal | undefined,
): Promise<Outcome<boolean>> {
  for (const each of wholes) {
    const now: number[] = [];
    for (let i = 0; i < 3; i++) {
      if (signal?.aborted) return refusals.cancelled();
      const nanos = await timeOnce(watch, each);
      if (!nanos.ok) return nanos;
      now.push(nanos.value);
    }
    if (median(now) < (1 - RISEN) * median(each.samples)) return done(true);
  }
  return done(false);
}

function kernelSubjects(name: PlanName, kernels: BoundPlan["kernels"], whole: Subject): Subject[] {
  if (kernels.length === 1) return [{ ...whole, kernel: kernels[0]!.kernel.id }]; // shares the samples
  const adding = new Set(
    kernels.flatMap(({ kernel: { region, bindings } }) => (bindings.some(({ adds }) => adds) ? [region] : [])),
  );
  const subjects: Subject[] = [];
  let before: { readonly region: string; readonly subject: Subject } | null = null;
  for (const each of kernels) {
    const { id, region } = each.kernel;
    // A kernel that adds to what stands there is no kernel that may be repeated: it is timed with those before it, and less them.
    const after: Subject | undefined = before?.region === region && adding.has(region) ? before.subject : undefined;
    const own = subject(name, id, [...(after?.dispatches ?? []), each], after);
    subjects.push(own);
    before = { region, subject: own };
  }
  return subjects;
}

/** How long a kernel's pass should last, ns: its share of the budget, but never so short that the clock's step shows. */
const kernelTarget = ({ tickNanos }: DeviceInfo, share: number): number =>
  Math.min(Math.max(share, STEPS_AT_LEAST * tickNanos, 3e5), Math.max(PASS_NANOS, STEPS_IN_A_PASS * tickNanos));

/** Calibrates every subject, and runs them until the clocks have risen. */
export async function warm(
  job: Job,
  watch: Stopwatch,
  wholes: readonly Subject[],
  options: BenchOptions & { readonly onSample?: () => void },
  say: Say,
): Promise<Outcome<null>> {
  say(0.25, "Warming up");
  const risen = await riseClocks(job, watch, RISE_MILLIS);
  if (!risen.ok) return risen;
  const begin = job.env.now();
  const target = Math.max(PASS_NANOS, STEPS_IN_A_PASS * job.held.info.tickNanos);
  for (const each of wholes) {
    if (options.signal?.aborted) return refusals.cancelled();
    const calibrated = await calibrate(watch, each, target);
    if (!calibrated.ok) return calibrated;
  }
  const rule = job.held.info.software ? WARM_CPU : WARM_GPU;
  const mostMillis = Math.max(rule.leastMillis, (options.budgetMillis ?? DEFAULT_MILLIS) * SHARE.warm);
  // Plans as long as that have warmed the device by having been calibrated.
  const batchMillis = wholes.reduce((sum, { nanos, repeats }) => sum + nanos * repeats, 0) * 3e-6;
  if (batchMillis > mostMillis && job.env.now() - begin >= rule.leastMillis) return done(null);
  const warmed = await warmUp(
    watch,
    wholes,
    { ...rule, mostMillis },
    { signal: options.signal, now: () => job.env.now(), onSample: options.onSample },
  );
  for (const each of wholes) each.samples.length = 0;
  if (!warmed.ok) return warmed;
  for (const each of wholes) {
    const again = await calibrate(watch, each, target); // clocks have risen since the first look
    if (!again.ok) return again;
  }
  return done(null);
}
