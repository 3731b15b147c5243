/** @file Buffers of a run: inputs once, one pool of slots for all plans (they run after one another), and the bind groups on them. */
import type { Kernel, NodeId, Plan } from "../fusion";
import type { Arena } from "./arena";
import { paddedBytes, usage } from "./flags";
import type { Built } from "./pipelines";
import { memoryNeed } from "./preflight";
import type { PlanName } from "./types";

/** One dispatch, ready to be encoded. */
export interface Dispatch {
  readonly pipeline: GPUComputePipeline;
  readonly group: GPUBindGroup;
  readonly workgroups: readonly [number, number, number];
}

export interface BoundKernel extends Dispatch {
  readonly kernel: Kernel;
}

/** A plan on its buffers. */
export interface BoundPlan {
  readonly name: PlanName;
  readonly plan: Plan;
  readonly kernels: readonly BoundKernel[];
  readonly buffers: ReadonlyMap<NodeId, GPUBuffer>;
  /** What has to lie in buffers before each run: inputs that results are written over. Inputs themselves stay what they are. */
  readonly starts: readonly Copy[];
}

export interface Copy {
  readonly from: GPUBuffer;
  readonly to: GPUBuffer;
  readonly bytes: number;
}

/** Copies into the buffers of results that are written over inputs. */
export const startsOf = ({ buffers }: Plan, bound: ReadonlyMap<NodeId, GPUBuffer>): Copy[] =>
  buffers.flatMap(({ value, begins, bytes }) =>
    begins === undefined
      ? []
      : [{ from: bound.get(begins)!, to: bound.get(value)!, bytes: paddedBytes(bytes) }].filter(
          ({ from, to }) => from !== to,
        ),
  );

export function copyAll(encoder: GPUCommandEncoder, copies: readonly Copy[]): void {
  for (const { from, to, bytes } of copies) encoder.copyBufferToBuffer(from, 0, to, 0, bytes);
}

const STORED = usage.storage | usage.copyDestination | usage.copySource;

export interface RunMemory {
  readonly inputs: ReadonlyMap<string, GPUBuffer>;
  readonly pool: readonly GPUBuffer[];
  readonly poolIndices: readonly ReadonlyMap<number, number>[];
}

/** Makes every buffer that `plans` need; they have passed preflight. Call inside error scopes. */
export function allocate(arena: Arena, plans: readonly Plan[]): RunMemory {
  const need = memoryNeed(plans);
  const inputs = new Map<string, GPUBuffer>();
  for (const [value, size] of need.inputs) inputs.set(value, arena.buffer(size, STORED | usage.uniform, value));
  const pool = need.pool.map((size, rank) => arena.buffer(size, STORED, `slot ${rank}`));
  return { inputs, pool, poolIndices: need.poolIndices };
}

/** Puts the plan of that order on the buffers. */
export function bind(
  device: GPUDevice,
  memory: RunMemory,
  name: PlanName,
  plan: Plan,
  order: number,
  pipelines: ReadonlyMap<string, Built>,
): BoundPlan {
  const poolIndices = memory.poolIndices[order]!;
  const buffers = new Map<NodeId, GPUBuffer>();
  const bytes = new Map<NodeId, number>();
  for (const { value, role, slot, bytes: size } of plan.buffers) {
    buffers.set(value, role === "input" ? memory.inputs.get(value)! : memory.pool[poolIndices.get(slot)!]!);
    bytes.set(value, paddedBytes(size));
  }
  const kernels = plan.kernels.map((kernel): BoundKernel => {
    const { pipeline, layout } = pipelines.get(kernel.wgsl)!;
    const entries = kernel.bindings.map(({ binding, value }) => ({
      binding,
      resource: { buffer: buffers.get(value)!, size: bytes.get(value)! },
    }));
    const group = device.createBindGroup({ label: kernel.id, layout, entries });
    return { kernel, pipeline, group, workgroups: kernel.workgroups };
  });
  return { name, plan, kernels, buffers, starts: startsOf(plan, buffers) };
}
