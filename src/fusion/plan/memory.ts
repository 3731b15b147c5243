/** @file Which values share a buffer. A slot is a whole buffer: nothing is bound for reading and writing in one dispatch. */
import { extended, type BufferPlan } from "../ir";

/** A value that needs memory, without its slot. */
export type Tenant = Omit<BufferPlan, "slot">;

export interface MemoryPlan {
  readonly buffers: readonly BufferPlan[];
  /** Sum of all slots. */
  readonly plannedBytes: number;
  /** Largest live set: no plan for this order can do with less. */
  readonly lowerBoundBytes: number;
}

interface Slot {
  readonly number: number;
  readonly bytes: number;
  /** Taken intervals, by first kernel. */
  readonly taken: { first: number; last: number }[];
}

/**
 * Inputs and outputs own their buffers; temporaries share, largest first, each in the smallest slot that is free
 * while it lives. A value lives from the kernel that writes it to the last one that reads it, both included, so a
 * kernel's inputs and outputs never share.
 */
export function planMemory(tenants: readonly Tenant[], kernels: number): MemoryPlan {
  const slots: Slot[] = [];
  const slotOf = new Map<Tenant, number>();
  let owned = 0;
  let number = 0;
  for (const tenant of tenants) {
    if (tenant.role === "temporary") continue;
    slotOf.set(tenant, number++);
    owned += tenant.bytes;
  }
  const temporaries = tenants
    .filter(({ role }) => role === "temporary")
    .toSorted((a, b) => b.bytes - a.bytes || a.firstKernel - b.firstKernel);
  for (const tenant of temporaries) {
    // Slots were opened in falling size, so the last free one is the smallest that fits.
    let slot = slots.findLast(({ taken }) => isFree(taken, tenant));
    if (!slot) {
      slot = { number: number++, bytes: tenant.bytes, taken: [] };
      slots.push(slot);
    }
    take(slot.taken, tenant);
    slotOf.set(tenant, slot.number);
  }
  return {
    buffers: tenants.map((tenant) => extended(tenant, { slot: slotOf.get(tenant)! })),
    plannedBytes: owned + slots.reduce((sum, { bytes }) => sum + bytes, 0),
    lowerBoundBytes: liveSets(tenants, kernels).reduce((most, bytes) => Math.max(most, bytes), 0),
  };
}

/** First taken interval that starts after `at`. */
function after(taken: Slot["taken"], at: number): number {
  let [low, high] = [0, taken.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (taken[middle]!.first <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

function isFree(taken: Slot["taken"], { firstKernel, lastKernel }: Tenant): boolean {
  const next = after(taken, firstKernel);
  const [before, following] = [taken[next - 1], taken[next]];
  return (!before || before.last < firstKernel) && (!following || following.first > lastKernel);
}

function take(taken: Slot["taken"], { firstKernel, lastKernel }: Tenant): void {
  taken.splice(after(taken, firstKernel), 0, { first: firstKernel, last: lastKernel });
}

/** Bytes alive before the first kernel, with each kernel, and after the last one. */
function liveSets(tenants: readonly Tenant[], kernels: number): Float64Array {
  const live = new Float64Array(kernels + 3);
  for (const { bytes, firstKernel, lastKernel } of tenants) {
    live[firstKernel + 1]! += bytes;
    live[lastKernel + 2]! -= bytes;
  }
  for (let at = 1; at < live.length; at++) live[at]! += live[at - 1]!;
  return live.subarray(0, kernels + 2);
}

/** The kernels of a plan that a value is alive with, first and last. An input is there throughout: whoever runs the plan holds it. */
export const aliveIn = ({ role, firstKernel, lastKernel }: Tenant, kernels: number): readonly [number, number] =>
  role === "input" ? [0, kernels - 1] : [Math.max(0, firstKernel), Math.min(kernels - 1, lastKernel)];

/** Bytes alive while each kernel of a plan runs, in its order. */
export function liveBytes(buffers: readonly Tenant[], kernels: number): readonly number[] {
  const held = buffers.map((tenant): Tenant => {
    const [firstKernel, lastKernel] = aliveIn(tenant, kernels);
    return { ...tenant, firstKernel, lastKernel };
  });
  return [...liveSets(held, kernels).subarray(1, kernels + 1)];
}

/** Most bytes alive with one kernel of a plan; 0 for a plan without kernels. */
export const peakOf = (buffers: readonly Tenant[], kernels: number): number =>
  liveBytes(buffers, kernels).reduce((most, bytes) => Math.max(most, bytes), 0);
