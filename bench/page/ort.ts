/** @file onnxruntime-web on its WebGPU execution provider; inputs and results are buffers on its device. */
import wasm from "onnxruntime-web/ort-wasm-simd-threaded.asyncify.wasm?url";
import * as ort from "onnxruntime-web/webgpu";
import { OnnxModel } from "./onnx-model";
import { clocked, type Contender, type Ready, type Task } from "./runner";

const size = (shape: readonly number[]): number => shape.reduce((product, extent) => product * extent, 1);

/** The task's program as an ONNX model with inputs i0, i1, … and outputs o0, o1, … */
function modelOf({ program, inputs, outputs }: Task): Uint8Array {
  const model = new OnnxModel();
  const given = inputs.map(({ shape }, i) => model.input(`i${i}`, shape));
  for (const [i, value] of program.onnx(model, ...given).entries()) model.output(`o${i}`, value, outputs[i]!);
  return model.bytes();
}

export function openOrt(version: string): Contender {
  ort.env.wasm.numThreads = 1;
  ort.env.wasm.wasmPaths = { wasm };
  ort.env.logLevel = "error";
  return {
    name: "ONNX Runtime",
    version,
    async prepare(task: Task): Promise<Ready> {
      const session = await ort.InferenceSession.create(modelOf(task), {
        executionProviders: ["webgpu"],
        preferredOutputLocation: "gpu-buffer",
      });
      const device = await ort.env.webgpu.device;
      const { COPY_DST, COPY_SRC, STORAGE, MAP_READ } = GPUBufferUsage;
      const buffers: GPUBuffer[] = [];
      const tensor = (shape: readonly number[]): readonly [GPUBuffer, ort.Tensor] => {
        const buffer = device.createBuffer({ size: 4 * size(shape), usage: STORAGE | COPY_DST | COPY_SRC });
        buffers.push(buffer);
        return [buffer, ort.Tensor.fromGpuBuffer(buffer, { dataType: "float32", dims: shape })];
      };
      const feeds = Object.fromEntries(
        task.inputs.map(({ shape, data }, i) => {
          const [buffer, made] = tensor(shape);
          device.queue.writeBuffer(buffer, 0, data);
          return [`i${i}`, made];
        }),
      );
      const results = task.outputs.map(tensor);
      const fetches = Object.fromEntries(results.map(([, made], i) => [`o${i}`, made]));
      return {
        run: (count) =>
          clocked(async () => {
            for (let i = 0; i < count; i++) await session.run(feeds, fetches);
            await device.queue.onSubmittedWorkDone();
          }),
        async results() {
          await session.run(feeds, fetches);
          return Promise.all(
            results.map(async ([buffer], i) => {
              const bytes = 4 * size(task.outputs[i]!);
              const reader = device.createBuffer({ size: bytes, usage: COPY_DST | MAP_READ });
              const encoder = device.createCommandEncoder();
              encoder.copyBufferToBuffer(buffer, 0, reader, 0, bytes);
              device.queue.submit([encoder.finish()]);
              await reader.mapAsync(GPUMapMode.READ);
              const data = new Float32Array(reader.getMappedRange().slice(0));
              reader.destroy();
              return data;
            }),
          );
        },
        async close() {
          await session.release();
          for (const each of buffers) each.destroy();
        },
      };
    },
  };
}
