/** @file A session: the one way to the machine. Answers outcomes, one action at a time; frees what it made. */
import type { Kernel, NodeId, Plan, Target } from "../fusion";
import { Arena } from "./arena";
import type { Ledger } from "./arena";
import { plansNamed, Recorder, runBench } from "./bench";
import type { BenchOptions, BenchPlans } from "./bench";
import { DeviceHolder } from "./device";
import { hostEnv } from "./env";
import type { SessionEnv } from "./env";
import { readOutputs, runOnce } from "./execute";
import { drawKernels, type Inputs } from "./inputs";
import type { NumberArray } from "./packing";
import { buildPipelines } from "./pipelines";
import { countMultiprocessors } from "./multiprocessors";
import { MEMORY_BUDGET, longestDispatchSeconds, preflight } from "./preflight";
import { prepare } from "./prepare";
import { done, fail, refusals } from "./problem";
import { PATIENCE_MILLIS } from "./queue";
import type { Job } from "./queue";
import { beatsRoofs, findRoofs, higherOf } from "./roofs";
import { runSweep, type SweepOptions } from "./sweep";
import { prepareTraining, type StepBatches, type StepsDone, type TrainRequest } from "./train";
import { timestampTick, wallTick } from "./tick";
import type { BenchResult, DeviceInfo, GpuProblem, Outcome, PlanName, Roofs, RunOutput } from "./types";

export interface RunOptions {
  /** What the outputs are labelled with; `fused` when absent. */
  readonly name?: PlanName;
  readonly signal?: AbortSignal;
  /** Bytes; 512 MiB when absent. */
  readonly memoryBudget?: number;
  /** Told when all is made, and the device is about to get the first kernel. */
  readonly begun?: () => void;
}

export interface Session {
  /** The adapter and what code may use on it. Asks for the GPU when that has not happened yet. */
  describe(): Promise<Outcome<DeviceInfo>>;
  /** Runs a plan once and reads its outputs back. `inputs` by input node: f32, f64, i32 or u32 arrays of the declared size, or how they are drawn. */
  run(plan: Plan, inputs: Inputs, options?: RunOptions): Promise<Outcome<RunOutput[]>>;
  /** Builds the pipeline of a kernel and runs nothing. */
  build(kernel: Kernel): Promise<Outcome<null>>;
  /** Runs the plans, keeps their outputs, then times them against one another. Stops within 300 ms of `signal`. */
  bench(plans: BenchPlans, inputs: Inputs, options?: BenchOptions): Promise<Outcome<BenchResult>>;
  /** Times variants of one program against one another: samples in ns of each, in their order. */
  sweep(plans: readonly Plan[], inputs: Inputs, options?: SweepOptions): Promise<Outcome<(readonly number[])[]>>;
  /** Copy bandwidth, FMA peak and launch cost of this device; measured once per device. */
  measureRoofs(): Promise<Outcome<Roofs>>;
  /**
   * Puts a training on the device, where it stays until it is closed: its weights keep what steps leave in them. Other
   * actions take their turns between its steps.
   */
  train(request: TrainRequest): Promise<Outcome<Trainer>>;
  /** Told of losses and faults that happen between actions. Answers the way to stop listening. */
  listen(listener: (problem: GpuProblem) => void): () => void;
  /** Bytes of GPU memory held now; 0 between actions. */
  readonly ledgerBytes: number;
  /** Gives the device back once the running action is over. */
  close(): Promise<void>;
}

/** A training on the device. After a loss every call answers so, and there is nothing to go on with. */
export interface Trainer {
  /** Runs as many steps as there are batches, at most `MAX_STEPS`, with the request's plan of that number. */
  steps(plan: number, batches: readonly StepBatches[]): Promise<Outcome<StepsDone>>;
  /** What that plan has learned to answer for these inputs. */
  answer(
    plan: number,
    inputs: ReadonlyMap<NodeId, NumberArray>,
  ): Promise<Outcome<Float32Array | Int32Array | Uint32Array>>;
  /** Frees its buffers. */
  close(): Promise<void>;
}

