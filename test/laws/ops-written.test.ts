/** @file Every op as a person writes it, from the text to kernels: naive and fused plans give the reference's values, and WebGPU accepts their WGSL. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  compareOutputs,
  compile,
  defaultOptions,
  fusionAt,
  generic,
  inputData,
  runPlanOnCpu,
  runReference,
  targetOf,
  toleranceFor,
  type Compilation,
  type NodeId,
  type Target,
} from "../../src/fusion";
import { calls } from "./written-calls";
import { dawn } from "../../src/gpu/testing/dawn";

/** Alone; between two elementwise ops; on integers. */
const programs = (call: string): string[] => [
  `x: f32[4, 8]\ny: f32[4, 8]\nz = ${call}`,
  `x: f32[4, 8]\ny: f32[4, 8]\nx = abs(x) + 0.5\nz = ${call}\nz = where(z > 0, z, 0) * 2`,
  `x: i32[4, 8]\ny: i32[4, 8]\nz = ${call}`,
];

/** Outputs that differ from the reference by more than they may. */
function wrongOutputs(compilation: Compilation): string[] {
  const { graph } = compilation.naive!;
  const inputs = new Map<NodeId, Float64Array>();
  for (const node of graph.nodes.values())
    if (node.op === "input") inputs.set(node.id, Float64Array.from(inputData(node)));
  const reference = runReference(graph, inputs);
  return [0, compilation.steps.length].flatMap((cursor) => {
    const fusion = fusionAt(compilation, cursor);
    const { outputs } = runPlanOnCpu(fusion, targetOf(generic), generic, inputs);
    // Translated kernels are the same arithmetic.
    const slow: Target = { ...targetOf(generic), schedule: "cpu" };
    const [told, quick] = [true, false].map(
      (log) => runPlanOnCpu(fusion, slow, generic, inputs, { precision: "f32", log }).outputs,
    );
    for (const id of graph.outputs) expect([...quick!.get(id)!]).toEqual([...told!.get(id)!]);
    return graph.outputs.flatMap((id) => {
      const { pass, worst } = compareOutputs(reference.get(id)!.data, outputs.get(id)!, toleranceFor(graph, id));
      return pass ? [] : [`${id} after ${cursor} steps: ${JSON.stringify(worst)}`];
    });
  });
}

const gpu = await dawn();
let device: GPUDevice | null = null;
beforeAll(async () => {
  device = gpu && (await (await gpu.requestAdapter())!.requestDevice());
});
afterAll(() => device?.destroy());

/** What WebGPU says against the WGSL of both plans; nothing where there is no WebGPU. */
async function shaderErrors({ naivePlan, fusedPlan }: Compilation): Promise<string[]> {
  if (!device) return [];
  const found: string[] = [];
  for (const { wgsl } of [...naivePlan!.kernels, ...fusedPlan!.kernels]) {
    device.pushErrorScope("validation");
    const { messages } = await device.createShaderModule({ code: wgsl }).getCompilationInfo();
    await device.popErrorScope();
    for (const { type, message, lineNum } of messages)
      if (type === "error") found.push(`${message}: ${wgsl.split("\n")[lineNum - 1]}`);
  }
  return found;
}

describe("written, compiled and run", () => {
  test.each(calls)("%s as %s", async (_name, call) => {
    for (const text of programs(call)) {
      const compilation = compile(text, defaultOptions);
      expect(compilation.diagnostics.filter(({ severity }) => severity === "error").map((one) => one.text)).toEqual([]);
      expect(wrongOutputs(compilation)).toEqual([]);
      expect(await shaderErrors(compilation)).toEqual([]);
    }
  });
});
