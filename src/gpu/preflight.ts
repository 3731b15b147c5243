/** @file Everything that can be refused before the first GPU call is refused here, with the number and the limit. */
import type { BufferPlan, Plan } from "../fusion";
import { done, fail } from "./problem";
import type { DeviceInfo, Outcome, Roofs } from "./types";
import { paddedBytes } from "./flags";

/** Total bytes a run may take; above it the GPU process dies rather than report an error. */
export const MEMORY_BUDGET = 512 * 2 ** 20;
const MAX_ELEMENTS = 2 ** 31 - 1;
/** Longer kernels take seconds to build (5.5 s at 20,000 statements). */
const MAX_STATEMENTS = 4000;
// A dispatch can't be stopped. These rates are a slow, unfused matmul on two CPU cores, so the guess is on the high side.
const SOFTWARE_FLOPS = 5e8;
const SOFTWARE_BANDWIDTH = 1e9;
const GPU_FLOPS = 5e10;
const GPU_BANDWIDTH = 2e9;
const MAX_DISPATCH_SECONDS = 20;

const mib = (bytes: number): string => {
  const value = bytes / 2 ** 20;
  return `${value >= 100 ? Math.ceil(value).toLocaleString("en") : value.toPrecision(3)} MiB`;
};

const refuse = (text: string) => fail("refused", text);

/** Sizes of the buffers that plans run after one another need: inputs once, and a pool that the plans share. */
export interface MemoryNeed {
  readonly inputs: ReadonlyMap<string, number>;
  readonly pool: readonly number[];
  /** For each plan: the pool's buffer for each of its slots. */
  readonly poolIndices: readonly ReadonlyMap<number, number>[];
  readonly bytes: number;
}

/** Bytes by slot, for the slots that are no input's. */
function slotSizes(plan: Plan): Map<number, number> {
  const sizes = new Map<number, number>();
  for (const { role, slot, bytes } of plan.buffers) {
    if (role !== "input") sizes.set(slot, Math.max(sizes.get(slot) ?? 0, paddedBytes(bytes)));
  }
  return sizes;
}

/** Plans share a pool, slots by size; the first plan's outputs stay what they are until the others are compared with them. */
export function memoryNeed(plans: readonly Plan[]): MemoryNeed {
  const inputs = new Map<string, number>();
  const pool: number[] = [];
  const outputs = new Set<number>();
  const poolIndices = plans.map((plan, order) => {
    for (const { role, value, bytes } of plan.buffers) if (role === "input") inputs.set(value, paddedBytes(bytes));
    const free = [...pool.keys()].filter((rank) => !outputs.has(rank)).toSorted((a, b) => pool[b]! - pool[a]!);
    const slots = [...slotSizes(plan)].toSorted(([, a], [, b]) => b - a);
    const indexOf = new Map(slots.map(([slot], i) => [slot, free[i] ?? pool.push(0) - 1] as const));
    for (const [slot, size] of slots) pool[indexOf.get(slot)!] = Math.max(pool[indexOf.get(slot)!]!, size);
    if (order === 0) for (const { role, slot } of plan.buffers) if (role === "output") outputs.add(indexOf.get(slot)!);
    return indexOf;
  });
  let bytes = 0;
  for (const size of inputs.values()) bytes += size;
  for (const size of pool) bytes += size;
  return { inputs, pool, poolIndices, bytes };
}

/** A guess at the longest a single dispatch may take, s; on the high side. */
export function longestDispatchSeconds(plan: Plan, software: boolean): number {
  const [flops, bandwidth] = software ? [SOFTWARE_FLOPS, SOFTWARE_BANDWIDTH] : [GPU_FLOPS, GPU_BANDWIDTH];
  return plan.kernels.reduce((longest, kernel) => {
    const bytes = [...kernel.reads, ...kernel.writes].reduce((sum, access) => sum + access.bytes, 0);
    return Math.max(longest, kernel.flops / flops + bytes / bandwidth);
  }, 0);
}

/** Share of a device's roofs that a plan reaches at the worst, as a rule: unfused matmuls of arithmetic, strided copies of bandwidth. */
const WORST_SHARE = { flops: 0.05, bandwidth: 0.25 };

