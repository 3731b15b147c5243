/** @file Chosen elements of values, gathered while a plan runs: memory that a later kernel writes over is read in time. */
import { paddedBytes, usage } from "./flags";
import type { BoundPlan, Dispatch } from "./memory";
import type { Built, KernelSource } from "./pipelines";
import { done } from "./problem";
import { readBack } from "./queue";
import type { Job } from "./queue";
import type { Outcome, Tap, Tapped } from "./types";

const WORKGROUP = 64;
/** Bindings begin at multiples of this. */
const ALIGNED = 256;

export const gatherKernel: KernelSource = {
  id: "gather",
  name: "gather",
  wgsl: `@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(0) @binding(1) var<storage, read> indices: array<u32>;
@group(0) @binding(2) var<storage, read_write> found: array<u32>;

@compute @workgroup_size(${WORKGROUP})
fn gather(@builtin(global_invocation_id) id: vec3u) {
  if (id.x < arrayLength(&indices)) {
    found[id.x] = source[indices[id.x]];
  }
}
`,
  bindings: [
    { binding: 0, access: "read" },
    { binding: 1, access: "read" },
    { binding: 2, access: "read_write" },
  ],
};

/** A plan's taps on the device: dispatches before and after its kernels, and where their elements end up. */
export interface BoundTaps {
  before(kernel: number): readonly Dispatch[];
  after(kernel: number): readonly Dispatch[];
  /** Waits for the run. Elements as they are stored; f16 as f32. */
  read(): Promise<Outcome<Tapped[]>>;
}

/** Call inside error scopes. Indices must be in range; a value without a buffer in this plan is left out. */
export function bindTaps(
  job: Job,
  bound: BoundPlan,
  taps: readonly Tap[],
  pipelines: ReadonlyMap<string, Built>,
): BoundTaps {
  const { device } = job.held;
  const { pipeline, layout } = pipelines.get(gatherKernel.wgsl)!;
  const planned = new Map(bound.plan.buffers.map((buffer) => [buffer.value, buffer]));
  const own = taps.filter(({ plan, value, flats }) => plan === bound.name && planned.has(value) && flats.length > 0);
  let bytes = 0;
  const offsets = own.map(({ flats }) => {
    const offset = bytes;
    bytes += Math.ceil((flats.length * 4) / ALIGNED) * ALIGNED;
    return offset;
  });
  const dispatches = new Map<string, Dispatch[]>();
  const size = paddedBytes(bytes);
  const found = job.arena.buffer(size, usage.storage | usage.copySource, "gathered");
  const indices = job.arena.buffer(size, usage.storage | usage.copyDestination, "indices");
  for (const [i, { kernel, when, value, flats }] of own.entries()) {
    const { type, bytes: stored } = planned.get(value)!;
    const words = type.dtype === "f16" ? flats.map((flat) => flat >>> 1) : Uint32Array.from(flats);
    device.queue.writeBuffer(indices, offsets[i]!, words as Uint32Array<ArrayBuffer>);
    const part = { offset: offsets[i]!, size: flats.length * 4 };
    const resources = [
      { buffer: bound.buffers.get(value)!, size: paddedBytes(stored) },
      { buffer: indices, ...part },
      { buffer: found, ...part },
    ];
    const entries = resources.map((resource, binding) => ({ binding, resource }));
    const group = device.createBindGroup({ layout, entries });
    const key = `${when} ${kernel}`;
    const list = dispatches.get(key) ?? [];
    dispatches.set(key, list);
    list.push({ pipeline, group, workgroups: [Math.ceil(flats.length / WORKGROUP), 1, 1] });
  }
  const at = (key: string): readonly Dispatch[] => dispatches.get(key) ?? [];
  return {
    before: (kernel) => at(`before ${kernel}`),
    after: (kernel) => at(`after ${kernel}`),
    async read() {
      if (own.length === 0) return done([]);
      const read = await readBack(job, [{ buffer: found, bytes }]);
      if (!read.ok) return read;
      return done(
        own.map((tap, i) => ({ tap, words: new Uint32Array(read.value[0]!, offsets[i]!, tap.flats.length).slice() })),
      );
    },
  };
}
