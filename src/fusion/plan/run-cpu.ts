/** @file Runs whole plans on the CPU, kernel by kernel, from the programs that their WGSL is printed from. */
import { bug, node, sizeOf, type DeviceProfile, type Fusion, type NodeId, type Target } from "../ir";
import { resolveView } from "../kernel";
import {
  type AccessLog,
  interpretProgram,
  type InterpretOptions,
  translate,
  boundValues,
  type KernelProgram,
} from "../kernel/code";
import { lowerFusion, type LoweredRegion } from "./plan";

const NO_LOG: AccessLog = { buffers: [], problems: [] };

/** The log by what was bound. */
function rebound(program: KernelProgram, log: AccessLog): AccessLog {
  if (!program.launch) return log;
  const bound = new Map(program.buffers.map(({ value }, i) => [value, program.launch!.values[i]!]));
  return { ...log, buffers: log.buffers.map((access) => ({ ...access, value: bound.get(access.value)! })) };
}

export interface CpuRun {
  /** Graph outputs, views resolved, in f64; bool as 0 and 1. */
  readonly outputs: ReadonlyMap<NodeId, Float64Array>;
  readonly regions: readonly RegionRun[];
  /** Every dispatch, in order. */
  readonly kernels: readonly { readonly program: KernelProgram; readonly log: AccessLog }[];
}

export interface RegionRun extends LoweredRegion {
  /** One a program. */
  readonly logs: readonly AccessLog[];
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
  const memory = new Map<NodeId, Float64Array>();
  const regions = lowerFusion(fusion, target, profile).map((lowered): RegionRun => {
    const logs = lowered.programs.map((program) => {
      const bound = boundValues(program);
      const own = new Map<NodeId, Float64Array>();
      program.buffers.forEach(({ value, elements, begins }, i) => {
        const at = bound[i]!;
        if (!memory.has(at)) memory.set(at, startOf(inputs, at, elements, begins));
        own.set(value, memory.get(at)!);
      });
      const quick = options.log === false ? translate(program, options.precision ?? "f64") : null;
      if (!quick) return rebound(program, interpretProgram(program, own, options));
      quick(own);
      return NO_LOG;
    });
    return { ...lowered, logs };
  });
  const outputs = outputsIn(memory, fusion, inputs);
  const kernels = regions.flatMap(({ programs, logs }) => programs.map((program, i) => ({ program, log: logs[i]! })));
  return { outputs, regions, kernels };
}

/**
 * A fusion lowered once, for many runs: outputs by input data, views resolved; bool as 0 and 1. Nothing is logged.
 * @param precision of every operation
 */
export function cpuPlan(
  fusion: Fusion,
  target: Target,
  profile: DeviceProfile,
  precision: NonNullable<InterpretOptions["precision"]>,
): (inputs: ReadonlyMap<NodeId, Float64Array>) => ReadonlyMap<NodeId, Float64Array> {
  const programs = lowerFusion(fusion, target, profile).flatMap((lowered) => lowered.programs);
  const ready = programs.map((program) => ({ program, quick: translate(program, precision) }));
  return (inputs) => {
    const memory = new Map<NodeId, Float64Array>();
    for (const { program, quick } of ready) {
      for (const { value, elements, begins } of program.buffers)
        if (!memory.has(value)) memory.set(value, startOf(inputs, value, elements, begins));
      if (quick) quick(memory);
      else interpretProgram(program, memory, { precision, log: false });
    }
    return outputsIn(memory, fusion, inputs);
  };
}

/** What a buffer holds before its first kernel: an input's data, a copy of it where a result is written over it, or nothing. */
function startOf(
  inputs: ReadonlyMap<NodeId, Float64Array>,
  value: NodeId,
  elements: number,
  begins: NodeId | undefined,
): Float64Array {
  if (begins !== undefined) return Float64Array.from(inputs.get(begins)!);
  return inputs.get(value) ?? new Float64Array(elements).fill(Number.NaN);
}

/** The graph's outputs in the memory that its kernels left. */
function outputsIn(
  memory: ReadonlyMap<NodeId, Float64Array>,
  { graph }: Fusion,
  inputs: ReadonlyMap<NodeId, Float64Array>,
): Map<NodeId, Float64Array> {
  const outputs = new Map<NodeId, Float64Array>();
  for (const id of graph.outputs) {
    const value = resolveView(graph, id);
    const size = sizeOf(node(graph, id).type.shape);
    const data = memory.get(value) ?? inputs.get(value) ?? (size === 0 ? new Float64Array(0) : undefined);
    if (!data) throw bug(`output ${id} was never computed`);
    if (data.length !== size) throw bug(`output ${id} has ${data.length} elements`);
    outputs.set(id, data);
  }
  return outputs;
}
