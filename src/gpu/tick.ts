/** @file The smallest step of a clock, as observed: browsers round timestamps to 65,536 ns and `performance.now()` to 5 or 100 µs. */
import type { SessionEnv } from "./env";
import { done } from "./problem";
import { buildPipelines } from "./pipelines";
import type { Job } from "./queue";
import { createStamps } from "./stopwatch";
import type { Outcome } from "./types";

const ENOUGH = 12;
const ROUNDS = 6;

const divisor = (a: bigint, b: bigint): bigint => {
  let [x, y] = [a, b];
  while (y > 0n) [x, y] = [y, x % y];
  return x;
};

/** Greatest common divisor of the steps between distinct stamps; 0 while all are equal. */
export function stepOf(stamps: readonly bigint[]): number {
  const distinct = [...new Set(stamps)].toSorted((a, b) => (a < b ? -1 : 1));
  let step = 0n;
  for (let i = 1; i < distinct.length; i++) step = divisor(distinct[i]! - distinct[i - 1]!, step);
  return Number(step);
}

const spin = {
  id: "tick",
  name: "spin",
  bindings: [],
  wgsl: "@compute @workgroup_size(1)\nfn spin() {}\n",
};

/** Step of the timestamps, ns: stamps passes of growing length until a dozen distinct values are seen. */
export async function timestampTick(job: Job): Promise<Outcome<number>> {
  const built = await buildPipelines(job.held, [spin]);
  if (!built.ok) return built;
  const { pipeline, layout } = built.value.get(spin.wgsl)!;
  const group = job.held.device.createBindGroup({ layout, entries: [] });
  const stamps = createStamps(job);
  const seen = new Set<bigint>();
  for (let round = 0; round < ROUNDS && seen.size < ENOUGH; round++) {
    const pass = { dispatches: [{ pipeline, group, workgroups: [1, 1, 1] as const }], repeats: 1 + 60 * round };
    const got = await stamps.stamp(Array.from({ length: 16 }, () => pass));
    if (!got.ok) return got;
    for (const value of got.value) if (value > 0n) seen.add(value);
  }
  return done(stepOf([...seen]));
}

/** Step of the wall clock, ns: the smallest rise seen. */
export function wallTick(env: SessionEnv): number {
  let smallest = Infinity;
  const start = env.now();
  for (let i = 0, last = start; i < 200_000 && last - start < 2; i++) {
    const now = env.now();
    if (now > last) smallest = Math.min(smallest, now - last);
    last = now;
  }
  return Number.isFinite(smallest) ? Math.round(smallest * 1e6) : 0;
}
