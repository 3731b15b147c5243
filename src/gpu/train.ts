/**
 * @file Training on the device: weights stay there. A step writes them over themselves, or reads one of their two buffers and writes the
 * other.
 */
import type { BufferPlan, NodeId, Plan } from "../fusion";
import { outputsOf } from "./execute";
import { paddedBytes, usage } from "./flags";
import { drawKernels, fillInputs, type Inputs } from "./inputs";
import { allocate, copyAll, startsOf, type Copy, type Dispatch, type RunMemory } from "./memory";
import { pack, unpack } from "./packing";
import type { NumberArray } from "./packing";
import { buildPipelines, type Built } from "./pipelines";
import { MEMORY_BUDGET, preflight } from "./preflight";
import { done, fail } from "./problem";
import { dispatchAll, readThrough, submit } from "./queue";
import type { Job } from "./queue";
import { scoped } from "./scopes";
import type { Outcome } from "./types";

/** A plan of one step. Nodes are those of the plan's own graph. */
export interface TrainedPlan {
  readonly plan: Plan;
  /** Inputs, and the outputs that begin the next step instead of them. */
  readonly replaced: readonly { readonly input: NodeId; readonly output: NodeId }[];
  /** Outputs of one number each, read after every step. */
  readonly told: readonly NodeId[];
}

/** A plan that only answers: it reads the weights of a training and replaces nothing. */
export interface AnsweringPlan {
  readonly plan: Plan;
  readonly output: NodeId;
}

export interface TrainRequest {
  readonly plans: readonly TrainedPlan[];
  readonly answering: AnsweringPlan | null;
  /** Data of all inputs before the first step. */
  readonly inputs: Inputs;
}

/** What a step's batches are; null: those of the step before. */
export type StepBatches = ReadonlyMap<NodeId, NumberArray> | null;

export interface StepsDone {
  /** One row a step, one number for each of `told`. */
  readonly told: readonly (readonly number[])[];
  /** ms from the first submit until the GPU has finished. */
  readonly millis: number;
}

/** Steps whose numbers are read back together, at most. */
export const MAX_STEPS = 256;
const WORD = 4;
const STORED = usage.storage | usage.uniform | usage.copyDestination | usage.copySource;

/** One plan on its buffers, once for each of the two buffers that its weights are in. */
interface Bound {
  readonly of: TrainedPlan;
  /** By parity of the step: what to dispatch, and where each output lies afterwards. */
  readonly steps: readonly [BoundStep, BoundStep];
  /** The two buffers of each replaced input; twice the same one where it is written over itself. */
  readonly pairs: ReadonlyMap<NodeId, Pair>;
  taken: number;
}

type Pair = readonly [GPUBuffer, GPUBuffer];

interface BoundStep {
  readonly dispatches: readonly Dispatch[];
  /** Inputs that this plan writes results over, where others still read them afterwards. */
  readonly starts: readonly Copy[];
  /** Values that are stored elsewhere than where the next step reads them. */
  readonly copies: readonly Copy[];
  readonly stored: ReadonlyMap<NodeId, { readonly buffer: GPUBuffer; readonly planned: BufferPlan }>;
}

/** A training that has been put on the device. Its buffers live until the job's arena is freed. */
export interface TrainingOnDevice {
  /** Runs `batches.length` steps of the plan of that number; at most `MAX_STEPS`. */
  steps(job: Job, plan: number, batches: readonly StepBatches[]): Promise<Outcome<StepsDone>>;
  /** What the plan of that number has learned to answer: the answering plan's output for these inputs. */
  answer(
    job: Job,
    plan: number,
    inputs: ReadonlyMap<NodeId, NumberArray>,
  ): Promise<Outcome<Float32Array | Int32Array | Uint32Array>>;
}

/** Makes every buffer and pipeline of a training, and fills the inputs. Nothing is made later, however many steps follow. */
export async function prepareTraining(job: Job, request: TrainRequest): Promise<Outcome<TrainingOnDevice>> {
  const { device } = job.held;
  const plans = request.plans.map(({ plan }) => plan);
  const all = [...plans, ...(request.answering ? [request.answering.plan] : [])];
  const fits = preflight(all, job.held.info, MEMORY_BUDGET);
  if (!fits.ok) return fits;
  const built = await buildPipelines(job.held, [
    ...all.flatMap(({ kernels }) => kernels),
    ...drawKernels(all, request.inputs),
  ]);
  if (!built.ok) return built;
  const pipelines = built.value;
  const made = await scoped(device, (): Outcome<TrainingOnDevice> => {
    const memory = allocate(job.arena, plans);
    const trained = request.plans.map((of, order) => bindTraining(job, memory, of, order, pipelines));
    for (const { pairs } of trained) {
      const first = new Map([...memory.inputs, ...[...pairs].map(([id, [begin]]) => [id, begin] as const)]);
      const filled = fillInputs(device, job.arena, first, plans, request.inputs, pipelines);
      if (!filled.ok) return filled;
    }
    const answering = request.answering && bindAnswering(job, request.answering, trained, request.inputs, pipelines);
    if (answering && !answering.ok) return answering;
    const most = Math.max(1, ...request.plans.map(({ told }) => told.length)) * MAX_STEPS * WORD;
    const ring = job.arena.buffer(most, usage.copySource | usage.copyDestination, "told");
    const staging = job.arena.buffer(
      Math.max(most, answering?.ok ? answering.value.bytes : 0),
      usage.mapRead | usage.copyDestination,
      "staging",
    );
    return done({
      steps: (now, plan, batches) => runSteps(now, trained[plan]!, memory.inputs, batches, { ring, staging }),
      answer: (now, plan, inputs) =>
        answering?.ok
          ? runAnswer(now, answering.value, { plan, parity: trained[plan]!.taken % 2 }, inputs, staging)
          : Promise.resolve(fail("internal", "There is no training to answer for.")),
    });
  });
  return made.ok ? made.value : made;
}

