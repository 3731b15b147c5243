/** @file Plans written by hand, for the tests of the machine. */
import type { BufferPlan, Kernel, NodeId, Plan, RegionId } from "../../fusion";

export interface Stage {
  readonly name: string;
  readonly reads: readonly string[];
  readonly writes: string;
  /** Scalar WGSL of element `i` over `reads`. */
  readonly expression: string;
}

const id = (text: string): NodeId => text as NodeId;

function kernelOf(stage: Stage, index: number, elements: number): Kernel {
  const type = { dtype: "f32", shape: [elements] } as const;
  const named = [...stage.reads, stage.writes];
  const bindings = named.map((name, binding) => ({
    binding,
    name,
    value: id(name),
    access: name === stage.writes ? ("read_write" as const) : ("read" as const),
    type,
  }));
  const declared = bindings.map(
    ({ binding, name, access }) =>
      `@group(0) @binding(${binding}) var<storage, ${access}> ${name}: array<f32, ${elements}>;`,
  );
  const groups = Math.ceil(elements / 64);
  const across = Math.min(groups, 1024);
  const wgsl = `${declared.join("\n")}
@compute @workgroup_size(64)
fn ${stage.name}(@builtin(global_invocation_id) at: vec3<u32>) {
  let i = at.y * ${across * 64}u + at.x;
  if (i < ${elements}u) {
    ${stage.writes}[i] = ${stage.expression};
  }
}
`;
  const access = (value: string) => ({ value: id(value), bytes: elements * 4, rereads: 0, fullSize: true });
  return {
    id: `K${index + 1}`,
    name: stage.name,
    template: "pointwise",
    schedule: "One thread per element.",
    region: stage.name as RegionId,
    nodes: [id(stage.writes)],
    bindings,
    reads: stage.reads.map(access),
    writes: [access(stage.writes)],
    flops: elements,
    modelledBytes: 0,
    workgroupSize: [64, 1, 1],
    workgroups: [across, Math.ceil(groups / across), 1],
    workgroupBytes: 0,
    registers: 8,
    wgsl,
    lines: [],
    predictedMicros: 5,
    predicted: {
      launchMicros: 4,
      readMicros: 1,
      cachedMicros: 0,
      writeMicros: 0,
      computeMicros: 0,
      waitingMicros: 0,
      occupancy: { registers: 1, workgroupMemory: 1, workgroups: 1 },
    },
  };
}

/** A chain of elementwise kernels; what is never written is an input, what is never read an output. */
export function planOf(elements: number, stages: readonly Stage[]): Plan {
  const written = new Set(stages.map(({ writes }) => writes));
  const read = new Set(stages.flatMap(({ reads }) => reads));
  const values = [...new Set([...read, ...written])];
  const buffers = values.map((value, slot): BufferPlan => {
    const role = !written.has(value) ? "input" : read.has(value) ? "temporary" : "output";
    const type = { dtype: "f32", shape: [elements] } as const;
    return { value: id(value), type, bytes: elements * 4, role, slot, firstKernel: 0, lastKernel: stages.length };
  });
  const bytes = values.length * elements * 4;
  return {
    kernels: stages.map((stage, index) => kernelOf(stage, index, elements)),
    buffers,
    aliases: [],
    totals: { kernels: stages.length, transfers: 0, fullSizeTransfers: 0, bytes, peakBytes: bytes, predictedMicros: 0 },
    plannedBytes: bytes,
    lowerBoundBytes: bytes,
  };
}

/** `y = relu(x + b) * x` in two kernels. */
export const naivePlan = (elements: number): Plan =>
  planOf(elements, [
    { name: "add", reads: ["x", "b"], writes: "s", expression: "x[i] + b[i]" },
    { name: "relu_mul", reads: ["s", "x"], writes: "y", expression: "max(s[i], 0.0) * x[i]" },
  ]);

/** The same in one. */
export const fusedPlan = (elements: number): Plan =>
  planOf(elements, [{ name: "fused", reads: ["x", "b"], writes: "y", expression: "max(x[i] + b[i], 0.0) * x[i]" }]);

export const inputsFor = (elements: number): Map<NodeId, Float32Array> =>
  new Map([
    [id("x"), Float32Array.from({ length: elements }, (_, i) => Math.sin(i))],
    [id("b"), Float32Array.from({ length: elements }, (_, i) => Math.cos(i / 3))],
  ]);

/** What the plans above should answer. */
export const expected = (elements: number): Float32Array =>
  Float32Array.from({ length: elements }, (_, i) => {
    const x = Math.fround(Math.sin(i));
    return Math.max(Math.fround(x + Math.fround(Math.cos(i / 3))), 0) * x;
  });
