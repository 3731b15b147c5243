import { resolveView } from "../../src/fusion";
import { afterAll, describe, expect, test } from "vitest";
import { planFusion } from "../../src/fusion/plan";
import { generic } from "../../src/fusion/cost";
import { compareOutputs, inputData, runReference, toleranceFor } from "../../src/fusion/reference";
import type { NodeId, Plan } from "../../src/fusion/ir";
import { createSession } from "../../src/gpu";
import { dawn } from "../../src/gpu/testing/dawn";
import { cpu, gpu, graphOf, oneRegion } from "./kernel-harness";
import { programs } from "./kernel-programs";

const device = await dawn();

// A software adapter gets no barriers of its own accord: here both schedules run on it, tiles and trees included.
describe.skipIf(!device)("every kernel shape on WebGPU", () => {
  const session = createSession(device!);
  afterAll(() => session.close());

  test.each(Object.entries(programs))(
    "%s",
    async (_, text) => {
      const graph = graphOf(text);
      const inputs = new Map(
        [...graph.nodes.values()].filter(({ op }) => op === "input").map((n) => [n.id, inputData(n)]),
      );
      const reference = runReference(graph, inputs);
      // Where both schedules are the same text, one run says it all.
      const plans = [gpu, cpu].map((target) => planFusion(oneRegion(graph), target, generic));
      const launched = ({ kernels }: Plan): string =>
        JSON.stringify(kernels.map(({ wgsl, workgroups }) => [wgsl, workgroups]));
      for (const plan of new Map(plans.map((each) => [launched(each), each])).values()) {
        const answer = await session.run(plan, inputs);
        if (!answer.ok) throw new Error(answer.problem.text);
        for (const { value, data } of answer.value) {
          // A result that is a view has the data of what it shows.
          const shown = graph.outputs.find((id) => resolveView(graph, id) === value) ?? value;
          expect(compareOutputs(reference.get(shown)!.data, data, toleranceFor(graph, value))).toMatchObject({
            pass: true,
          });
        }
      }
    },
    60_000,
  );

  test.each([false, true])(
    "sorts put NaN behind all, ∞ before it, and leave equal elements as they stood; descending: %s",
    async (descending) => {
      const way = `descending=${descending ? "True" : "False"}`;
      const graph = graphOf(
        `x: f32[2, 12]\ny = sort(x, ${way})\ni = argsort(x, ${way})\nt = topk(x, 3, largest=${descending ? "True" : "False"})`,
      );
      const row = [1, NaN, -Infinity, 0, 3, -0, Infinity, 1, NaN, -2, 3, 1e-30];
      const inputs = new Map([["x" as NodeId, Float64Array.from([...row, ...row.toReversed()])]]);
      const reference = runReference(graph, inputs);
      for (const target of [gpu, cpu]) {
        const answer = await session.run(planFusion(oneRegion(graph), target, generic), inputs);
        if (!answer.ok) throw new Error(answer.problem.text);
        const plain = (of: ArrayLike<number>): number[] => Array.from(of, (value) => Math.fround(value) + 0);
        for (const { value, data } of answer.value) expect(plain(data)).toEqual(plain(reference.get(value)!.data));
      }
    },
  );
});
