/** @file Runs whole plans on the CPU, kernel by kernel, from the programs that their WGSL is printed from. */
import { bug, node, sizeOf, type DeviceProfile, type Fusion, type NodeId, type Target } from "../ir";
import { resolveView } from "../region";
import type { AccessLog } from "./interpret/access-log";
import { interpretProgram, type InterpretOptions } from "./interpret/machine";
import type { KernelProgram } from "./kernel-ir";
import { lowerFusion } from "./plan";

export interface CpuRun {
  /** Graph outputs, views resolved, in f64; bool as 0 and 1. */
  readonly outputs: ReadonlyMap<NodeId, Float64Array>;
  readonly kernels: readonly { readonly program: KernelProgram; readonly log: AccessLog }[];
}

/**
 * Lowers a fusion and interprets every kernel.
 * @param inputs data of every input node, row-major
 */
export function runPlanOnCpu(
  fusion: Fusion,
  target: Target,
  profile: DeviceProfile,
  inputs: ReadonlyMap<NodeId, Float64Array>,
  options: InterpretOptions = {},
): CpuRun {
  const { graph } = fusion;
  const memory = new Map<NodeId, Float64Array>();
  const kernels: { program: KernelProgram; log: AccessLog }[] = [];
  for (const { programs } of lowerFusion(fusion, target, profile)) {
    for (const program of programs) {
      for (const { value, elements } of program.buffers) {
        if (!memory.has(value)) memory.set(value, inputs.get(value) ?? new Float64Array(elements).fill(Number.NaN));
      }
      kernels.push({ program, log: interpretProgram(program, memory, options) });
    }
  }
  const outputs = new Map<NodeId, Float64Array>();
  for (const id of graph.outputs) {
    const value = resolveView(graph, id);
    const data = memory.get(value) ?? inputs.get(value);
    if (!data) throw bug(`output ${id} was never computed`);
    if (data.length !== sizeOf(node(graph, id).type.shape)) throw bug(`output ${id} has ${data.length} elements`);
    outputs.set(id, data);
  }
  return { outputs, kernels };
}
