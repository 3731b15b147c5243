/** @file jax-js: a program behind `jit`, on its WebGPU backend. */
import * as jax from "@jax-js/jax";
import { clocked, type Contender, type Ready, type Task } from "./runner";

/** Runs whose results are not freed yet, at most. */
const AHEAD = 8;

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
      /** Hands a run to the GPU; settles once it has finished there. */
      const handed = async (): Promise<void> => {
        const results = once();
        await Promise.all(results.map((each) => each.blockUntilReady()));
        for (const each of results) each.dispose();
      };
      return {
        run: (count) =>
          clocked(async () => {
            const going: Promise<void>[] = [];
            for (let i = 0; i < count; i++) {
              going.push(handed());
              if (i >= AHEAD) await going[i - AHEAD];
            }
            await Promise.all(going);
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
