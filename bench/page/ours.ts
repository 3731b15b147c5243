/** @file Our own naive and fused plans, each run a pass: the whole of a sample is one submit. */
import { fusionAt, planForTarget, resolveView, type NodeId } from "../../src/fusion";
import { MAX_STEPS, type DeviceInfo, type Outcome, type Session } from "../../src/gpu";
import type { Contender, Ready, Task } from "./runner";

/** Bytes that a program's outputs and pool may take. */
const MEMORY = 2 * 2 ** 30;

function value<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(outcome.problem.text);
  return outcome.value;
}

export const openOurs = (session: Session, { target }: DeviceInfo, plan: "naive" | "fused"): Contender => ({
  name: `ours, ${plan}`,
  version: "",
  async prepare({ compilation, inputs }: Task): Promise<Ready> {
    const state = fusionAt(compilation, plan === "naive" ? 0 : compilation.steps.length);
    const planned = planForTarget(state, target, compilation.options);
    const data = new Map(inputs.map(({ name, data: numbers }) => [name as NodeId, numbers]));
    const trainer = value(
      await session.train({ plans: [{ plan: planned, replaced: [], told: [] }], answering: null, inputs: data }),
    );
    return {
      async run(count) {
        let millis = 0;
        for (let left = count; left > 0; left -= MAX_STEPS) {
          const batches = Array.from({ length: Math.min(left, MAX_STEPS) }, () => null);
          millis += value(await trainer.steps(0, batches)).millis;
        }
        return millis;
      },
      async results() {
        const outputs = value(await session.run(planned, data, { memoryBudget: MEMORY }));
        return state.graph.outputs.map((id) => {
          const stored = resolveView(state.graph, id);
          const found = outputs.find((each) => each.value === stored);
          if (!found) throw new Error(`${id} was not read back.`);
          return Float32Array.from(found.data);
        });
      },
      close: () => trainer.close(),
    };
  },
});
