/** @file Which values share a buffer. A slot is a whole buffer: nothing is bound for reading and writing in one dispatch. */
import type { BufferPlan } from "../ir";

/** A value that needs a place, without its slot. */
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
  const temporaries = tenants.filter(({ role }) => role === "temporary").toSorted((a, b) => b.bytes - a.bytes || a.firstKernel - b.firstKernel); // prettier-ignore
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
    buffers: tenants.map((tenant) => ({ ...tenant, slot: slotOf.get(tenant)! })),
    plannedBytes: owned + slots.reduce((sum, { bytes }) => sum + bytes, 0),
    lowerBoundBytes: largestLiveSet(tenants, kernels),
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

function largestLiveSet(tenants: readonly Tenant[], kernels: number): number {
  const change = new Float64Array(kernels + 3);
  for (const { bytes, firstKernel, lastKernel } of tenants) {
    change[firstKernel + 1]! += bytes;
    change[lastKernel + 2]! -= bytes;
  }
  let [live, most] = [0, 0];
  for (const step of change) {
    live += step;
    most = Math.max(most, live);
  }
  return most;
}