/** `gpu` is `navigator.gpu` (undefined where there is none) or Dawn's. Touches nothing until it is asked. */
export function createSession(gpu: GPU | undefined, env: SessionEnv = hostEnv()): Session {
  const listeners = new Set<(problem: GpuProblem) => void>();
  const holder = new DeviceHolder(gpu, env, (problem) => listeners.forEach((listener) => listener(problem)));
  const ledger: Ledger = { bytes: 0 };
  const described = new WeakSet<GPUDevice>();
  const roofs = new WeakMap<GPUDevice, Roofs>();
  /** Devices on which a plan was faster than their roofs: those are measured again. */
  const doubted = new WeakSet<GPUDevice>();
  const inTurn = takeTurns();

  /** A job on the device: its arena is freed whatever happens, except while a kernel hangs. */
  async function onDevice<T>(plans: readonly Plan[], work: (job: Job) => Promise<Outcome<T>>): Promise<Outcome<T>> {
    const acquired = await holder.acquire();
    if (!acquired.ok) return acquired;
    const held = acquired.value;
    const arena = new Arena(held.device, ledger);
    const job: Job = { held, holder, env, arena, patience: patienceFor(plans, held.info.software) };
    try {
      const known = described.has(held.device) ? done(null) : await observeClock(job);
      const result = known.ok ? await work(job) : known;
      return held.lost && result.ok ? refusals.wentAway() : result;
    } catch (thrown) {
      return held.lost ? refusals.wentAway() : fail("internal", `The run broke off: ${String(thrown)}`);
    } finally {
      if (!holder.poisoned) arena.free();
    }
  }

  async function observeClock(job: Job): Promise<Outcome<null>> {
    const { held } = job;
    const tick = held.info.clock === "timestamp-query" ? await timestampTick(job) : done(wallTick(env));
    if (!tick.ok) return tick;
    held.info = { ...held.info, tickNanos: tick.value };
    if (!held.info.software && held.info.clock === "timestamp-query") {
      const counted = await countMultiprocessors(job);
      if (!counted.ok) return counted;
      if (counted.value !== null) held.info = { ...held.info, target: withCount(held.info.target, counted.value) };
    }
    described.add(held.device);
    return done(null);
  }

  const roofsOf = async (job: Job): Promise<Outcome<Roofs>> => {
    const known = roofs.get(job.held.device);
    if (known && !doubted.has(job.held.device)) return done(known);
    const measured = await findRoofs(job);
    if (!measured.ok) return measured;
    const found = known ? higherOf(known, measured.value) : measured.value;
    roofs.set(job.held.device, found);
    doubted.delete(job.held.device);
    return done(found);
  };

  const roofsAfter = async (job: Job, plans: BenchPlans, result: BenchResult): Promise<Outcome<Roofs>> => {
    const found = await roofsOf(job);
    if (found.ok && beatsRoofs(plansNamed(plans), result, found.value)) doubted.add(job.held.device);
    return found;
  };

  /** An action on a device that was there before: a new one would know nothing of what the action goes on with. */
  async function goingOn<T>(job: Job, work: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
    if (holder.poisoned) return refusals.poisoned();
    if (job.held.lost) return refusals.wentAway();
    try {
      const result = await work();
      return job.held.lost ? refusals.wentAway() : result;
    } catch (thrown) {
      return job.held.lost ? refusals.wentAway() : fail("internal", `The training broke off: ${String(thrown)}`);
    }
  }

  async function train(request: TrainRequest): Promise<Outcome<Trainer>> {
    const described = await onDevice([], async ({ held }) => done(held));
    if (!described.ok) return described;
    const plans = request.plans.map(({ plan }) => plan);
    const arena = new Arena(described.value.device, ledger);
    const job: Job = {
      held: described.value,
      holder,
      env,
      arena,
      patience: patienceFor(plans, described.value.info.software),
    };
    const free = () => {
      if (!holder.poisoned) arena.free();
    };
    const made = await goingOn(job, () => prepareTraining(job, request));
    if (!made.ok) {
      free();
      return made;
    }
    return done({
      steps: (plan, batches) => inTurn(() => goingOn(job, () => made.value.steps(job, plan, batches))),
      answer: (plan, inputs) => inTurn(() => goingOn(job, () => made.value.answer(job, plan, inputs))),
      close: () => inTurn(async () => free()),
    });
  }

  return {
    train: (request) => inTurn(() => train(request)),
    describe: () => inTurn(() => onDevice([], async ({ held }) => done(held.info))),
    measureRoofs: () => inTurn(() => onDevice([], roofsOf)),
    run: (plan, inputs, options = {}) => inTurn(() => onDevice([plan], (job) => runPlan(job, plan, inputs, options))),
    build: (kernel) =>
      inTurn(() =>
        onDevice([], async (job) => {
          const built = await buildPipelines(job.held, [kernel]);
          return built.ok ? done(null) : built;
        }),
      ),
    sweep(plans, inputs, options = {}) {
      const main = inTurn(() => onDevice(plans, (job) => runSweep(job, plans, inputs, options)));
      return Promise.race([main, stopped(env, options.signal).then(refusals.cancelled)]);
    },
    async bench(plans, inputs, options = {}) {
      const recorder = new Recorder();
      const main = inTurn(() => onDevice(plansOf(plans), (job) => runBench(job, plans, inputs, options, recorder)));
      const result = await Promise.race([main, stopped(env, options.signal).then(() => recorder.partial())]);
      if (!result.ok || result.value.stopped || options.roofs === false) return result;
      env.mark?.("run: roofs");
      const measured = inTurn(() => onDevice([], (job) => roofsAfter(job, plans, result.value)));
      const found = await Promise.race([measured, stopped(env, options.signal).then(refusals.cancelled)]);
      env.mark?.("run: timed");
      return done({ ...result.value, roofs: found.ok ? found.value : null });
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    get ledgerBytes() {
      return ledger.bytes;
    },
    close: () => inTurn(async () => holder.close()),
  };
}

/** A target of a machine whose multiprocessors were counted. */
const withCount = (target: Target, multiprocessors: number): Target => ({
  ...target,
  machine: { multiprocessors, counted: true },
});

/** A CPU that pretends to be a GPU may be busy with other things too. */
const SOFTWARE_PATIENCE_MILLIS = 15_000;

/** Some seconds and twice the longest believable dispatch, ms; what takes longer hangs. */
const patienceFor = (plans: readonly Plan[], software: boolean): number =>
  (software ? SOFTWARE_PATIENCE_MILLIS : PATIENCE_MILLIS) +
  2000 * Math.max(0, ...plans.map((plan) => longestDispatchSeconds(plan, software)));

const plansOf = (plans: BenchPlans): Plan[] => plansNamed(plans).map(([, plan]) => plan);

const CANCEL_MILLIS = 100;

/** Settles soon after Cancel: a long kernel can't be interrupted, but the person who pressed it need not wait. */
const stopped = (env: SessionEnv, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const stop = () => void env.sleep(CANCEL_MILLIS).then(resolve);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });

/** Error scopes and the device's queue are shared: actions wait for one another. */
function takeTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => null);
    return mine;
  };
}

async function runPlan(job: Job, plan: Plan, inputs: Inputs, options: RunOptions): Promise<Outcome<RunOutput[]>> {
  const fits = preflight([plan], job.held.info, options.memoryBudget ?? MEMORY_BUDGET);
  if (!fits.ok) return fits;
  const pipelines = await buildPipelines(job.held, [...plan.kernels, ...drawKernels([plan], inputs)]);
  if (!pipelines.ok) return pipelines;
  const prepared = await prepare(job, [[options.name ?? "fused", plan]], inputs, pipelines.value);
  if (!prepared.ok) return prepared;
  const [bound] = prepared.value;
  options.begun?.();
  const ran = await runOnce(job, bound!, options.signal);
  return ran.ok ? readOutputs(job, bound!) : ran;
}
