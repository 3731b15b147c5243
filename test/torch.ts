/** @file PyTorch and JAX calls beside formulas written out by hand: the reference, the naive plan and the fused plan must all give the formula's values. */
import { expect } from "vitest";
import {
  compile,
  coordinatesOf,
  defaultOptions,
  fusionAt,
  generic,
  inputData,
  runPlanOnCpu,
  runReference,
  targetOf,
  type NodeId,
  type Shape,
} from "../src/fusion";

type Formula = (at: (name: string, ...index: number[]) => number, ...index: number[]) => number;

/** A call on x, y: f32[4, 8], k: i32[4, 8] of 0 … 3 and b: bool[4, 8]; the result's shape; the value of each of its elements. */
export type Case = readonly [call: string, shape: Shape, formula: Formula];

const INPUTS =
  "x: f32[4, 8]\ny: f32[4, 8] = uniform(0.1, 0.9)\nk: i32[4, 8] = uniform(0, 4)\nb: bool[4, 8] = uniform(0, 2)";

/** Equal, both NaN, or within f32's rounding of a sum of some dozen terms. */
const near = (got: number, want: number): boolean =>
  Object.is(got, want) || got === want || Math.abs(got - want) <= 2e-5 * Math.max(1, Math.abs(want));

/** Runs `call` in three ways and holds every element against the formula. */
export function holds([call, shape, formula]: Case): void {
  const compilation = compile(`${INPUTS}\nz = ${call}\nreturn z`, defaultOptions);
  expect(compilation.diagnostics.filter(({ severity }) => severity === "error").map(({ text }) => text)).toEqual([]);
  const { graph } = compilation.naive!;
  const inputs = new Map<NodeId, Float64Array>();
  const types = new Map<string, Shape>();
  for (const node of graph.nodes.values()) {
    if (node.op !== "input") continue;
    inputs.set(node.id, Float64Array.from(inputData(node)));
    types.set(node.id, node.type.shape);
  }
  const [out] = graph.outputs;
  expect(graph.nodes.get(out!)!.type.shape).toEqual(shape);
  const at = (name: string, ...index: number[]): number => {
    const extents = types.get(name)!;
    return inputs.get(name as NodeId)![index.reduce((flat, i, axis) => flat * extents[axis]! + i, 0)]!;
  };
  const plans = [0, compilation.steps.length].map((cursor) => {
    const fusion = fusionAt(compilation, cursor);
    return runPlanOnCpu(fusion, targetOf(generic), generic, inputs).outputs.get(out!)!;
  });
  const ways = { reference: runReference(graph, inputs).get(out!)!.data, naive: plans[0]!, fused: plans[1]! };
  for (const [way, values] of Object.entries(ways)) {
    const size = shape.reduce((product, extent) => product * extent, 1);
    expect(values.length).toBe(size);
    for (let flat = 0; flat < size; flat++) {
      const index = coordinatesOf(flat, shape);
      const want = formula(at, ...index);
      const got = values[flat]! + 0;
      expect(near(got, want) ? want : got, `${way} of ${call} at ${index.join(", ")}`).toBe(want);
    }
  }
}
