/** @file Submitting work and waiting for it: never longer than patience allows, never believing silence. */
import type { DeviceHolder, Held } from "./device";
import { LATE, within } from "./env";
import type { SessionEnv } from "./env";
import { usage, mapModeRead } from "./flags";
import type { Arena } from "./arena";
import { done, refusals } from "./problem";
import type { Outcome } from "./types";
import type { Dispatch } from "./memory";

/** Everything one action on the device works with. */
export interface Job {
  readonly held: Held;
  readonly holder: DeviceHolder;
  readonly env: SessionEnv;
  readonly arena: Arena;
  /** ms a submit may take before the device counts as hung. */
  readonly patience: number;
}

export const PATIENCE_MILLIS = 5000;
/** A longer submit holds up the page that is drawn by the same GPU, and Cancel waits for it. */
export const SUBMIT_MILLIS = 50;

/** Waits for `promise`; a rejection means the device is gone, lateness that it hangs. */
async function answer<T>(job: Job, promise: Promise<T>): Promise<Outcome<T>> {
  const settled = promise.then(
    (value) => ({ value }),
    () => null,
  );
  const result = await within(job.env, job.patience, settled);
  if (result === LATE) {
    job.holder.poison();
    return refusals.poisoned();
  }
  return result && !job.held.lost ? done(result.value) : refusals.wentAway();
}

/** Submits and waits until the GPU has finished. */
export async function submit(job: Job, commands: readonly GPUCommandBuffer[]): Promise<Outcome<null>> {
  job.held.device.queue.submit([...commands]);
  const finished = await answer(job, job.held.device.queue.onSubmittedWorkDone());
  return finished.ok ? done(null) : finished;
}

/** Encodes `dispatches` in order, `repeats` times. */
export function dispatchAll(pass: GPUComputePassEncoder, dispatches: readonly Dispatch[], repeats = 1): void {
  let [pipeline, group]: [GPUComputePipeline | null, GPUBindGroup | null] = [null, null];
  for (let i = 0; i < repeats; i++) {
    for (const next of dispatches) {
      if (next.pipeline !== pipeline) pass.setPipeline((pipeline = next.pipeline));
      if (next.group !== group) pass.setBindGroup(0, (group = next.group));
      pass.dispatchWorkgroups(...next.workgroups);
    }
  }
}

/** Reads `size` bytes of `source` through `staging`, which is large enough; waits for all work before. */
export async function readThrough(
  job: Job,
  staging: GPUBuffer,
  encode: (encoder: GPUCommandEncoder) => void,
  size: number,
): Promise<Outcome<ArrayBuffer>> {
  const { device } = job.held;
  const encoder = device.createCommandEncoder();
  encode(encoder);
  device.queue.submit([encoder.finish()]);
  const mapped = await answer(job, staging.mapAsync(mapModeRead, 0, size));
  if (!mapped.ok) return mapped;
  const copy = staging.getMappedRange(0, size).slice(0);
  staging.unmap();
  return done(copy);
}

const SENTINEL_BYTES = 16;
const CHUNK = 32 * 2 ** 20;

/**
 * Copies buffers back, in chunks. Every chunk carries a word that was written for this very read, so that bytes left
 * over from an older epoch are never taken for a result.
 */
export async function readBack(
  job: Job,
  sources: readonly { readonly buffer: GPUBuffer; readonly bytes: number }[],
): Promise<Outcome<ArrayBuffer[]>> {
  const { device, epoch } = job.held;
  const largest = Math.min(CHUNK, Math.max(4, ...sources.map(({ bytes }) => Math.ceil(bytes / 4) * 4)));
  const staging = job.arena.buffer(largest + SENTINEL_BYTES, usage.mapRead | usage.copyDestination, "staging");
  const stamp = job.arena.buffer(SENTINEL_BYTES, usage.copySource | usage.copyDestination, "sentinel");
  const read: ArrayBuffer[] = [];
  let serial = 0;
  for (const { buffer, bytes } of sources) {
    const whole = new Uint8Array(bytes);
    for (let at = 0; at < bytes; at += largest) {
      const part = Math.min(largest, Math.ceil((bytes - at) / 4) * 4);
      const word = new Uint32Array([epoch, ++serial, 0x5e17 ^ serial, part]);
      device.queue.writeBuffer(stamp, 0, word);
      const encode = (encoder: GPUCommandEncoder) => {
        encoder.copyBufferToBuffer(buffer, at, staging, 0, part);
        encoder.copyBufferToBuffer(stamp, 0, staging, part, SENTINEL_BYTES);
      };
      const got = await readThrough(job, staging, encode, part + SENTINEL_BYTES);
      if (!got.ok) return got;
      const seen = new Uint32Array(got.value, part, 4);
      if (word.some((value, i) => seen[i] !== value)) return refusals.wentAway();
      whole.set(new Uint8Array(got.value, 0, Math.min(part, bytes - at)), at);
    }
    read.push(whole.buffer);
  }
  return done(read);
}
