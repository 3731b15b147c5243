/** @file Models of halves worked with in f32: where they round all the same. */
import { describe, expect, test } from "vitest";
import { importModel } from "../import-model";
import type { OnnxNode } from "../model";
import { graph, node } from "./testing";

/** The text of a model whose inputs are f16, but for `gamma`. */
function textOf(nodes: readonly OnnxNode[], wideHalves = true): string {
  const plain = graph(nodes, { a: [2, 4], b: [2, 4], gamma: [4] }, ["y"]);
  const inputs = plain.inputs.map((input) => (input.name === "gamma" ? input : { ...input, dataType: 10 }));
  const read = importModel({ opsets: new Map([["", 17]]), functions: [], graph: { ...plain, inputs } }, { wideHalves });
  expect(read.unsupported).toEqual([]);
  return read.text;
}
const toHalf = /\.half\(\)|dtype=f16|"f16"|\(f16\)|, f16/g;

test("a norm takes its moments of what the model calls f16", () => {
  const sum = node("Add", ["a", "b"], ["s"]);
  const norm = node("LayerNormalization", ["s", "gamma"], ["y"]);
  expect(textOf([sum, norm]).match(toHalf)).toHaveLength(1);
  expect(
    textOf([sum, node("LayerNormalization", ["s", "gamma"], ["y"], [{ name: "stash_type", i: 10 }])]).match(toHalf),
  ).toHaveLength(1);
});

test("a conversion ends what is f16", () => {
  const wide = node("Cast", ["s"], ["w"], [{ name: "to", i: 1 }]);
  const text = textOf([node("Add", ["a", "b"], ["s"]), wide, node("LayerNormalization", ["w", "gamma"], ["y"])]);
  expect(text.match(toHalf)).toBeNull();
});

describe("what moves f16 rounds to it", () => {
  const transpose = (from: string, to: string): OnnxNode =>
    node("Transpose", [from], [to], [{ name: "perm", ints: [0, 1] }]);
  const cast = (from: string, to: string, dataType: number): OnnxNode =>
    node("Cast", [from], [to], [{ name: "to", i: dataType }]);
  const sum = node("Add", ["a", "b"], ["s"]);
  // What the model gives as f16 is stored as one, which is one more.
  test.each([
    ["beside a conversion", [sum, transpose("s", "t"), cast("t", "y", 1)], 1],
    ["beside another that moves", [sum, transpose("s", "t"), transpose("t", "u"), node("Neg", ["u"], ["y"])], 2 + 1],
    ["as a result", [sum, transpose("s", "y")], 1 + 1],
    ["not where all around it is widened", [sum, transpose("s", "t"), node("Neg", ["t"], ["y"])], 1],
    ["not where nothing moves it", [sum, node("Neg", ["s"], ["y"])], 1],
  ] as const)("%s", (_, nodes, times) => {
    expect(textOf(nodes).match(toHalf)).toHaveLength(times);
  });
});