/** A guess at how long running `plans` once each takes, s; on the high side, less so where roofs are measured. */
export function runSeconds(plans: readonly Plan[], software: boolean, roofs: Roofs | null): number {
  const guess = software
    ? { flops: SOFTWARE_FLOPS, bandwidth: SOFTWARE_BANDWIDTH }
    : { flops: GPU_FLOPS, bandwidth: GPU_BANDWIDTH };
  const { flops, bandwidth } = roofs
    ? { flops: roofs.flops * WORST_SHARE.flops, bandwidth: roofs.bandwidth * WORST_SHARE.bandwidth }
    : guess;
  let seconds = 0;
  for (const { kernels, totals } of plans) {
    for (const kernel of kernels) seconds += kernel.flops / flops;
    seconds += totals.bytes / bandwidth;
  }
  return seconds;
}

function checkBuffer({ value, type, bytes }: BufferPlan, info: DeviceInfo): Outcome<null> {
  const elements = type.shape.reduce((product, extent) => product * extent, 1);
  const limit = Math.min(info.maxBufferBytes, info.maxBindingBytes);
  if (!(elements <= MAX_ELEMENTS))
    return refuse(`${value} has ${elements} elements; a kernel can index ${MAX_ELEMENTS} at most.`);
  if (paddedBytes(bytes) > limit)
    return refuse(
      `${value} takes ${mib(bytes)} (${bytes} bytes); this device binds at most ${mib(limit)} (${limit}). Choose a smaller size.`,
    );
  return done(null);
}

function checkKernel(kernel: Plan["kernels"][number], { target }: DeviceInfo): Outcome<null> {
  const { id, bindings, workgroups, workgroupSize, workgroupBytes, wgsl } = kernel;
  const threads = workgroupSize.reduce((product, extent) => product * extent, 1);
  const statements = wgsl.split(";").length - 1;
  const largest = Math.max(...workgroups);
  const stored = bindings.filter(({ access }) => access !== "uniform").length;
  if (stored > target.maxBindings)
    return refuse(`${id} binds ${stored} buffers; this device allows ${target.maxBindings}.`);
  if (!(largest <= target.maxWorkgroupsPerDimension))
    return refuse(
      `${id} launches ${largest} workgroups along one dimension; this device allows ${target.maxWorkgroupsPerDimension}.`,
    );
  if (threads > target.maxWorkgroupSize)
    return refuse(`${id} has ${threads} threads in a workgroup; this device allows ${target.maxWorkgroupSize}.`);
  if (workgroupBytes > target.maxWorkgroupBytes)
    return refuse(
      `${id} needs ${workgroupBytes} bytes of workgroup memory; this device has ${target.maxWorkgroupBytes}.`,
    );
  if (statements > MAX_STATEMENTS)
    return refuse(
      `${id} is ${statements} statements long; above ${MAX_STATEMENTS} the driver takes seconds to build it.`,
    );
  return done(null);
}

function checkLength(plan: Plan, info: DeviceInfo): Outcome<null> {
  const seconds = longestDispatchSeconds(plan, info.software);
  if (!info.software || seconds <= MAX_DISPATCH_SECONDS) return done(null);
  return refuse(
    `One kernel would take up to ${Math.ceil(seconds)} s on this software adapter, and a kernel that runs can't be stopped. Choose a smaller size.`,
  );
}

/** null when the plans may run after one another on this device. Refused otherwise, with bytes and limit. */
export function preflight(plans: readonly Plan[], info: DeviceInfo, budget = MEMORY_BUDGET): Outcome<null> {
  for (const plan of plans) {
    for (const buffer of plan.buffers) {
      const checked = checkBuffer(buffer, info);
      if (!checked.ok) return checked;
    }
    for (const kernel of plan.kernels) {
      const checked = checkKernel(kernel, info);
      if (!checked.ok) return checked;
    }
    const checked = checkLength(plan, info);
    if (!checked.ok) return checked;
  }
  const { bytes } = memoryNeed(plans);
  if (bytes > budget)
    return refuse(
      `This run needs ${mib(bytes)} of GPU memory; the page allows itself ${mib(budget)}. Choose a smaller size.`,
    );
  return done(null);
}
