/** Attributes that nobody asks for are refused, and small ops of the first opsets. */
import { describe, expect, test } from "vitest";
import { importModel } from "../import-model";
import { close, graph, node, run, runGraph, upTo, wave } from "./testing";

const refusals = (op: string, told: Parameters<typeof node>[3]): readonly string[] =>
  importModel({
    opsets: new Map([["", 21]]),
    functions: [],
    graph: graph([node(op, ["x"], ["y"], told)], { x: [2, 3] }, ["y"]),
  }).unsupported.map(({ why }) => why);

test("an attribute that a rule does not know is refused, never dropped", () => {
  expect(refusals("Relu", [{ name: "activation", s: "Sigmoid" }])).toEqual([
    "its attribute activation, which is not known here",
  ]);
  expect(refusals("Relu", [{ name: "consumed_inputs", ints: [0] }])).toEqual([]);
});

test("the largest of no truth values is false, the smallest true", () => {
  for (const [op, value] of [
    ["ReduceMax", 0],
    ["ReduceMin", 1],
  ] as const) {
    const cast = node("Cast", ["x"], ["b"], [{ name: "to", i: 9 }]);
    const fold = node(op, ["b", "axes"], ["m"]);
    const back = node("Cast", ["m"], ["y"], [{ name: "to", i: 1 }]);
    const [y] = runGraph([cast, fold, back], { x: [[2, 0], []], axes: [[1], [1]] }, ["y"], { known: ["axes"] });
    expect(y!.data).toEqual([value, value]);
  }
});

describe("old forms", () => {
  test("BatchNormalization with spatial=0 has a scale for each activation", () => {
    const x = wave(2 * 3 * 2, 0.7);
    const [scale, shift, mean] = [wave(6, 1.1), wave(6, 0.3), wave(6, 0.9)];
    const variance = upTo(6).map((i) => 0.5 + i);
    const [y] = run(
      "BatchNormalization",
      [
        [[2, 3, 2], x],
        [[3, 2], scale],
        [[3, 2], shift],
        [[3, 2], mean],
        [[3, 2], variance],
      ],
      [{ name: "spatial", i: 0 }],
      { opset: 7 },
    );
    close(
      y!.data,
      x.map((v, i) => ((v - mean[i % 6]!) / Math.sqrt(variance[i % 6]! + 1e-5)) * scale[i % 6]! + shift[i % 6]!),
    );
  });

  test("Crop takes a border away", () => {
    const x = upTo(24);
    const [y] = run("Crop", [[[1, 1, 4, 6], x]], [{ name: "border", ints: [1, 0, 2, 1] }], { opset: 1 });
    expect(y!.shape).toEqual([1, 1, 3, 3]);
    expect(y!.data).toEqual([1, 2, 3, 7, 8, 9, 13, 14, 15]);
  });
});
