/** @file Time of compute passes: by timestamps where there are any, else by waiting for the queue. Both step; the step is observed, never assumed. */
import { usage } from "./flags";
import type { Dispatch } from "./memory";
import { done, fail } from "./problem";
import { dispatchAll, readThrough, submit } from "./queue";
import type { Job } from "./queue";
import type { Clock, Outcome } from "./types";

/** A pass to be timed: a list of dispatches, repeated. */
export interface TimedPass {
  readonly dispatches: readonly Dispatch[];
  readonly repeats: number;
}

export interface Stopwatch {
  readonly clock: Clock;
  /** Nanoseconds of each pass as a whole, in one submit; NaN where the clock showed nonsense (zero, or backwards). */
  time(passes: readonly TimedPass[]): Promise<Outcome<number[]>>;
}

export const PASSES_AT_ONCE = 64;

export async function createStopwatch(job: Job): Promise<Outcome<Stopwatch>> {
  return job.held.info.clock === "timestamp-query" ? done(byTimestamps(job)) : byQueue(job);
}

const believable = (nanos: number): number => (nanos > 0 ? nanos : Number.NaN);

/** Raw begin and end stamps of passes, ns. */
export interface Stamps {
  stamp(passes: readonly TimedPass[]): Promise<Outcome<BigUint64Array>>;
}

export function createStamps(job: Job): Stamps {
  const { device } = job.held;
  const bytes = PASSES_AT_ONCE * 16;
  const querySet = job.arena.timestamps(PASSES_AT_ONCE * 2);
  const resolved = job.arena.buffer(bytes, usage.queryResolve | usage.copySource, "timestamps");
  const staging = job.arena.buffer(bytes, usage.mapRead | usage.copyDestination, "timestamps read");
  return {
    async stamp(passes) {
      const encode = (encoder: GPUCommandEncoder) => {
        passes.forEach(({ dispatches, repeats }, i) => {
          const timestampWrites = { querySet, beginningOfPassWriteIndex: 2 * i, endOfPassWriteIndex: 2 * i + 1 };
          const pass = encoder.beginComputePass({ timestampWrites });
          dispatchAll(pass, dispatches, repeats);
          pass.end();
        });
        encoder.resolveQuerySet(querySet, 0, passes.length * 2, resolved, 0);
        encoder.copyBufferToBuffer(resolved, 0, staging, 0, passes.length * 16);
      };
      device.pushErrorScope("validation");
      const read = readThrough(job, staging, encode, passes.length * 16);
      const popped = device.popErrorScope().catch(() => null);
      const got = await read; // first: only this wait has an end when the device hangs
      if (!got.ok) return got;
      const error = await popped;
      return error
        ? fail("invalid", `The GPU refused a timed pass. ${error.message}`)
        : done(new BigUint64Array(got.value));
    },
  };
}

function byTimestamps(job: Job): Stopwatch {
  const stamps = createStamps(job);
  return {
    clock: "timestamp-query",
    async time(passes) {
      const got = await stamps.stamp(passes);
      if (!got.ok) return got;
      return done(passes.map((_, i) => believable(Number(got.value[2 * i + 1]! - got.value[2 * i]!))));
    },
  };
}

/** Wall time from submit to the queue's answer, less what an empty pass takes. */
async function byQueue(job: Job): Promise<Outcome<Stopwatch>> {
  const { device } = job.held;
  const wall = async ({ dispatches, repeats }: TimedPass): Promise<Outcome<number>> => {
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    dispatchAll(pass, dispatches, repeats);
    pass.end();
    const commands = encoder.finish();
    const begin = job.env.now();
    const finished = await submit(job, [commands]);
    return finished.ok ? done((job.env.now() - begin) * 1e6) : finished;
  };
  const empty: number[] = [];
  for (let i = 0; i < 9; i++) {
    const nanos = await wall({ dispatches: [], repeats: 0 });
    if (!nanos.ok) return nanos;
    empty.push(nanos.value);
  }
  const baseline = median(empty);
  return done({
    clock: "queue-wait",
    async time(passes) {
      const nanos: number[] = [];
      for (const each of passes) {
        const took = await wall(each);
        if (!took.ok) return took;
        nanos.push(believable(took.value - baseline));
      }
      return done(nanos);
    },
  });
}

/** The middle of the numbers that are numbers; NaN when there are none. */
export function median(values: readonly number[]): number {
  const sorted = values.filter((value) => !Number.isNaN(value)).toSorted((a, b) => a - b);
  if (sorted.length === 0) return Number.NaN;
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
