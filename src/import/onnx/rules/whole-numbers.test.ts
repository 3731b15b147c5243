/** @file int64 beyond what a kernel's i32 holds: right while it is known, refused where a run would need it. */
import { expect, test } from "vitest";
import { importModel, type ImportedModel } from "../import-model";
import type { OnnxNode, OnnxTensor } from "../model";
import { graph, node } from "./testing";

const ends = { most: 2 ** 63, big: 2 ** 40, half: 2 ** 20, odd: -(2 ** 40) - 7, few: 3 };
const stored = Object.entries(ends).map(([name, value]): OnnxTensor => ({
  name,
  dims: [],
  dataType: 7,
  raw: null,
  numbers: [value],
  external: false,
}));

/** A model over the numbers above and x, i64[2]. */
function read(nodes: readonly OnnxNode[]): ImportedModel {
  const main = graph(nodes, { x: [2] }, ["y"]);
  const inputs = main.inputs.map((input) => ({ ...input, dataType: 7 }));
  return importModel({ opsets: new Map([["", 21]]), functions: [], graph: { ...main, inputs, initializers: stored } });
}

test.each([
  ["Add", "big", "half", 2 ** 40 + 2 ** 20],
  ["Mul", "half", "half", 2 ** 40],
  ["Div", "odd", "half", -(2 ** 20)],
  ["Mod", "odd", "few", 1], // 2⁴⁰ is one more than a multiple of 3
  ["Max", "big", "few", 2 ** 40],
  ["Pow", "few", "few", 27],
])("%s of %s and %s, all of them known", (op, a, b, want) => {
  const { host } = read([node(op, [a, b], ["y"])]).outputs.get("y")!;
  expect([...host!.data]).toEqual([want]);
});

test("converted to i32 they wrap, to f32 they do not", () => {
  const cast = (to: number): number[] => [
    ...read([node("Add", ["big", "few"], ["s"]), node("Cast", ["s"], ["y"], [{ name: "to", i: to }])]).outputs.get("y")!
      .host!.data,
  ];
  expect([cast(6), cast(1)]).toEqual([[3], [2 ** 40]]);
});

test("as a bound they are the end of i32; elsewhere a run would need all their digits", () => {
  expect(read([node("Min", ["x", "most"], ["y"])]).text).toContain("minimum(x, 2147483647)");
  expect(read([node("Clip", ["x", "few", "most"], ["y"])]).text).toContain("minimum(y, 2147483647)");
  expect(read([node("Add", ["x", "big"], ["y"])]).unsupported).toEqual([
    { op: "Add", count: 1, why: "numbers beyond 32 bits", given: 0 },
  ]);
});
