/** @file One kernel of a plan at work: the kernels before it run, then it is written down what one of its workgroups does. */
import { bug, type DeviceProfile, type Fusion, type Kernel, type NodeId, type Target, type TensorType } from "../ir";
import {
  interpretProgram,
  Recorder,
  type Counting,
  type Moment,
  type Moved,
  boundValues,
  type KernelProgram,
  laidOut,
  printWithStatements,
} from "../kernel/code";
import { lowerFusion } from "./plan";

export interface RecordedMoment extends Omit<Moment, "stmt"> {
  /** Line of the WGSL, from 1; null for what stands in another line. */
  readonly line: number | null;
}

export interface KernelRecording extends Pick<
  KernelProgram,
  "name" | "template" | "schedule" | "workgroups" | "workgroupSize"
> {
  readonly wgsl: string;
  /** What it binds, in order; numbers before and after it ran. */
  readonly memory: readonly {
    readonly name: string;
    readonly value: NodeId;
    readonly type: TensorType;
    readonly writes: boolean;
    readonly before: Float32Array;
    readonly after: Float32Array;
  }[];
  /** Arrays of workgroup memory. */
  readonly shared: readonly { readonly name: string; readonly cells: number }[];
  /** Whose moments these are; those along x come first. */
  readonly workgroup: number;
  readonly moments: readonly RecordedMoment[];
  /** There were more of them. */
  readonly cut: boolean;
  /** Bytes, as traffic is counted, when each workgroup has ended. */
  readonly ended: readonly Moved[];
}

/** More moments of a workgroup are not written down. */
const MAX_MOMENTS = 4000;

/**
 * Runs a plan in f32 up to one of its kernels, and writes down what that one does.
 * @param kernels of the plan of `fusion` for `target`
 * @param at index of the kernel
 * @param inputs data of every input node and folded constant, row-major
 */
export function recordKernel(
  fusion: Fusion,
  target: Target,
  profile: DeviceProfile,
  kernels: readonly Kernel[],
  at: number,
  inputs: ReadonlyMap<NodeId, Float64Array>,
  workgroup: number,
): KernelRecording {
  const programs = lowerFusion(fusion, target, profile).flatMap((lowered) => lowered.programs);
  const program = programs[at];
  if (!program) throw bug(`the plan has no kernel ${at}`);
  const memory = memoryAfter(programs.slice(0, at), inputs);
  const bound = dataOf(program, memory, inputs);
  const held = (value: NodeId): Float32Array => Float32Array.from(bound.get(value)!);
  const first = program.buffers.map(({ value }) => held(value));
  const recorder = new Recorder(program, workgroup, MAX_MOMENTS, countingOf(program, kernels[at]!));
  interpretProgram(program, bound, { precision: "f32", watcher: recorder });
  const { wgsl, lines } = laidOut(printWithStatements(program));
  const lineOf = new Map(lines.flatMap((stmts, i) => stmts.map((stmt) => [stmt, i + 1] as const)).toReversed());
  const values = boundValues(program);
  const { name, template, schedule, workgroups, workgroupSize, shared } = program;
  return {
    name,
    template,
    schedule,
    workgroups,
    workgroupSize,
    wgsl,
    memory: program.buffers.map(({ name: called, value, type, access }, i) => ({
      name: called,
      value: values[i]!,
      type,
      writes: access === "read_write",
      before: first[i]!,
      after: held(value),
    })),
    shared: shared.flatMap((array) => (array.own ? [] : [{ name: array.name, cells: array.length * array.width }])),
    workgroup,
    moments: recorder.moments.map(({ stmt, ...moment }) => ({ ...moment, line: lineOf.get(stmt) ?? null })),
    cut: recorder.cut,
    ended: recorder.ended,
  };
}

/**
 * What a plan's kernels, run in f32, leave in memory, by value.
 * @param inputs data of every input node and folded constant, row-major; they are among the results
 */
export const valuesInMemory = (
  fusion: Fusion,
  target: Target,
  profile: DeviceProfile,
  inputs: ReadonlyMap<NodeId, Float64Array>,
): ReadonlyMap<NodeId, Float64Array> =>
  new Map([
    ...inputs,
    ...memoryAfter(
      lowerFusion(fusion, target, profile).flatMap(({ programs }) => programs),
      inputs,
    ),
  ]);

function memoryAfter(
  programs: readonly KernelProgram[],
  inputs: ReadonlyMap<NodeId, Float64Array>,
): Map<NodeId, Float64Array> {
  const memory = new Map<NodeId, Float64Array>();
  for (const program of programs) {
    const bound = dataOf(program, memory, inputs);
    interpretProgram(program, bound, { precision: "f32" });
  }
  return memory;
}

/** What a program binds, by its own names; what was never written is NaN. */
function dataOf(
  program: KernelProgram,
  memory: Map<NodeId, Float64Array>,
  inputs: ReadonlyMap<NodeId, Float64Array>,
): Map<NodeId, Float64Array> {
  const values = boundValues(program);
  return new Map(
    program.buffers.map(({ value, elements }, i) => {
      const at = values[i]!;
      if (!memory.has(at)) memory.set(at, inputs.get(at) ?? new Float64Array(elements).fill(Number.NaN));
      return [value, memory.get(at)!];
    }),
  );
}

/** What the plan counts for this kernel, by what the program calls it. */
function countingOf(program: KernelProgram, { reads, writes }: Kernel): Counting {
  const values = boundValues(program);
  return new Map(
    program.buffers.map(({ value }, i) => {
      const read = reads.find((each) => each.value === values[i]);
      return [value, { passes: read ? 1 + read.rereads : 0, writes: writes.some((each) => each.value === values[i]) }];
    }),
  );
}
