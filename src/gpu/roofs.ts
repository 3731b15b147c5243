/** @file The roofs of this very device: what a copy moves, what fused multiply-adds reach, what one more dispatch costs. */
import type { Plan } from "../fusion";
import { usage, paddedBytes } from "./flags";
import type { Dispatch } from "./memory";
import { buildPipelines } from "./pipelines";
import type { KernelSource } from "./pipelines";
import { done } from "./problem";
import type { Job } from "./queue";
import { calibrate, subject, timeOnce } from "./rounds";
import { scoped } from "./scopes";
import { createStopwatch, median } from "./stopwatch";
import type { Stopwatch } from "./stopwatch";
import type { BenchResult, Outcome, PlanName, Roofs } from "./types";

const WORKGROUP = 256;
const PASS_NANOS = 6.6e6;
const ROUNDS = 7;
/** Workgroups in x; the rest goes to y, since a dimension holds at most 65,535. */
const GRID_X = 32768;
/** Each copied once: 256 MiB in all is more than four times a common L2. A CPU needs less to be out of cache. */
const COPY_BYTES = { gpu: 128 * 2 ** 20, cpu: 16 * 2 ** 20 };
const FMA = { chains: 8, unrolled: 8, iterations: { gpu: 128, cpu: 16 }, workgroups: { gpu: 8192, cpu: 64 } };

const bindings = [
  { binding: 0, access: "read" },
  { binding: 1, access: "read_write" },
] as const;

function copyKernel(vectors: number): KernelSource {
  const rows = Math.min(GRID_X, Math.ceil(vectors / WORKGROUP)) * WORKGROUP;
  const wgsl = `@group(0) @binding(0) var<storage, read> source: array<vec4<f32>, ${vectors}>;
@group(0) @binding(1) var<storage, read_write> target_: array<vec4<f32>, ${vectors}>;

@compute @workgroup_size(${WORKGROUP})
fn copy(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = id.y * ${rows}u + id.x;
  if (i < ${vectors}u) {
    target_[i] = source[i];
  }
}
`;
  return { id: "copy roof", name: "copy", wgsl, bindings };
}

/** Independent chains of vec4 multiply-adds, long enough that loads and stores do not show. */
function fmaKernel(threads: number, iterations: number): KernelSource {
  const chains = Array.from({ length: FMA.chains }, (_, i) => `a${i}`);
  const step = chains.map((a) => `    ${a} = fma(${a}, m, c);`).join("\n");
  const wgsl = `@group(0) @binding(0) var<storage, read> source: array<vec4<f32>, ${threads}>;
@group(0) @binding(1) var<storage, read_write> target_: array<vec4<f32>, ${threads}>;

@compute @workgroup_size(${WORKGROUP})
fn multiply_add(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = id.x % ${threads}u;
  let x = source[i];
  let m = x * 1e-3 + 0.999;
  let c = x * 1e-4;
${chains.map((a, i) => `  var ${a} = x + ${i}.0;`).join("\n")}
  for (var turn = 0u; turn < ${iterations}u; turn++) {
${Array.from({ length: FMA.unrolled }, () => step).join("\n")}
  }
  target_[i] = ${chains.join(" + ")};
}
`;
  return { id: "multiply-add roof", name: "multiply_add", wgsl, bindings };
}

const tiny: KernelSource = {
  id: "launch roof",
  name: "tiny",
  bindings,
  wgsl: `@group(0) @binding(0) var<storage, read> source: array<vec4<f32>, 4>;
@group(0) @binding(1) var<storage, read_write> target_: array<vec4<f32>, 4>;

@compute @workgroup_size(1)
fn tiny() {
  target_[0] = source[0];
}
`,
};

/** The quickest pass of multiply-adds on a device so far, ns: what its clocks reach. */
const quickest = new WeakMap<GPUDevice, number>();
const PROBE = { workgroups: 1024, repeats: 24, close: 0.02, first: 50, again: 3 };

/**
 * Keeps a GPU busy until its clocks are where they have been, or, the first time, until they rise no more; `mostMillis` at most. Clocks fall
 * within a second in which nothing runs, and short kernels alone take longer to raise them.
 */
export async function riseClocks(job: Job, watch: Stopwatch, mostMillis: number): Promise<Outcome<null>> {
  const { device, info } = job.held;
  if (info.software) return done(null);
  const threads = PROBE.workgroups * WORKGROUP;
  const kernel = fmaKernel(threads, FMA.iterations.gpu);
  const built = await buildPipelines(job.held, [kernel]);
  if (!built.ok) return built;
  const prepared = await scoped(device, () => {
    const { pipeline, layout } = built.value.get(kernel.wgsl)!;
    const buffers = [0, 1].map(() => job.arena.buffer(paddedBytes(threads * 16), usage.storage, "clock"));
    const entries = buffers.map((buffer, binding) => ({ binding, resource: { buffer } }));
    return { pipeline, group: device.createBindGroup({ layout, entries }) };
  });
  if (!prepared.ok) return prepared;
  const pass = {
    dispatches: [{ ...prepared.value, workgroups: [PROBE.workgroups, 1, 1] as const }],
    repeats: PROBE.repeats,
  };
  const begin = job.env.now();
  const known = quickest.get(device);
  let [best, alike] = [known ?? Infinity, 0];
  while (alike < (known === undefined ? PROBE.first : PROBE.again) && job.env.now() - begin < mostMillis) {
    const times = await watch.time([pass]);
    if (!times.ok) return times;
    const [nanos] = times.value as [number];
    // Slower than it has been, or clearly quicker than a moment ago: clocks are on their way.
    const isAlike = Math.abs(nanos - best) <= PROBE.close * best;
    alike = isAlike ? alike + 1 : 0;
    if (nanos < best && !isAlike) best = nanos;
  }
  if (best < Infinity) quickest.set(device, best);
  return done(null);
}

