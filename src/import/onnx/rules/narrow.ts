/** @file One node on numbers of any data type, through import, compiler, reference and kernels: for tests of rules. */
import { expect } from "vitest";
import {
  compile,
  defaultOptions,
  foldedData,
  fusionAt,
  nodeId,
  runPlanOnCpu,
  runReference,
  targetOf,
  type NodeId,
} from "../../../fusion";
import { importModel } from "../import-model";
import type { OnnxNode } from "../model";
import { FORMATS } from "../tensor";
import { toWhole } from "../whole-kinds";
import { graph } from "./testing";

export interface Operand {
  readonly dataType: number;
  readonly dims: readonly number[];
  readonly numbers: readonly number[];
}

/** The first result: the numbers of the reference, the naive and the fused plan, or those that were known while importing (`fold`). */
export function valuesOf(
  one: OnnxNode,
  operands: Readonly<Record<string, Operand>>,
  fold = false,
): readonly (readonly number[])[] {
  const result = one.outputs[0]!;
  const all = Object.entries(operands).map(([name, operand]) => ({ name, ...operand, raw: null, external: false }));
  const model = importModel({
    opsets: new Map([["", 21]]),
    functions: [],
    graph: { ...graph([one], {}, [result]), inputs: fold ? [] : all, initializers: fold ? all : [] },
  });
  expect(model.unsupported).toEqual([]);
  const { name, host } = model.outputs.get(result)!;
  if (host) return [[...host.data]];
  const compilation = compile(model.text, defaultOptions);
  expect(compilation.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  const values = new Map<NodeId, Float64Array<ArrayBuffer>>();
  for (const [theirs, ours] of model.inputs) {
    const { dataType, numbers } = operands[theirs]!;
    const { whole } = FORMATS.get(dataType)!;
    values.set(
      nodeId(ours),
      Float64Array.from(numbers, (value) => (whole ? toWhole(whole, value) : value)),
    );
  }
  for (const [ours, { data }] of model.data) values.set(nodeId(ours), Float64Array.from(data));
  const naive = fusionAt(compilation, 0);
  const fused = fusionAt(compilation, compilation.steps.length);
  for (const [id, data] of foldedData(fused.graph, values)) values.set(id, Float64Array.from(data));
  const { profile } = compilation.options;
  const target = { ...targetOf(profile), schedule: "cpu" as const };
  const id = compilation.symbols.find((symbol) => symbol.name === name)!.node!;
  const onCpu = [naive, fused].map((fusion) =>
    runPlanOnCpu(fusion, target, profile, values, { precision: "f32", log: false }),
  );
  return [[...runReference(naive.graph, values).get(id)!.data], ...onCpu.map(({ outputs }) => [...outputs.get(id)!])];
}
