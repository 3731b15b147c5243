/** @file TensorFlow.js on its WebGPU backend. */
import "@tensorflow/tfjs-backend-webgpu";
import * as tf from "@tensorflow/tfjs-core";
import { clocked, type Contender, type Ready, type Task } from "./runner";

/** What of the backend is used that its interface does not name. */
interface WebGpuBackend {
  readonly device: GPUDevice;
  /** null when everything was submitted already. */
  readonly commandEncoder: GPUCommandEncoder | null;
  endComputePassEncoder(): void;
  submitQueue(): void;
}

export async function openTf(version: string): Promise<Contender> {
  if (!(await tf.setBackend("webgpu"))) throw new Error("TensorFlow.js finds no WebGPU device.");
  await tf.ready();
  const backend = tf.backend() as WebGpuBackend;
  return {
    name: "TensorFlow.js",
    version,
    async prepare({ program, inputs }: Task): Promise<Ready> {
      const given = inputs.map(({ data, shape }) => tf.tensor(data, shape));
      const once = (): tf.Tensor[] => tf.tidy(() => program.tf(tf, ...given));
      return {
        run: (count) =>
          clocked(async () => {
            for (let i = 0; i < count; i++) for (const each of once()) each.dispose();
            backend.endComputePassEncoder();
            if (backend.commandEncoder) backend.submitQueue();
            await backend.device.queue.onSubmittedWorkDone();
          }),
        async results() {
          const found = once();
          const data = await Promise.all(found.map((each) => each.data()));
          for (const each of found) each.dispose();
          return data;
        },
        async close() {
          for (const each of given) each.dispose();
        },
      };
    },
  };
}