/** Median time of one repeat, ns. */
async function nanosOf(watch: Stopwatch, dispatch: Dispatch, targetNanos: number): Promise<Outcome<number>> {
  const each = subject("naive", null, [dispatch]);
  const calibrated = await calibrate(watch, each, targetNanos);
  if (!calibrated.ok) return calibrated;
  const samples: number[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    const nanos = await timeOnce(watch, each);
    if (!nanos.ok) return nanos;
    samples.push(nanos.value);
  }
  return done(median(samples));
}

/** What one more tiny dispatch in a pass takes, ns: the slope between two counts, so that the pass itself drops out. */
async function slopeOf(
  watch: Stopwatch,
  dispatch: Dispatch,
  counts: readonly [number, number],
): Promise<Outcome<number>> {
  const slopes: number[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    const times = await watch.time(counts.map((repeats) => ({ dispatches: [dispatch], repeats })));
    if (!times.ok) return times;
    slopes.push((times.value[1]! - times.value[0]!) / (counts[1] - counts[0]));
  }
  return done(Math.max(0, median(slopes)));
}

/** Takes under a second on a GPU and about one on a CPU. */
export async function findRoofs(job: Job): Promise<Outcome<Roofs>> {
  const { device, info } = job.held;
  const kind = info.software ? "cpu" : "gpu";
  const limit = Math.min(info.maxBindingBytes, info.maxBufferBytes);
  const vectors = Math.floor(Math.min(COPY_BYTES[kind], limit) / 16);
  const threads = FMA.workgroups[kind] * WORKGROUP;
  const iterations = FMA.iterations[kind];
  const kernels = [copyKernel(vectors), fmaKernel(threads, iterations), tiny];
  const built = await buildPipelines(job.held, kernels);
  if (!built.ok) return built;
  const prepared = await scoped(device, () => {
    const size = paddedBytes(vectors * 16);
    const [source, target] = [0, 1].map(() => job.arena.buffer(size, usage.storage | usage.copyDestination, "roof"));
    // Memory that was never written may be compressed away: some noise goes there once and is copied on the device.
    const noise = Float32Array.from({ length: 2 ** 20 }, (_, i) => ((i * 2654435761) % 2 ** 20) / 2 ** 20);
    const some = job.arena.buffer(noise.byteLength, usage.copySource | usage.copyDestination, "roof");
    device.queue.writeBuffer(some, 0, noise);
    const encoder = device.createCommandEncoder();
    for (const buffer of [source!, target!])
      for (let at = 0; at < size; at += noise.byteLength)
        encoder.copyBufferToBuffer(some, 0, buffer, at, Math.min(noise.byteLength, size - at));
    device.queue.submit([encoder.finish()]);
    return kernels.map(({ wgsl }) => {
      const { pipeline, layout } = built.value.get(wgsl)!;
      const entries = [source!, target!].map((buffer, binding) => ({ binding, resource: { buffer } }));
      return { pipeline, group: device.createBindGroup({ layout, entries }) };
    });
  });
  if (!prepared.ok) return prepared;
  const [copy, fma, launch] = prepared.value;
  const watch = await createStopwatch(job);
  if (!watch.ok) return watch;
  const groups = Math.ceil(vectors / WORKGROUP);
  const grid = [Math.min(GRID_X, groups), Math.ceil(groups / GRID_X), 1] as const;
  const target = Math.max(PASS_NANOS, 100 * info.tickNanos);
  const copied = await nanosOf(watch.value, { ...copy!, workgroups: grid }, target);
  if (!copied.ok) return copied;
  const multiplied = await nanosOf(watch.value, { ...fma!, workgroups: [FMA.workgroups[kind], 1, 1] }, target);
  if (!multiplied.ok) return multiplied;
  const slope = await slopeOf(
    watch.value,
    { ...launch!, workgroups: [1, 1, 1] },
    info.software ? [50, 250] : [500, 3500],
  );
  if (!slope.ok) return slope;
  const operations = threads * iterations * FMA.chains * FMA.unrolled * 4 * 2;
  return done({
    bandwidth: (2 * vectors * 16 * 1e9) / copied.value,
    flops: (operations * 1e9) / multiplied.value,
    launchMicros: slope.value / 1000,
  });
}

/** Roofs are what a device can reach: the higher of two measurements counts. A launch is taken from the newer one. */
export const higherOf = (known: Roofs, newer: Roofs): Roofs => ({
  bandwidth: Math.max(known.bandwidth, newer.bandwidth),
  flops: Math.max(known.flops, newer.flops),
  launchMicros: newer.launchMicros,
});

/** Whether a plan, as it was timed, was faster than the roof above it. */
export const beatsRoofs = (
  plans: readonly (readonly [PlanName, Plan])[],
  { timings }: Pick<BenchResult, "timings">,
  roofs: Roofs,
): boolean =>
  plans.some(([name, { kernels, totals }]) => {
    const timed = timings.find(({ plan, kernel }) => plan === name && kernel === null);
    if (!timed || timed.nanoseconds.length === 0) return false;
    const flops = kernels.reduce((sum, kernel) => sum + kernel.flops, 0);
    const leastSeconds = Math.max(totals.bytes / roofs.bandwidth, flops / roofs.flops);
    return median(timed.nanoseconds) < leastSeconds * 1e9;
  });
