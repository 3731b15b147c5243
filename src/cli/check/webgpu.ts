/** @file Runs the plans of a case on a WebGPU device, through the product's own session. */
import { fusionAt, node, planForTarget, type Graph, type InputData, type NodeId } from "../../fusion";
import { createSession, hostEnv, type Session } from "../../gpu";
import type { Environment } from "../environment";
import type { RunPlans } from "./run-case";

/** Bytes: whole models, on a machine that runs nothing else. */
const MEMORY_BUDGET = 2 ** 32;

/** Numbers as the dtype of their node is uploaded. */
function uploaded(graph: Graph, id: NodeId, data: Float64Array): InputData {
  switch (node(graph, id).type.dtype) {
    case "f32":
    case "f16":
      return Float32Array.from(data);
    case "i32":
      return Int32Array.from(data);
    case "bool":
      return Uint32Array.from(data);
  }
}

/** A runner on the device and what closes it; a sentence where there is no device. */
export async function onWebgpu(
  environment: Environment,
): Promise<{ readonly run: RunPlans; close(): Promise<void> } | string> {
  const gpu = await environment.gpu();
  if (typeof gpu === "string") return gpu;
  const session: Session = createSession(gpu, hostEnv());
  const info = await session.describe();
  if (!info.ok) return info.problem.text;
  const { target } = info.value;
  const run: RunPlans = async (compilation, inputs) => {
    const ran: { plan: string; outputs: ReadonlyMap<NodeId, ArrayLike<number>> }[] = [];
    for (const [plan, cursor] of [["naive", 0] as const, ["fused", compilation.steps.length] as const]) {
      const fusion = fusionAt(compilation, cursor);
      const known = [...inputs].filter(([id]) => fusion.graph.nodes.has(id));
      const data = new Map(known.map(([id, values]) => [id, uploaded(fusion.graph, id, values)]));
      const result = await session.run(planForTarget(fusion, target, compilation.options), data, {
        memoryBudget: MEMORY_BUDGET,
      });
      if (!result.ok) throw new Error(`${plan}: ${result.problem.text}`);
      ran.push({ plan, outputs: new Map(result.value.map(({ value, data: out }) => [value, out])) });
    }
    return ran;
  };
  return { run, close: () => Promise.resolve(session.close()) };
}
