/** @file A region made ready for a plan: its counts and its kernels as text. The lowered program behind them is dropped. */
import {
  type Arithmetic,
  regionArithmetic,
  classify,
  scheduleRegion,
  type RegionForm,
  type RegionSchedule,
} from "../kernel";
import { bug, type Graph, type Kernel, type NodeId, type Region, type Target, type TensorType } from "../ir";
import { sharedBytes, type KernelProgram, laidOut, lowerJob, printWgsl } from "../kernel/code";

export interface PrintedBinding {
  readonly name: string;
  readonly value: NodeId;
  readonly access: "read" | "read_write" | "uniform";
  readonly type: TensorType;
  readonly elements: number;
  /** How often a launch of a loop reads them again. */
  readonly rereads?: number;
  /** An input that `value` is written over. */
  readonly begins?: NodeId;
  readonly adds?: true;
}

/** What a plan keeps of one dispatch. */
export interface PrintedProgram extends Pick<
  Kernel,
  "name" | "template" | "schedule" | "workgroupSize" | "workgroups" | "workgroupBytes" | "wgsl" | "lines"
> {
  readonly bindings: readonly PrintedBinding[];
  /** FLOP of a launch that is counted by itself. */
  readonly flops?: number;
}

/** What does not depend on a device profile: the kernel's shape, its arithmetic, its text. */
export interface PrintedRegion {
  readonly form: RegionForm;
  readonly schedule: RegionSchedule;
  readonly arithmetic: Arithmetic;
  readonly programs: readonly PrintedProgram[];
}

export interface ShapedRegion extends Omit<PrintedRegion, "programs"> {
  readonly programs: readonly KernelProgram[];
}

/** Form, schedule, arithmetic and lowered kernels of a region. */
export function shapeRegion(graph: Graph, region: Region, target: Target): ShapedRegion {
  const classified = classify(graph, region.members, region.outputs);
  if (!classified.ok) throw bug(`region ${region.id} is no kernel: ${classified.verdict.text}`);
  const { form } = classified;
  // Its verdict speaks of nodes by names that a plan may change: who shows it asks for it anew.
  const { order: _, ...schedule } = scheduleRegion(graph, region, form, target);
  const arithmetic = regionArithmetic(graph, region, form, schedule);
  return { form, schedule, arithmetic, programs: lowerJob({ graph, region, form, schedule, target }) };
}

export function printRegion(graph: Graph, region: Region, target: Target): PrintedRegion {
  const shaped = shapeRegion(graph, region, target);
  // Launches of one kernel on other values have one text.
  const texts = new Map<KernelProgram["body"], PrintedProgram>();
  const programs = shaped.programs.map((program): PrintedProgram => {
    const text = texts.get(program.body) ?? laidOut(printProgram(program));
    texts.set(program.body, text);
    const { launch } = program;
    if (!launch) return text;
    return {
      ...text,
      flops: launch.flops,
      bindings: text.bindings.map((binding, i) => ({
        ...binding,
        value: launch.values[i]!,
        elements: launch.touched[i]!.elements,
        rereads: launch.touched[i]!.rereads,
      })),
    };
  });
  return { ...shaped, programs };
}

/** The kernel as it is printed, before its lines are broken: names still may change. */
export function printProgram(program: KernelProgram): PrintedProgram {
  const { name, template, schedule, workgroupSize, workgroups, shared, buffers } = program;
  return {
    name,
    template,
    schedule,
    workgroupSize,
    workgroups,
    workgroupBytes: sharedBytes(shared),
    bindings: buffers.map((buffer) => ({
      name: buffer.name,
      value: buffer.value,
      access: buffer.access,
      type: buffer.type,
      elements: buffer.elements,
      ...(buffer.begins !== undefined && { begins: buffer.begins }),
      ...(buffer.atomic && { adds: true as const }),
    })),
    ...printWgsl(program),
  };
}
