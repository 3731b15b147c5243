/** @file Two tensors on the device compared in full, by a reduction that reads each element once; only a summary comes back. */
import type { DType, NodeId } from "../fusion";
import { paddedBytes, usage } from "./flags";
import type { Built, KernelSource } from "./pipelines";
import { done } from "./problem";
import { dispatchAll, readBack } from "./queue";
import type { Job } from "./queue";
import type { ComparedInFull, Outcome } from "./types";

/** What is compared: a stored tensor of the naive plan with the same one of another plan. */
export interface Pair {
  readonly plan: ComparedInFull["plan"];
  /** The naive plan's name for it. */
  readonly output: NodeId;
  readonly dtype: DType;
  readonly elements: number;
  readonly bytes: number;
  /** |other − naive| may be atol + rtol · |naive|. */
  readonly atol: number;
  /** What of `atol` is meant for values of size 1. */
  readonly ofSize: number;
  readonly rtol: number;
  readonly naive: GPUBuffer;
  readonly other: GPUBuffer;
}

const WORKGROUP = 64;
const WORKGROUPS = 256;
/**
 * Words that a thread writes: largest difference, its index and both values there (of an element that is NaN or infinite on
 * one side where it met one), largest |naive|, beyond, NaN, infinite.
 */
const WORDS = 8;
/** Elements told of, of those that are farthest apart: each from another thread. */
const MAX_LISTED = 4;
/** Bins of distance in f32 steps (0, 1, 2–3, 4–7 …), then near zero, then NaN on one side. */
const BINS = 33;
const NEAR_ZERO = BINS;
const NAN = BINS + 1;

const READ: Record<DType, string> = {
  f32: "return NAME[i];",
  f16: "return bitcast<u32>(unpack2x16float(NAME[i / 2u])[i % 2u]);",
  i32: "return NAME[i];",
  bool: "return NAME[i];",
};

const isFloat = (dtype: DType): boolean => dtype === "f32" || dtype === "f16";

/** Steps between two values, and whether one is a NaN or infinite: by their bits, since compilers may assume neither. */
const FLOATS = `fn order_of(bits: u32) -> i32 {
  let raw = bitcast<i32>(bits);
  return select(raw, -2147483647 - 1 - raw, raw < 0);
}
fn is_nan(bits: u32) -> bool {
  return (bits & 0x7fffffffu) > 0x7f800000u;
}
fn is_infinite(bits: u32) -> bool {
  return (bits & 0x7fffffffu) == 0x7f800000u;
}
fn number(bits: u32) -> f32 {
  return bitcast<f32>(bits);
}`;

const WHOLES = `fn order_of(bits: u32) -> i32 {
  return bitcast<i32>(bits);
}
fn is_nan(bits: u32) -> bool {
  return false;
}
fn is_infinite(bits: u32) -> bool {
  return false;
}
fn number(bits: u32) -> f32 {
  return f32(bitcast<i32>(bits));
}`;

function wgslFor(dtype: DType): string {
  const read = (name: string) => `fn ${name}_at(i: u32) -> u32 {\n  ${READ[dtype].replace("NAME", name)}\n}`;
  return `struct Limits {
  elements: u32,
  atol: f32,
  rtol: f32,
}
@group(0) @binding(0) var<storage, read> naive: array<u32>;
@group(0) @binding(1) var<storage, read> other: array<u32>;
@group(0) @binding(2) var<storage, read_write> parts: array<u32>;
@group(0) @binding(3) var<storage, read_write> bins: array<atomic<u32>, ${BINS + 2}>;
@group(0) @binding(4) var<uniform> limits: Limits;

var<private> held: array<u32, ${BINS + 2}>;

${read("naive")}
${read("other")}
${isFloat(dtype) ? FLOATS : WHOLES}

@compute @workgroup_size(${WORKGROUP})
fn compare(@builtin(global_invocation_id) id: vec3u) {
  var worst = 0.0;
  var worst_at = 0u;
  var worst_naive = 0u;
  var worst_other = 0u;
  var scale = 0.0;
  var beyond = 0u;
  var nans = 0u;
  var infinities = 0u;
  for (var i = id.x; i < limits.elements; i += ${WORKGROUP * WORKGROUPS}u) {
    let a = naive_at(i);
    let b = other_at(i);
    let nan = is_nan(a) || is_nan(b);
    let infinite = is_infinite(a) || is_infinite(b);
    let size = abs(number(a));
    if (!nan && !is_infinite(a)) {
      scale = max(scale, size);
    }
    let steps = bitcast<u32>(max(order_of(a), order_of(b))) - bitcast<u32>(min(order_of(a), order_of(b)));
    let same = steps == 0u || (is_nan(a) && is_nan(b));
    if (same) {
      held[0] += 1u;
    } else if (nan) {
      nans += 1u;
      beyond += 1u;
      worst_at = i;
      worst_naive = a;
      worst_other = b;
      held[${NAN}] += 1u;
    } else if (infinite) {
      infinities += 1u;
      beyond += 1u;
      worst_at = i;
      worst_naive = a;
      worst_other = b;
      held[32u - countLeadingZeros(steps)] += 1u;
    } else {
      let apart = abs(number(b) - number(a));
      if (apart > worst) {
        worst = apart;
        if (nans + infinities == 0u) {
          worst_at = i;
          worst_naive = a;
          worst_other = b;
        }
      }
      beyond += select(0u, 1u, apart > limits.atol + limits.rtol * size);
      held[select(32u - countLeadingZeros(steps), ${NEAR_ZERO}u, size <= limits.atol)] += 1u;
    }
  }
  let at = id.x * ${WORDS}u;
  parts[at] = bitcast<u32>(worst);
  parts[at + 1u] = worst_at;
  parts[at + 2u] = worst_naive;
  parts[at + 3u] = worst_other;
  parts[at + 4u] = bitcast<u32>(scale);
  parts[at + 5u] = beyond;
  parts[at + 6u] = nans;
  parts[at + 7u] = infinities;
  for (var bin = 0u; bin < ${BINS + 2}u; bin++) {
    if (held[bin] > 0u) {
      atomicAdd(&bins[bin], held[bin]);
    }
  }
}
`;
}