/** Puts a plan on its buffers, for even and for odd steps. */
function bindTraining(
  { held: { device }, arena }: Job,
  memory: RunMemory,
  of: TrainedPlan,
  order: number,
  pipelines: ReadonlyMap<string, Built>,
): Bound {
  const { plan, replaced } = of;
  const planned = new Map(plan.buffers.map((buffer) => [buffer.value, buffer]));
  const stores = new Map(outputsOf(plan).map(({ value, stored }) => [value, stored]));
  const pairs = new Map<NodeId, Pair>();
  /** The input whose next buffer a stored value is written to; others of the same value, and inputs, are copied. */
  const direct = new Map<NodeId, NodeId>();
  for (const { input, output } of replaced) {
    const bytes = paddedBytes(planned.get(input)?.bytes ?? stores.get(output)!.bytes);
    const one = (label: string): GPUBuffer => arena.buffer(bytes, STORED, label);
    const stored = stores.get(output)!;
    const own = stored.role !== "input" && !direct.has(stored.value);
    if (own) direct.set(stored.value, input);
    const even = one(`${input} even`);
    pairs.set(input, [even, own && isWrittenOver(plan, input, stored) ? even : one(`${input} odd`)]);
  }
  const poolIndices = memory.poolIndices[order]!;
  const stepAt = (parity: 0 | 1): BoundStep => {
    const bufferOf = ({ value, role, slot }: BufferPlan): GPUBuffer => {
      if (role === "input") return pairs.get(value)?.[parity] ?? memory.inputs.get(value)!;
      const input = direct.get(value);
      return input === undefined ? memory.pool[poolIndices.get(slot)!]! : pairs.get(input)![parity === 0 ? 1 : 0];
    };
    const buffers = new Map(plan.buffers.map((buffer) => [buffer.value, bufferOf(buffer)]));
    const copies = replaced.flatMap(({ input, output }) => {
      const stored = stores.get(output)!;
      if (direct.get(stored.value) === input) return [];
      const to = pairs.get(input)![parity === 0 ? 1 : 0];
      return [{ from: buffers.get(stored.value)!, to, bytes: paddedBytes(stored.bytes) }];
    });
    const stored = new Map([...stores].map(([id, each]) => [id, { buffer: buffers.get(each.value)!, planned: each }]));
    return {
      dispatches: dispatchesOf(device, plan, buffers, pipelines),
      starts: startsOf(plan, buffers),
      copies,
      stored,
    };
  };
  return { of, steps: [stepAt(0), stepAt(1)], pairs, taken: 0 };
}

/** Whether the plan writes `stored` over this input, which nobody reads or returns afterwards. */
function isWrittenOver({ kernels, aliases }: Plan, input: NodeId, { value, begins }: BufferPlan): boolean {
  if (begins !== input || aliases.some((alias) => alias.value === input)) return false;
  const writer = kernels.findIndex(({ bindings }) => bindings.some((each) => each.value === value));
  return kernels.every(({ bindings }, at) => at < writer || bindings.every((each) => each.value !== input));
}

function dispatchesOf(
  device: GPUDevice,
  { kernels, buffers: planned }: Plan,
  buffers: ReadonlyMap<NodeId, GPUBuffer>,
  pipelines: ReadonlyMap<string, Built>,
): Dispatch[] {
  const bytes = new Map(planned.map(({ value, bytes: size }) => [value, paddedBytes(size)]));
  return kernels.map(({ id, wgsl, bindings, workgroups }) => {
    const { pipeline, layout } = pipelines.get(wgsl)!;
    const entries = bindings.map(({ binding, value }) => ({
      binding,
      resource: { buffer: buffers.get(value)!, size: bytes.get(value)! },
    }));
    return { pipeline, group: device.createBindGroup({ label: id, layout, entries }), workgroups };
  });
}

