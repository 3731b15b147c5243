/** @file Where a kernel is cut: the fewest bytes cross, whatever the order in the text. */
import { expect, test } from "vitest";
import { fusionAt } from "../../src/fusion/compile";
import { generic, totalsOf } from "../../src/fusion/cost";
import { edgeId, nodeId } from "../../src/fusion/ir";
import { graphOf } from "../random-graph";
import { compiled, stepFaults, valueFaults } from "./pass-harness";

const VALUE = 4 * 1024 * 64;

test("a boundary behind the second of two operands lets that one cross alone", () => {
  const graph = graphOf("x: f32[1024, 64]\nv: f32[1024, 64]\ny = tanh(x) + sin(v)");
  const compilation = compiled(graph, { granularity: "statement", forbidden: [edgeId(nodeId("y/1"), nodeId("y"), 1)] });
  const cut = compilation.steps.find(({ pass }) => pass === "budget-split")!;
  expect(cut.profitable!.code).toBe("U_USER_BARRIER");
  expect(cut.profitable!.numbers).toEqual({ bytes: VALUE });
  expect(stepFaults(compilation)).toEqual([]);
  const final = fusionAt(compilation, compilation.steps.length);
  expect(totalsOf(final, generic).bytes).toBe(5 * VALUE);
  expect(valueFaults(graph, final)).toEqual([]);
});

test("more ops than a kernel may hold are parted where one value crosses", () => {
  const left = Array.from({ length: 140 }, () => "tanh(").join("");
  const right = Array.from({ length: 140 }, () => "sin(").join("");
  const close = ")".repeat(140);
  const graph = graphOf(`x: f32[1024, 64]\nv: f32[1024, 64]\ny = ${left}x${close} + ${right}v${close}`);
  const compilation = compiled(graph, { granularity: "statement" });
  const cuts = compilation.steps.filter(({ pass }) => pass === "budget-split");
  expect(cuts.map(({ profitable }) => [profitable!.code, profitable!.numbers!["bytes"]])).toEqual([
    ["C_CODE_SIZE", VALUE],
  ]);
  expect(stepFaults(compilation)).toEqual([]);
});
