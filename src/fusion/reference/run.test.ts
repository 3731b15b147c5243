import { describe, expect, test } from "vitest";
import { nodeId, type Attrs, type Graph, type Node, type NodeId, type TensorType } from "../ir";
import { runReference } from "./run";
import { toleranceFor } from "./tolerance";
import { eachRow, mergedWalk, stridesIn } from "./strided-loops";

const made = (id: string, op: string, inputs: string[], type: TensorType, attrs: Attrs = {}): [NodeId, Node] => [
  nodeId(id),
  { id: nodeId(id), op, inputs: inputs.map(nodeId), attrs, type, label: id, origins: [], groups: [] },
];
const graphOf = (nodes: [NodeId, Node][], ...outputs: string[]): Graph => ({
  nodes: new Map(nodes),
  outputs: outputs.map(nodeId),
});
const vector = (n: number): TensorType => ({ dtype: "f32", shape: [n] });
const x = made("x", "input", [], vector(4), { source: "arange" });

describe("a run", () => {
  test("gives the outputs, and inner values only when asked", () => {
    const graph = graphOf([x, made("y", "square", ["x"], vector(4)), made("z", "neg", ["y"], vector(4))], "z");
    const run = runReference(graph, new Map());
    expect([...run.keys()]).toEqual(["z"]);
    expect([...run.get(nodeId("z"))!.data]).toEqual([-0, -1, -4, -9]);
    expect([...runReference(graph, new Map(), { keep: new Set([nodeId("y")]) }).keys()].toSorted()).toEqual(["y", "z"]);
    expect(runReference(graph, new Map(), { keep: "all" }).size).toBe(3);
  });

  test("leaves out what no output needs, even what could not run", () => {
    const graph = graphOf([x, made("dead", "hole", [], vector(1)), made("y", "neg", ["x"], vector(4))], "y");
    expect([...runReference(graph, new Map([[x[0], [5, 6, 7, 8]]])).get(nodeId("y"))!.data]).toEqual([-5, -6, -7, -8]);
    expect(() => runReference({ ...graph, outputs: [nodeId("dead")] }, new Map())).toThrow("not connected");
  });

  test("in f32 every value is rounded; in f64 none is", () => {
    const third = made("c", "const", [], { dtype: "f32", shape: [] }, { value: 1 / 3 });
    const graph = graphOf([x, third, made("y", "mul", ["x", "c"], vector(4))], "y");
    expect(runReference(graph, new Map()).get(nodeId("y"))!.data[2]).toBe(2 / 3);
    expect(runReference(graph, new Map(), { precision: "f32" }).get(nodeId("y"))!.data[2]).toBe(Math.fround(2 / 3));
  });

  test("a chain of 20,000 ops needs no stack", () => {
    const nodes = [x];
    for (let i = 0; i < 20_000; i++) nodes.push(made(`y${i}`, "neg", [i === 0 ? "x" : `y${i - 1}`], vector(4)));
    expect([...runReference(graphOf(nodes, "y19999"), new Map()).get(nodeId("y19999"))!.data]).toEqual([0, 1, 2, 3]);
  });
});

test("a walk merges axes that all operands pass as one, and visits each index once", () => {
  const space = [2, 3, 1, 4];
  expect(mergedWalk(space, [stridesIn(space, space), stridesIn([3, 1, 4], space)])).toEqual({
    extents: [2, 12],
    strides: [
      [12, 1],
      [0, 1],
    ],
  });
  const walk = mergedWalk(space, [stridesIn(space, space), stridesIn([2, 1, 1, 4], space)]);
  const rows: string[] = [];
  eachRow(walk, (offsets) => rows.push(offsets.join(":")));
  expect(rows).toEqual(["0:0", "4:0", "8:0", "12:4", "16:4", "20:4"]);
  expect(mergedWalk([], [[]])).toEqual({ extents: [1], strides: [[0]] });
  eachRow(mergedWalk([3, 0], [[0, 1]]), () => rows.push("never"));
  expect(rows).toHaveLength(6);
});

describe("tolerance", () => {
  const scalar: TensorType = { dtype: "f32", shape: [] };
  const of = (...nodes: [NodeId, Node][]) => toleranceFor(graphOf([x, ...nodes], nodes.at(-1)![0]), nodes.at(-1)![0]);

  test("roundings only: 1e-5 and the ops' own", () => {
    const { rtol, atol, nanMayVanish } = of(made("y", "mul", ["x", "x"], vector(4)));
    expect([rtol < 1.1e-5, atol < 1.1e-5, nanMayVanish]).toEqual([true, true, false]);
  });

  test("a longer reduction may be further off, up to 1e-3", () => {
    const long = made("x", "input", [], vector(10_000));
    const sum = (source: [NodeId, Node]) =>
      toleranceFor(
        graphOf([source, made("s", "sum", ["x"], scalar, { axes: null, keepdims: false })], "s"),
        nodeId("s"),
      );
    expect(sum(x).rtol).toBeCloseTo(3e-5, 6);
    expect(sum(long)).toMatchObject({ reason: "for sum" });
    expect(sum(long).rtol).toBeCloseTo(1e-3, 4);
  });

  test("an exponential of a computed value widens it, of an input it does not", () => {
    expect(of(made("y", "exp", ["x"], vector(4))).rtol).toBeLessThan(2e-5);
    expect(of(made("s", "add", ["x", "x"], vector(4)), made("y", "exp", ["s"], vector(4))).rtol).toBeGreaterThan(1e-3);
    expect(of(made("s", "add", ["x", "x"], vector(4)), made("y", "sigmoid", ["s"], vector(4))).rtol).toBeLessThan(2e-5);
  });

  test("a product of K terms scales with their size", () => {
    const a = made("a", "input", [], { dtype: "f32", shape: [2, 256] });
    const b = made("b", "input", [], { dtype: "f32", shape: [256, 2] });
    const graph = graphOf([a, b, made("p", "matmul", ["a", "b"], { dtype: "f32", shape: [2, 2] })], "p");
    expect(toleranceFor(graph, nodeId("p")).atol).toBeCloseTo(1e-5 + 2e-6 * 16 * 256, 6);
    expect(toleranceFor(graph, nodeId("p"), 10).atol).toBeCloseTo(1e-5 + 2e-6 * 16 * 10, 6);
  });

  test("a NaN may vanish where values are chosen", () => {
    expect(of(made("y", "relu", ["x"], vector(4))).nanMayVanish).toBe(true);
    expect(of(made("y", "add", ["x", "x"], vector(4))).nanMayVanish).toBe(false);
  });
});
