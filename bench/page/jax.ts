/** @file jax-js: a program behind `jit`, on its WebGPU backend. */
import * as jax from "@jax-js/jax";
import { clocked, type Contender, type Ready, type Task } from "./runner";

export async function openJax(version: string): Promise<Contender> {
  const found = await jax.init("webgpu");
  if (!found.includes("webgpu")) throw new Error("jax-js finds no WebGPU device.");
  jax.defaultDevice("webgpu");
  const { queue } = jax.getWebGPUDevice();
  return {
    name: "jax-js",
    version,
    async prepare({ program, inputs }: Task): Promise<Ready> {
      const given = inputs.map(({ data, shape }) => jax.numpy.array(data, { shape }));
      const { numpy: np, nn, lax } = jax;
      const compiled = jax.jit((...args: jax.Array[]) => program.jax({ np, nn, lax }, ...args));
      const once = (): jax.Array[] => compiled(...given.map((each) => each.ref));
      return {
        run: (count) =>
          clocked(async () => {
            // Asked for its buffer, a result is computed: submitted, not waited for, and given up.
            for (let i = 0; i < count; i++) for (const each of once()) each.gpuBufferSync();
            await queue.onSubmittedWorkDone();
          }),
        results: () => Promise.all(once().map((each) => each.data())),
        async close() {
          for (const each of given) each.dispose();
          compiled.dispose();
        },
      };
    },
  };
}
