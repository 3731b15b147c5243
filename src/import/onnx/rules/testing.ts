/** @file Small graphs on given numbers, through import, compiler, reference and kernels: for tests of rules. */
import { expect } from "vitest";
import {
  compareOutputs,
  compile,
  defaultOptions,
  foldedData,
  fusionAt,
  inputData,
  nodeId,
  runPlanOnCpu,
  runReference,
  targetOf,
  type Compilation,
  type NodeId,
} from "../../../fusion";
import { importModel } from "../import-model";
import type { OnnxAttribute, OnnxGraph, OnnxModel, OnnxNode } from "../model";
import type { HostTensor } from "../tensor";

export type Given = readonly [dims: readonly number[], data: readonly number[]] | null;
export type Told = readonly Partial<OnnxAttribute>[];
export interface Got {
  readonly shape: readonly number[];
  readonly data: number[];
}

export const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i);
export const wave = (n: number, by: number): number[] => upTo(n).map((i) => Math.sin(by * i + 1));

/** One node: `node("Add", ["x", "y"], ["z"])`. */
export function node(
  op: string,
  inputs: readonly string[],
  outputs: readonly string[],
  told: Told = [],
  domain = "",
): OnnxNode {
  const attributes = told.map(
    (a) => [a.name!, { refersTo: "", floats: [], ints: [], strings: [], ...a } as OnnxAttribute] as const,
  );
  return { op, domain, overload: "", name: op, inputs, outputs, attributes: new Map(attributes) };
}

/** A graph; its inputs are f32 of these shapes, null where the shape is open. */
export const graph = (
  nodes: readonly OnnxNode[],
  inputs: Readonly<Record<string, readonly number[] | null>>,
  outputs: readonly string[],
): OnnxGraph => ({
  name: "test",
  nodes,
  initializers: [],
  sparse: 0,
  inputs: Object.entries(inputs).map(([name, dims]) => ({ name, dataType: 1, dims })),
  outputs: outputs.map((name) => ({ name, dataType: 0, dims: null })),
  valueInfo: [],
});

/** Outputs of a graph on given numbers; `known` inputs are known while importing, `weights` are stored in the model. */
export function runGraph(
  nodes: readonly OnnxNode[],
  given: Readonly<Record<string, Exclude<Given, null>>>,
  outputs: readonly string[],
  { opset = 21, domain = "", known = [] as readonly string[], weights = [] as readonly string[] } = {},
): Got[] {
  const open = Object.entries(given).filter(([name]) => !weights.includes(name));
  const shapes = Object.fromEntries(open.map(([name, [dims]]) => [name, dims]));
  const initializers = weights.map((name) => ({
    name,
    dims: given[name]![0],
    numbers: given[name]![1],
    dataType: 1,
    raw: null,
    external: false,
  }));
  const opsets = new Map([
    ["", opset],
    [domain, opset],
  ]);
  const model: OnnxModel = { opsets, functions: [], graph: { ...graph(nodes, shapes, outputs), initializers } };
  const host = (name: string): HostTensor => ({
    dtype: "f32",
    dims: given[name]![0],
    data: Float64Array.from(given[name]![1]),
    wide: false,
  });
  const read = importModel(model, { known: new Map(known.map((name) => [name, host(name)])) });
  expect(read.unsupported).toEqual([]);
  const compilation = compile(read.text, defaultOptions); // no plan where all is known already
  const { naive, diagnostics } = compilation;
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  const data = new Map<NodeId, ArrayLike<number>>();
  for (const [theirs, ours] of read.inputs) data.set(nodeId(ours), given[theirs]![1]);
  for (const [ours, numbers] of read.data) data.set(nodeId(ours), numbers.data);
  const values = naive ? runReference(naive.graph, data) : new Map<NodeId, never>();
  if (naive) kernelsAgree(compilation, data, values);
  const named = new Map(compilation.symbols.map(({ name, node }) => [name, node]));
  return outputs.map((name) => {
    const found = read.outputs.get(name)!;
    const data = found.host?.data ?? values.get(named.get(found.name!) ?? nodeId(found.name!))!.data;
    return { shape: found.shape, data: [...data] };
  });
}

/** Naive and fused kernels, interpreted in f32, find what the reference does. */
function kernelsAgree(
  compilation: Compilation,
  data: ReadonlyMap<NodeId, ArrayLike<number>>,
  values: ReadonlyMap<NodeId, { readonly data: ArrayLike<number> }>,
): void {
  const { profile } = compilation.options;
  const target = { ...targetOf(profile), schedule: "cpu" } as const;
  const inputs = new Map([...data].map(([id, numbers]) => [id, Float64Array.from(numbers)]));
  for (const cursor of [0, compilation.steps.length]) {
    const fusion = fusionAt(compilation, cursor);
    const written = [...fusion.graph.nodes.values()].filter(({ id, op }) => op === "input" && !inputs.has(id));
    for (const one of written) inputs.set(one.id, Float64Array.from(inputData(one)));
    const all = new Map([...inputs, ...foldedData(fusion.graph, inputs)]);
    const { outputs } = runPlanOnCpu(fusion, target, profile, all, { precision: "f32", log: false });
    for (const [id, got] of outputs) {
      const { pass, worst } = compareOutputs(Float64Array.from(values.get(id)!.data), got, {
        rtol: 1e-3,
        atol: 1e-4,
        nanMayVanish: false,
      });
      expect(pass, `${id} at ${cursor}: ${JSON.stringify(worst)}`).toBe(true);
    }
  }
}

/** Outputs of one node on given numbers; `known` inputs, by index, are known while importing, `weights` stored in the model. */
export function run(
  op: string,
  inputs: readonly Given[],
  told: Told = [],
  { outputs = 1, opset = 21, domain = "", known = [] as readonly number[], weights = [] as readonly number[] } = {},
): Got[] {
  const name = (i: number): string => (inputs[i] ? `in${i}` : "");
  const made = upTo(outputs).map((i) => `out${i}`);
  const given = Object.fromEntries(inputs.flatMap((value, i) => (value ? [[name(i), value]] : [])));
  const one = node(
    op,
    inputs.map((_, i) => name(i)),
    made,
    told,
    domain,
  );
  return runGraph([one], given, made, { opset, domain, known: known.map(name), weights: weights.map(name) });
}

export const close = (got: readonly number[], want: readonly number[]): void => {
  expect(got.length).toBe(want.length);
  got.forEach((value, i) => expect(value).toBeCloseTo(want[i]!, 6));
};
