/** @file Data of a run's inputs: random numbers are drawn on the device itself, all else is sent. */
import type { Drawing, NodeId, Plan } from "../fusion";
import type { Arena } from "./arena";
import { usage } from "./flags";
import { pack } from "./packing";
import type { NumberArray } from "./packing";
import type { Built, KernelSource } from "./pipelines";
import { done, fail } from "./problem";
import { dispatchAll } from "./queue";
import type { Outcome } from "./types";

/** By input node: numbers of the declared size, or how they are drawn. */
export type Inputs = ReadonlyMap<NodeId, NumberArray | Drawing>;

/** One write takes as much again in staging memory. */
const CHUNK = 16 * 2 ** 20;

const isDrawing = (source: NumberArray | Drawing): source is Drawing => "wgsl" in source;

const sourceOf = ({ wgsl, name }: Drawing): KernelSource => ({
  id: "draw",
  name,
  wgsl,
  bindings: [
    { binding: 0, access: "read_write" },
    { binding: 1, access: "uniform" },
  ],
});

/** The input buffers of `plans`, each once. */
function inputBuffers(plans: readonly Plan[]) {
  const all = plans.flatMap(({ buffers }) => buffers).filter(({ role }) => role === "input");
  return [...new Map(all.map((buffer) => [buffer.value, buffer])).values()];
}

/** The kernels that draw what `inputs` does not give. */
export function drawKernels(plans: readonly Plan[], inputs: Inputs): KernelSource[] {
  return inputBuffers(plans).flatMap(({ value }) => {
    const source = inputs.get(value);
    return source && isDrawing(source) ? [sourceOf(source)] : [];
  });
}

/** Fills the input buffers: f32 and i32 as they are, bool as u32, f16 packed. Call inside error scopes. */
export function fillInputs(
  device: GPUDevice,
  arena: Arena,
  buffers: ReadonlyMap<string, GPUBuffer>,
  plans: readonly Plan[],
  inputs: Inputs,
  pipelines: ReadonlyMap<string, Built>,
): Outcome<null> {
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  for (const { value, type } of inputBuffers(plans)) {
    const [source, buffer] = [inputs.get(value), buffers.get(value)];
    const elements = type.shape.reduce((product, extent) => product * extent, 1);
    if (!source || !buffer) return fail("internal", `There is no data for the input ${value}.`);
    if (isDrawing(source)) {
      const { pipeline, layout } = pipelines.get(source.wgsl)!;
      const size = source.parameters.byteLength;
      const parameters = arena.buffer(size, usage.uniform | usage.copyDestination, `draw ${value}`);
      device.queue.writeBuffer(parameters, 0, source.parameters);
      const entries = [buffer, parameters].map((each, binding) => ({ binding, resource: { buffer: each } }));
      dispatchAll(pass, [
        { pipeline, group: device.createBindGroup({ layout, entries }), workgroups: source.workgroups },
      ]);
    } else {
      if (source.length !== elements)
        return fail("internal", `The input ${value} has ${source.length} elements and needs ${elements}.`);
      send(device, buffer, pack(type.dtype, source));
    }
  }
  pass.end();
  device.queue.submit([encoder.finish()]);
  return done(null);
}

function send(device: GPUDevice, buffer: GPUBuffer, words: ArrayBufferView<ArrayBuffer>): void {
  const bytes = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
  for (let at = 0; at < bytes.length; at += CHUNK) {
    device.queue.writeBuffer(buffer, at, bytes, at, Math.min(CHUNK, bytes.length - at));
  }
}