/** The kernel that compares tensors of `dtype`. */
export const compareKernel = (dtype: DType): KernelSource => ({
  id: `compare ${dtype}`,
  name: "compare",
  wgsl: wgslFor(dtype),
  bindings: [
    { binding: 0, access: "read" },
    { binding: 1, access: "read" },
    { binding: 2, access: "read_write" },
    { binding: 3, access: "read_write" },
    { binding: 4, access: "uniform" },
  ],
});

/** Compares every pair, one after the other; the tensors are as the last dispatch left them. */
export async function compareInFull(
  job: Job,
  pairs: readonly Pair[],
  pipelines: ReadonlyMap<string, Built>,
): Promise<Outcome<ComparedInFull[]>> {
  const { device } = job.held;
  const summaries: { buffer: GPUBuffer; bytes: number }[] = [];
  const encoder = device.createCommandEncoder();
  for (const { dtype, elements, bytes, atol, rtol, naive, other } of pairs) {
    const { pipeline, layout } = pipelines.get(compareKernel(dtype).wgsl)!;
    const partBytes = WORKGROUPS * WORKGROUP * WORDS * 4;
    const parts = job.arena.buffer(partBytes, usage.storage | usage.copySource, "compare parts");
    const bins = job.arena.buffer(paddedBytes((BINS + 2) * 4), usage.storage | usage.copySource, "compare bins");
    const limits = job.arena.buffer(16, usage.uniform | usage.copyDestination, "compare limits");
    const words = new DataView(new ArrayBuffer(16));
    words.setUint32(0, elements, true);
    words.setFloat32(4, atol, true);
    words.setFloat32(8, rtol, true);
    device.queue.writeBuffer(limits, 0, words.buffer);
    const size = paddedBytes(bytes);
    const resources = [
      { buffer: naive, size },
      { buffer: other, size },
      ...[parts, bins, limits].map((buffer) => ({ buffer })),
    ];
    const entries = resources.map((resource, binding) => ({ binding, resource }));
    const pass = encoder.beginComputePass();
    dispatchAll(pass, [
      { pipeline, group: device.createBindGroup({ layout, entries }), workgroups: [WORKGROUPS, 1, 1] },
    ]);
    pass.end();
    summaries.push({ buffer: parts, bytes: partBytes }, { buffer: bins, bytes: (BINS + 2) * 4 });
  }
  device.queue.submit([encoder.finish()]);
  const read = await readBack(job, summaries);
  if (!read.ok) return read;
  return done(pairs.map((pair, i) => summed(pair, read.value[2 * i]!, read.value[2 * i + 1]!)));
}

function summed(
  { plan, output, dtype, elements, atol, ofSize, rtol }: Pair,
  parts: ArrayBuffer,
  bins: ArrayBuffer,
): ComparedInFull {
  const [words, floats, wholes] = [new Uint32Array(parts), new Float32Array(parts), new Int32Array(parts)];
  const counts = [...new Uint32Array(bins)];
  const values = isFloat(dtype) ? floats : wholes;
  const apart: { readonly distance: number; readonly at: number; readonly naive: number; readonly other: number }[] =
    [];
  let [maxAbs, scale, beyond, nan, infinite] = [0, 0, 0, 0, 0];
  for (let at = 0; at < words.length; at += WORDS) {
    const distance = words[at + 6]! + words[at + 7]! > 0 ? Infinity : floats[at]!;
    if (distance > 0) apart.push({ distance, at: words[at + 1]!, naive: values[at + 2]!, other: values[at + 3]! });
    maxAbs = Math.max(maxAbs, floats[at]!);
    scale = Math.max(scale, floats[at + 4]!);
    beyond += words[at + 5]!;
    nan += words[at + 6]!;
    infinite += words[at + 7]!;
  }
  const distances = counts.slice(0, BINS);
  const last = distances.findLastIndex((held) => held > 0);
  const ulps = { bins: distances.slice(0, last + 1), nearZero: counts[NEAR_ZERO]!, nan: counts[NAN]! };
  const sorted = apart.sort((a, b) => (a.distance === b.distance ? a.at - b.at : b.distance - a.distance));
  const farthest = sorted.slice(0, MAX_LISTED).map(({ at, naive, other }) => ({ at, naive, other }));
  return { plan, output, elements, maxAbs, scale, farthest, beyond, nan, infinite, atol, ofSize, rtol, ulps };
}
