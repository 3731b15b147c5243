/** @file Strict mode on a device: fused and naive plans agree to the last bit where nothing is summed. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { planFusion } from "../../src/fusion/plan";
import { fusionAt } from "../../src/fusion/compile";
import { generic } from "../../src/fusion/cost";
import type { Fusion, Graph } from "../../src/fusion/ir";
import { opDef } from "../../src/fusion/ops";
import { foldedData, ulpsBetween } from "../../src/fusion/reference";
import { dawn } from "../../src/gpu/testing/dawn";
import { forDevice, graphOf, programs } from "../laws/any-program";
import { compiled } from "../laws/pass-harness";
import { inputsOf, openHere } from "./device";

const gpu = await dawn();
/** STRICT_LAWS=count:seed says otherwise; programs in which something is summed are passed over. */
const [COUNT, SEED] = (process.env["STRICT_LAWS"] ?? "40:20261120").split(":").map(Number) as [number, number];

const onlyElements = (graph: Graph): boolean =>
  [...graph.nodes.values()].every(({ op }) => ["elementwise", "movement", "source"].includes(opDef(op).kind));

/** Half of the programs in f32, half of them with halves instead of floats. */
const texts = fc.sample(programs(forDevice), { numRuns: COUNT, seed: SEED }).flatMap((text, i) => {
  const told = i % 2 === 0 ? text : text.replaceAll(": f32[", ": f16[");
  return onlyElements(graphOf(told)) ? [told] : [];
});

describe.skipIf(!gpu)(`strict mode on WebGPU: ${texts.length} of ${COUNT} random programs, seed ${SEED}`, () => {
  const here = openHere(gpu!);

  async function results(state: Fusion): Promise<readonly ArrayLike<number>[]> {
    const inputs = inputsOf(state.graph);
    const folded = [...foldedData(state.graph, inputs)].map(([id, data]) => [id, Float32Array.from(data)] as const);
    const answer = await here.session.run(planFusion(state, here.target, generic), new Map([...inputs, ...folded]));
    if (!answer.ok) throw new Error(`${answer.problem.code}: ${answer.problem.text}`);
    const data = new Map(answer.value.map((output) => [output.value, output.data]));
    return state.graph.outputs.map((id) => data.get(id)!);
  }

  /** The most steps of f32 between two plans' results; NaN beside a number counts as endless. */
  async function stepsApart(text: string): Promise<number> {
    const compilation = compiled(graphOf(text), { granularity: "primitive", strict: true });
    const naive = await results(compilation.naive!);
    const fused = await results(fusionAt(compilation, compilation.steps.length));
    let most = 0;
    for (const [i, values] of naive.entries()) {
      for (let k = 0; k < values.length; k++) {
        const [a, b] = [values[k]!, fused[i]![k]!];
        if (Number.isNaN(a) !== Number.isNaN(b)) return Infinity;
        if (a !== b && !Number.isNaN(a)) most = Math.max(most, ulpsBetween(a, b));
      }
    }
    return most;
  }

  test("fused and naive are the same bits", { timeout: 600_000 }, async () => {
    expect(texts.length).toBeGreaterThan(COUNT / 20);
    const apart: { readonly text: string; readonly steps: number }[] = [];
    for (const text of texts) {
      const steps = await stepsApart(text);
      if (steps > 0) apart.push({ text, steps });
    }
    expect(apart.toSorted((a, b) => b.steps - a.steps)).toEqual([]);
  });
});
