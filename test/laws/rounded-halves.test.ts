/** @file f16 where memory does not keep it: what leaves f16 is rounded in every plan, and strict mode rounds wherever the naive plan does. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runPlanOnCpu } from "../../src/fusion/plan";
import { fusionAt } from "../../src/fusion/compile";
import { generic, targetOf } from "../../src/fusion/cost";
import type { CompileOptions, Fusion, Graph } from "../../src/fusion/ir";
import { opDef, roundToHalf } from "../../src/fusion/ops";
import { foldedData, runReference } from "../../src/fusion/reference";
import { forInterpreter, graphOf, programs } from "./any-program";
import { dataOf } from "./kernel-harness";
import { compiled } from "./pass-harness";

/** Programs over every op, with halves where they have floats. */
const halfPrograms = programs(forInterpreter).map((text) => text.replaceAll(": f32[", ": f16["));

const run = (graph: Graph, state: Fusion): readonly Float64Array[] => {
  const inputs = dataOf(graph);
  const all = new Map([...inputs, ...foldedData(state.graph, inputs)]);
  const { outputs } = runPlanOnCpu(state, targetOf(generic), generic, all, { precision: "f32", log: false });
  return state.graph.outputs.map((id) => outputs.get(id)!);
};

interface Plans {
  readonly graph: Graph;
  readonly naive: readonly Float64Array[];
  readonly fused: readonly Float64Array[];
}

function plansOf(text: string, given: Partial<CompileOptions>): Plans {
  const compilation = compiled(graphOf(text), given);
  const { graph } = compilation.naive!;
  return {
    graph,
    naive: run(graph, compilation.naive!),
    fused: run(graph, fusionAt(compilation, compilation.steps.length)),
  };
}

const onlyElements = (graph: Graph): boolean =>
  [...graph.nodes.values()].every(({ op }) => ["elementwise", "movement", "source"].includes(opDef(op).kind));

/** Root mean square of the distance to what is wanted, over numbers. */
function errorOf(got: Float64Array, want: Float64Array): number {
  const squares = [...want].map((value, i) => (got[i]! - value) ** 2).filter(Number.isFinite);
  return Math.sqrt(squares.reduce((sum, value) => sum + value, 0) / Math.max(1, squares.length));
}

describe("a value leaves f16 rounded", () => {
  test.each([
    ["converted back", "x: f16[64]\nh = x * 1.37\ny = h.float() * 2 + x"],
    ["beside f32", "x: f16[64]\nw: f32[64]\nh = exp(x)\ny = h * w"],
    ["by an explicit cast", "x: f32[64]\ny = (x * 1.37).half().float()"],
    ["into whole numbers", "x: f16[64]\ny = (x * 900).to(i32)"],
    ["into a test", "x: f16[64]\ny = x * 1.37 > 0.5"],
    ["out of a sum", "x: f16[8, 64]\ny = x.sum(dim=1).float()"],
    ["out of a product", "x: f16[8, 16]\nw: f16[16, 8]\ny = (x @ w).float() + 1"],
    ["out of a running sum", "x: f16[8, 64]\ny = cumsum(x, dim=1).float() + 1"],
  ])("%s: one kernel computes what several do", (_, text) => {
    for (const strict of [false, true]) {
      const { graph, naive, fused } = plansOf(text, { granularity: "primitive", strict });
      expect(fused).toEqual(naive);
      const [want] = graph.outputs.map((id) => runReference(graph, dataOf(graph), { precision: "f32" }).get(id)!.data);
      expect(errorOf(fused[0]!, want!)).toBeLessThan(
        1e-2 *
          (1 +
            errorOf(
              want!.map(() => 0),
              want!,
            )),
      );
    }
  });

  test("the reference says so, too, and a cast of a sum that ties", () => {
    const graph = graphOf("x: f16[3]\nc: f16[3]\ny = (x + c).float()\nz = (x + c)");
    const [x, c] = [...dataOf(graph).keys()];
    const inputs = new Map([
      [x!, Float64Array.of(2048, 1, 65504)],
      [c!, Float64Array.of(1, 2 ** -11, 65504)],
    ]);
    const reference = runReference(graph, inputs);
    expect(graph.outputs.map((id) => [...reference.get(id)!.data])).toEqual([
      [2048, 1, Infinity],
      [2049, 1 + 2 ** -11, 131008],
    ]);
    expect([2049, 1 + 2 ** -11, 131008].map(roundToHalf)).toEqual([2048, 1, Infinity]);
  });
});

test("strict: fused and naive are equal to the last bit where nothing is summed", () => {
  let compared = 0;
  fc.assert(
    fc.property(halfPrograms, fc.constantFrom("primitive", "op", "statement"), (text, granularity) => {
      if (!onlyElements(graphOf(text))) return;
      compared++;
      const { naive, fused } = plansOf(text, { granularity, strict: true });
      expect(fused).toEqual(naive);
    }),
    { numRuns: 150, seed: 20261120 },
  );
  expect(compared).toBeGreaterThan(15);
});

test("fast: fused is no farther from the f64 reference than four times naive", () => {
  fc.assert(
    fc.property(halfPrograms, (text) => {
      const { graph, naive, fused } = plansOf(text, { granularity: "primitive" });
      const reference = runReference(graph, dataOf(graph));
      for (const [i, id] of graph.outputs.entries()) {
        const want = reference.get(id)!.data;
        const size = errorOf(
          want.map(() => 0),
          want,
        );
        expect(errorOf(fused[i]!, want), `${id}\n${text}`).toBeLessThanOrEqual(
          4 * errorOf(naive[i]!, want) + 1e-3 * (1 + size),
        );
      }
    }),
    { numRuns: 60, seed: 20261120 },
  );
});
