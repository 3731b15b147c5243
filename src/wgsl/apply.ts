/** @file Plans with hand-written kernels instead of generated ones. */
import { withAccesses, type Accesses, type BufferPlan, type Kernel, type NodeId, type Plan } from "../fusion";
import type { Counted } from "./count";
import type { Prepared } from "./prepare";

/** By the kernel's index in the plan. */
type ByIndex<T> = ReadonlyMap<number, T>;

/** The plan with these kernels; its totals are those of what was counted, as far as it was. */
export function handPlan(plan: Plan, prepared: ByIndex<Prepared>, counted: ByIndex<Counted> = new Map()): Plan {
  const own = [...prepared.keys()].flatMap((i): (readonly [number, Accesses])[] => {
    const known = counted.get(i);
    return known?.ok ? [[i, known]] : [];
  });
  const { kernels, ...rest } = withAccesses(plan, new Map(own));
  return {
    ...rest,
    kernels: kernels.map((kernel, i): Kernel => {
      const made = prepared.get(i)?.kernel;
      return made ? { ...made, reads: kernel.reads, writes: kernel.writes } : kernel;
    }),
  };
}

/** A word that a kernel sets when a loop of it reaches its limit. */
export interface Flag {
  readonly value: NodeId;
  /** Index of the kernel in the plan. */
  readonly kernel: number;
}

/**
 * The plan as far as its last hand-written kernel, with limits that are told: its outputs are the flags alone.
 * Run it before anything else, first with `probe`: one workgroup of each such kernel meets most endless loops at once.
 */
export function watchedPlan(
  plan: Plan,
  prepared: ByIndex<Prepared>,
  probe = false,
): { readonly plan: Plan; readonly flags: readonly Flag[] } {
  const kernels: Kernel[] = [];
  const flags: Flag[] = [];
  const words: BufferPlan[] = [];
  const free = Math.max(-1, ...plan.buffers.map(({ slot }) => slot)) + 1;
  const last = Math.max(...prepared.keys());
  for (const [i, kernel] of plan.kernels.slice(0, last + 1).entries()) {
    const made = prepared.get(i);
    const watched = made?.watched;
    if (!watched) {
      kernels.push(made?.kernel ?? kernel);
      continue;
    }
    const value = `limit reached in ${kernel.id}` as NodeId;
    const type = { dtype: "i32", shape: [1] } as const;
    const binding = { binding: watched.flag, name: "limit_reached", value, access: "read_write", type } as const;
    const workgroups = probe ? ([1, 1, 1] as const) : watched.kernel.workgroups;
    kernels.push({ ...watched.kernel, workgroups, bindings: [...watched.kernel.bindings, binding] });
    words.push({
      value,
      type,
      bytes: 4,
      role: "output",
      slot: free + flags.length,
      firstKernel: i,
      lastKernel: last + 1,
    });
    flags.push({ value, kernel: i });
  }
  const buffers = plan.buffers.map((buffer): BufferPlan =>
    buffer.role === "output" ? { ...buffer, role: "temporary" } : buffer,
  );
  return { plan: { ...plan, kernels, buffers: [...buffers, ...words], aliases: [] }, flags };
}
