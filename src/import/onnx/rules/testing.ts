/** @file One node on given numbers, through import, compiler and reference: for tests of rules. */
import { expect } from "vitest";
import { compile, defaultOptions, nodeId, runReference, type NodeId } from "../../../fusion";
import { importModel } from "../import-model";
import type { OnnxAttribute, OnnxModel } from "../model";
import type { HostTensor } from "../tensor";

export type Given = readonly [dims: readonly number[], data: readonly number[]] | null;
export const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i);
export const wave = (n: number, by: number): number[] => upTo(n).map((i) => Math.sin(by * i + 1));

/** Outputs of one node on given numbers; `known` inputs are known while importing. */
export function run(
  op: string,
  inputs: readonly Given[],
  attributes: readonly Partial<OnnxAttribute>[] = [],
  { outputs = 1, opset = 21, domain = "", known = [] as number[] } = {},
): { shape: readonly number[]; data: number[] }[] {
  const name = (i: number): string => (inputs[i] ? `in${i}` : "");
  const made = upTo(outputs).map((i) => ({ name: `out${i}`, dataType: 0, dims: null }));
  const model: OnnxModel = {
    opsets: new Map([["", opset], [domain, opset]]),
    functions: [],
    graph: {
      name: "test",
      nodes: [{ op, domain, name: "n", inputs: inputs.map((_, i) => name(i)), outputs: made.map((o) => o.name), attributes: new Map(attributes.map((a) => [a.name!, { refersTo: "", floats: [], ints: [], strings: [], ...a } as OnnxAttribute])) }],
      initializers: [],
      inputs: inputs.flatMap((given, i) => (given ? [{ name: name(i), dataType: 1, dims: given[0] }] : [])),
      outputs: made,
      valueInfo: [],
    },
  }; // prettier-ignore
  const host = (i: number): HostTensor => ({ dtype: "f32", dims: inputs[i]![0], data: Float64Array.from(inputs[i]![1]), wide: false }); // prettier-ignore
  const read = importModel(model, { known: new Map(known.map((i) => [name(i), host(i)])) });
  expect(read.unsupported).toEqual([]);
  const { naive, diagnostics } = compile(read.text, defaultOptions); // no plan where all is known already
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  const data = new Map<NodeId, ArrayLike<number>>();
  for (const [theirs, ours] of read.inputs) data.set(nodeId(ours), inputs[Number(theirs.slice(2))]![1]);
  for (const [ours, host] of read.data) data.set(nodeId(ours), host.data);
  const values = naive ? runReference(naive.graph, data) : new Map<NodeId, never>();
  return made.map((o) => {
    const found = read.outputs.get(o.name)!;
    return { shape: found.shape, data: [...(found.host?.data ?? values.get(nodeId(found.name!))!.data)] };
  });
}

export const close = (got: readonly number[], want: readonly number[]): void => {
  expect(got.length).toBe(want.length);
  got.forEach((value, i) => expect(value).toBeCloseTo(want[i]!, 6));
};