/** Runs steps in one go: a submit ends where other batches begin. Each step's numbers are copied to `ring` as it ends. */
async function runSteps(
  job: Job,
  bound: Bound,
  inputs: ReadonlyMap<string, GPUBuffer>,
  batches: readonly StepBatches[],
  { ring, staging }: { readonly ring: GPUBuffer; readonly staging: GPUBuffer },
): Promise<Outcome<StepsDone>> {
  const { device } = job.held;
  const { told, plan } = bound.of;
  const types = new Map(plan.buffers.map(({ value, type }) => [value, type]));
  const begin = job.env.now();
  let encoder: GPUCommandEncoder | null = null;
  const submitted = (): GPUCommandBuffer[] => {
    const commands = encoder ? [encoder.finish()] : [];
    encoder = null;
    return commands;
  };
  const handed = await scoped(device, () => {
    batches.forEach((batch, index) => {
      if (batch) {
        device.queue.submit(submitted());
        for (const [id, data] of batch) {
          const [buffer, type] = [inputs.get(id), types.get(id)];
          if (buffer && type) device.queue.writeBuffer(buffer, 0, pack(type.dtype, data));
        }
      }
      encoder ??= device.createCommandEncoder();
      const { dispatches, starts, copies, stored } = bound.steps[bound.taken % 2 === 0 ? 0 : 1];
      copyAll(encoder, starts);
      const pass = encoder.beginComputePass();
      dispatchAll(pass, dispatches);
      pass.end();
      copyAll(encoder, copies);
      told.forEach((id, at) =>
        encoder!.copyBufferToBuffer(stored.get(id)!.buffer, 0, ring, (index * told.length + at) * WORD, WORD),
      );
      bound.taken++;
    });
    return submitted();
  });
  if (!handed.ok) return handed;
  const finished = await submit(job, handed.value);
  if (!finished.ok) return finished;
  const millis = job.env.now() - begin;
  const size = Math.max(WORD, batches.length * told.length * WORD);
  const read = await readThrough(
    job,
    staging,
    (copying) => copying.copyBufferToBuffer(ring, 0, staging, 0, size),
    size,
  );
  if (!read.ok) return read;
  const dtypes = told.map((id) => bound.steps[0].stored.get(id)!.planned.type.dtype);
  const rows = batches.map((_, index) =>
    dtypes.map((dtype, at) => {
      const offset = (index * told.length + at) * WORD;
      return unpack(dtype, read.value.slice(offset, offset + WORD), 1)[0]!;
    }),
  );
  return done({ told: rows, millis });
}

/** The answering plan on buffers of its own but for the weights, for each plan and each buffer of its weights. */
interface BoundAnswer {
  readonly plan: Plan;
  readonly dispatches: readonly (readonly [readonly Dispatch[], readonly Dispatch[]])[];
  readonly inputs: ReadonlyMap<string, GPUBuffer>;
  readonly stored: { readonly buffer: GPUBuffer; readonly planned: BufferPlan };
  readonly bytes: number;
}

function bindAnswering(
  { held: { device }, arena }: Job,
  { plan, output }: AnsweringPlan,
  trained: readonly Bound[],
  inputs: Inputs,
  pipelines: ReadonlyMap<string, Built>,
): Outcome<BoundAnswer> {
  const memory = allocate(arena, [plan]);
  const filled = fillInputs(device, arena, memory.inputs, [plan], inputs, pipelines);
  if (!filled.ok) return filled;
  const own = (value: BufferPlan): GPUBuffer =>
    value.role === "input" ? memory.inputs.get(value.value)! : memory.pool[memory.poolIndices[0]!.get(value.slot)!]!;
  const at = ({ pairs }: Bound, parity: 0 | 1): Dispatch[] => {
    const buffers = new Map(plan.buffers.map((value) => [value.value, pairs.get(value.value)?.[parity] ?? own(value)]));
    return dispatchesOf(device, plan, buffers, pipelines);
  };
  const found = outputsOf(plan).find(({ value }) => value === output);
  if (!found) return fail("internal", `The plan does not store ${output}.`);
  return done({
    plan,
    dispatches: trained.map((each) => [at(each, 0), at(each, 1)] as const),
    inputs: memory.inputs,
    stored: { buffer: own(found.stored), planned: found.stored },
    bytes: paddedBytes(found.stored.bytes),
  });
}

async function runAnswer(
  job: Job,
  { plan, dispatches, inputs: buffers, stored, bytes }: BoundAnswer,
  weights: { readonly plan: number; readonly parity: number },
  inputs: ReadonlyMap<NodeId, NumberArray>,
  staging: GPUBuffer,
): Promise<Outcome<Float32Array | Int32Array | Uint32Array>> {
  const { device } = job.held;
  const handed = await scoped(device, () => {
    for (const { value, role, type } of plan.buffers) {
      const data = role === "input" ? inputs.get(value) : undefined;
      if (data) device.queue.writeBuffer(buffers.get(value)!, 0, pack(type.dtype, data));
    }
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    dispatchAll(pass, dispatches[weights.plan]![weights.parity === 0 ? 0 : 1]);
    pass.end();
    device.queue.submit([encoder.finish()]);
  });
  if (!handed.ok) return handed;
  const read = await readThrough(
    job,
    staging,
    (copying) => copying.copyBufferToBuffer(stored.buffer, 0, staging, 0, bytes),
    bytes,
  );
  if (!read.ok) return read;
  const { dtype, shape } = stored.planned.type;
  return done(
    unpack(
      dtype,
      read.value,
      shape.reduce((product, extent) => product * extent, 1),
    ),
  );
}
