/** @file One op as a shader of its own, as narrow as it gets: for laws about each op's WGSL. */
import type { Attrs, DType } from "../src/fusion/ir";
import { convert, operandTypes, wgslType, type OpDef } from "../src/fusion/ops";

/** WebGPU's flags, which Node has no globals for. */
const BUFFER = { MAP_READ: 1, COPY_SRC: 4, COPY_DST: 8, STORAGE: 128 } as const;
const READ = 1;

const STORED: Readonly<Record<DType, string>> = { f32: "f32", f16: "f32", i32: "i32", bool: "u32" };
const stored = (dtype: DType, width: 1 | 4): string => (width === 1 ? STORED[dtype] : `vec4<${STORED[dtype]}>`);

/** A compute shader: bindings 0 … n−1 are the operands, n the result; one thread an element or four. */
export function shaderOf(def: OpDef, inputs: readonly DType[], result: DType, attrs: Attrs, width: 1 | 4): string {
  const operands = operandTypes(def, inputs, attrs);
  const t = wgslType(result, width, operands[0] ?? result);
  const scalar = def.scalar!;
  const names = inputs.map((_, k) => `v${k}`);
  const index = width === 1 ? "i" : "4u * i + vec4u(0u, 1u, 2u, 3u)";
  const value = scalar.wgsl(scalar.usesIndex ? [...names, "index"] : names, attrs, t);
  const helpers = (scalar.helpers ?? []).map((helper) => helper.wgsl(wgslType(operands[0] ?? result, width)));
  const buffers = [...inputs, result].map((dtype, k) => {
    const last = k === inputs.length;
    return `@group(0) @binding(${k}) var<storage, ${last ? "read_write" : "read"}> b${k}: array<${stored(dtype, width)}>;`;
  });
  const loads = inputs.map((dtype, k) => {
    const zero = width === 1 ? "0u" : "vec4u(0u)";
    const loaded = dtype === "bool" ? `(b${k}[i] != ${zero})` : `b${k}[i]`;
    return `  let v${k} = ${convert(loaded, dtype, operands[k]!, width)};`;
  });
  const store =
    result === "bool" ? (width === 1 ? "select(0u, 1u, value)" : "select(vec4u(0u), vec4u(1u), value)") : "value";
  return `${helpers.join("\n")}
${buffers.join("\n")}
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) gid: vec3u) {
  let i = gid.x;
  if (i >= arrayLength(&b${inputs.length})) { return; }
  let index = ${index};
${loads.join("\n")}
  let value = ${value};
  b${inputs.length}[i] = ${store};
}`;
}

/** Runs a shader on data of one length (a multiple of 4) and reads the result back. */
export async function runShader(
  device: GPUDevice,
  code: string,
  inputs: readonly (Float32Array | Int32Array | Uint32Array)[],
  length: number,
  width: 1 | 4,
): Promise<ArrayBuffer> {
  const module = device.createShaderModule({ code });
  const pipeline = await device.createComputePipelineAsync({ layout: "auto", compute: { module } });
  const usage = BUFFER.STORAGE | BUFFER.COPY_SRC | BUFFER.COPY_DST;
  const buffers = [...inputs.map(({ byteLength }) => byteLength), 4 * length].map((size) =>
    device.createBuffer({ size, usage }),
  );
  inputs.forEach((data, k) => device.queue.writeBuffer(buffers[k]!, 0, data));
  const entries = buffers.map((buffer, binding) => ({ binding, resource: { buffer } }));
  const back = device.createBuffer({ size: 4 * length, usage: BUFFER.MAP_READ | BUFFER.COPY_DST });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
  pass.dispatchWorkgroups(Math.ceil(length / width / 64));
  pass.end();
  encoder.copyBufferToBuffer(buffers.at(-1)!, 0, back, 0, 4 * length);
  device.queue.submit([encoder.finish()]);
  await back.mapAsync(READ);
  const copy = back.getMappedRange().slice(0);
  for (const buffer of [...buffers, back]) buffer.destroy();
  return copy;
}
