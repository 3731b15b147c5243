/** @file How many multiprocessors a device has, counted: workgroups that keep one busy take turns as soon as there are more of them. */
import { usage } from "./flags";
import { buildPipelines } from "./pipelines";
import { done } from "./problem";
import type { Job } from "./queue";
import { createStamps } from "./stopwatch";
import type { TimedPass } from "./stopwatch";
import type { Outcome } from "./types";

/** Multiply-adds of each chain: some 70 µs, and longer where the clock's step is coarse. */
const STEPS = { fine: 8192, coarse: 262_144 };
const COARSE_NANOS = 1000;
const THREADS = 512;
/** More multiprocessors than any device has. */
const MAX_WORKGROUPS = 1024;
/** Time of many workgroups over that of one, above which some of them have taken turns. */
const TURN = 1.5;

const sourceOf = (
  threads: number,
  steps: number,
): string => `@group(0) @binding(0) var<storage, read_write> sink: array<f32, 64>;

@compute @workgroup_size(${threads})
fn busy(@builtin(local_invocation_index) i: u32) {
  var a = f32(i);
  var b = a + 1.0;
  var c = a + 2.0;
  var d = a + 3.0;
  for (var step = 0u; step < ${steps}u; step++) {
    a = fma(a, 0.5, 1.0);
    b = fma(b, 0.5, 1.0);
    c = fma(c, 0.5, 1.0);
    d = fma(d, 0.5, 1.0);
  }
  sink[i % 64u] = a + b + c + d;
}
`;

/** Multiprocessors of a GPU whose clock is timestamps; null where the clock does not tell. Some ten milliseconds, or a hundred by a coarse clock. */
export async function countMultiprocessors(job: Job): Promise<Outcome<number | null>> {
  const { device, info } = job.held;
  const steps = info.tickNanos > COARSE_NANOS ? STEPS.coarse : STEPS.fine;
  const wgsl = sourceOf(Math.min(THREADS, info.target.maxWorkgroupSize), steps);
  const bindings = [{ binding: 0, access: "read_write" }] as const;
  const built = await buildPipelines(job.held, [{ id: "multiprocessors", name: "busy", bindings, wgsl }]);
  if (!built.ok) return built;
  const { pipeline, layout } = built.value.get(wgsl)!;
  const buffer = job.arena.buffer(256, usage.storage, "multiprocessors");
  const group = device.createBindGroup({ layout, entries: [{ binding: 0, resource: { buffer } }] });
  const stamps = createStamps(job);
  const passOf = (workgroups: number): TimedPass => ({
    dispatches: [{ pipeline, group, workgroups: [workgroups, 1, 1] }],
    repeats: 1,
  });
  /** One and many stand side by side in a submit, so that both meet the same clock rate. */
  const roundsOf = async (workgroups: number): Promise<Outcome<number>> => {
    const got = await stamps.stamp([1, workgroups, 1, workgroups, 1, workgroups].map(passOf));
    if (!got.ok) return got;
    const nanos = (i: number): number => Number(got.value[2 * i + 1]! - got.value[2 * i]!);
    const least = (first: number): number => Math.min(nanos(first), nanos(first + 2), nanos(first + 4));
    return done(least(1) / least(0));
  };
  let [fits, many] = [1, MAX_WORKGROUPS];
  const last = await roundsOf(many);
  if (!last.ok) return last;
  if (!(last.value > TURN)) return done(null);
  while (many - fits > 1) {
    const middle = Math.floor((fits + many) / 2);
    const rounds = await roundsOf(middle);
    if (!rounds.ok) return rounds;
    if (rounds.value > TURN) many = middle;
    else fits = middle;
  }
  return done(fits > 1 ? fits : null);
}
