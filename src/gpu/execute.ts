/** @file One run of a plan, sliced so that Cancel works between submits, and the outputs read back. */
import type { BufferPlan, NodeId, Plan } from "../fusion";
import { unpack } from "./packing";
import { copyAll, type BoundPlan, type Dispatch } from "./memory";
import { done, refusals } from "./problem";
import { SUBMIT_MILLIS, dispatchAll, readBack, submit } from "./queue";
import type { Job } from "./queue";
import type { BoundTaps } from "./taps";
import type { Outcome, RunOutput, TwoStops } from "./types";

/** Commands for `kernels` in one pass. */
function encode(device: GPUDevice, kernels: readonly Dispatch[]): GPUCommandBuffer {
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  dispatchAll(pass, kernels);
  pass.end();
  return encoder.finish();
}

/** Puts the data of inputs where results are written over them. */
async function begin(job: Job, { starts }: BoundPlan): Promise<Outcome<null>> {
  if (starts.length === 0) return done(null);
  const encoder = job.held.device.createCommandEncoder();
  copyAll(encoder, starts);
  return submit(job, [encoder.finish()]);
}

/**
 * Runs the plan once; answers the wall time in ms. The first kernel goes alone and says how far the prediction is off
 * on this device; the rest follow in slices that should take no longer than a submit may.
 */
export async function runOnce(
  job: Job,
  bound: BoundPlan,
  signal?: AbortSignal,
  taps?: Pick<BoundTaps, "before" | "after">,
): Promise<Outcome<number>> {
  const { kernels } = bound;
  const begun = await begin(job, bound);
  if (!begun.ok) return begun;
  let millis = 0;
  let predicted = 0;
  for (let next = 0; next < kernels.length;) {
    if (signal?.aborted) return refusals.cancelled();
    const scale = predicted > 0 ? millis / predicted : Infinity;
    const from = next;
    for (let slice = 0; next < kernels.length; next++) {
      slice += kernels[next]!.kernel.predictedMicros * scale;
      if (next > from && !(slice <= SUBMIT_MILLIS)) break;
    }
    const part = kernels.slice(from, next);
    const start = job.env.now();
    const dispatches = taps
      ? part.flatMap((kernel, i) => [...taps.before(from + i), kernel, ...taps.after(from + i)])
      : part;
    const finished = await submit(job, [encode(job.held.device, dispatches)]);
    if (!finished.ok) return finished;
    millis += job.env.now() - start;
    predicted += part.reduce((sum, { kernel }) => sum + kernel.predictedMicros, 0);
  }
  return done(millis);
}

/** One more run, in one submit: what a clock shows that does not wait for the GPU, and what one does that waits. */
export async function runWithTwoStops(job: Job, bound: BoundPlan): Promise<Outcome<TwoStops>> {
  const begun = await begin(job, bound);
  if (!begun.ok) return begun;
  const start = job.env.now();
  const finishing = submit(job, [encode(job.held.device, bound.kernels)]);
  const handedOver = job.env.now() - start;
  const finished = await finishing;
  return finished.ok ? done({ handedOver, finished: job.env.now() - start }) : finished;
}

/** The graph's outputs of a plan: stored ones, and free views of stored ones. */
export function outputsOf(plan: Plan): { readonly value: NodeId; readonly stored: BufferPlan }[] {
  const stored = new Map(plan.buffers.map((buffer) => [buffer.value, buffer]));
  const direct = plan.buffers
    .filter(({ role }) => role === "output")
    .map((buffer) => ({ value: buffer.value, stored: buffer }));
  const views = plan.aliases.flatMap(({ output, value }) => {
    const buffer = stored.get(value);
    return buffer && output !== value ? [{ value: output, stored: buffer }] : [];
  });
  const inputs = plan.aliases.flatMap(({ output, value }) => {
    const buffer = stored.get(value);
    return buffer?.role === "input" && output === value ? [{ value: output, stored: buffer }] : [];
  });
  return [...direct, ...views, ...inputs];
}

/** Copies a plan's outputs back; they must not have been overwritten by another plan since. */
export async function readOutputs(job: Job, bound: BoundPlan): Promise<Outcome<RunOutput[]>> {
  const outputs = outputsOf(bound.plan);
  const distinct = [...new Map(outputs.map(({ stored }) => [stored.value, stored])).values()];
  const got = await readBack(
    job,
    distinct.map(({ value, bytes }) => ({ buffer: bound.buffers.get(value)!, bytes })),
  );
  if (!got.ok) return got;
  const dataOf = new Map(
    distinct.map(({ value, type }, i) => {
      const elements = type.shape.reduce((product, extent) => product * extent, 1);
      return [value, unpack(type.dtype, got.value[i]!, elements)];
    }),
  );
  return done(outputs.map(({ value, stored }) => ({ plan: bound.name, value, data: dataOf.get(stored.value)! })));
}
