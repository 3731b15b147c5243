/** @file A loop whose iterations are launched: the kernels of its body, once an iteration, on what the iteration before left behind. */
import { regionArithmetic } from "../../../count/flops";
import {
  bug,
  isLiteral,
  node,
  nodeId,
  partialsId,
  sizeOf,
  type Graph,
  type Node,
  type NodeId,
  type Region,
  type Target,
} from "../../../../ir";
import { rowAt, rowLoopOf } from "../../../../ops";
import { classify } from "../../../classify";
import { endingOf, LaunchedLoop, uncutOf, type Launch, type Home, type IterationKernels } from "../launched";
import { scheduleRegion } from "../../../schedule/schedule";
import { registerScalar } from "../../../emit/emitter";
import { programOf, storedForm, threadPerItem, type Job } from "../../../emit/kernel-frame";
import { Lowering } from "../../../emit/lowering";
import type { KernelProgram, Touched } from "../../../emit/kernel-ir";

/** The kernels of a region whose form and schedule are known. */
export type LowerJob = (job: Job) => readonly KernelProgram[];

/** Lowers one kernel of an iteration. */
function lowerLaunch(
  graph: Graph,
  given: Region,
  wide: Target,
  lowerJob: LowerJob,
): { readonly program: KernelProgram; readonly flops: number; readonly touched: readonly Touched[] } {
  const region = storedForm(graph, given);
  const target = uncutOf(wide);
  const classified = classify(graph, region.members, region.outputs);
  if (!classified.ok) throw bug(`${region.id} is no kernel: ${classified.verdict.text}`);
  const { form } = classified;
  const schedule = scheduleRegion(graph, region, form, target);
  const [program, more] = lowerJob({ graph, region, form, schedule, target });
  if (!program || more) throw bug(`${region.id} is more than a kernel`);
  const read = new Map(schedule.reads.map((each) => [each.value, each]));
  return {
    program,
    flops: regionArithmetic(graph, region, form, schedule).flops,
    touched: program.buffers.map(({ value, elements }) => read.get(value) ?? { elements, rereads: 0 }),
  };
}

interface RowCopy {
  readonly graph: Graph;
  readonly region: Region;
  readonly target: Target;
  readonly output: NodeId;
  /** The row that is written. */
  readonly row: number;
  /** What is written there, as a source. */
  readonly source: Node;
  /** Where it is a row itself: which one of what. */
  readonly from: { readonly node: Node; readonly row: number; readonly axis: number } | null;
}

/** One thread for each element of a row, which copies it to its index in a result that has all rows; a last value has one row. */
function lowerRowCopy({ graph, region, target, output, row, source, from }: RowCopy): {
  readonly program: KernelProgram;
  readonly touched: readonly Touched[];
} {
  const result = node(graph, output);
  const { outer: around, own: inside, rowAxis, result: kind } = rowLoopOf(result)!;
  const rowShape = [...around, ...inside];
  const whole = from ? { ...source, type: from.node.type } : source;
  const written: Node = { ...result, op: "expand", inputs: [whole.id], attrs: { shape: result.type.shape } };
  const own: Graph = { nodes: new Map([whole, written].map((n) => [n.id, n])), outputs: [output] };
  const low = new Lowering(own, [], [...(isLiteral(whole) ? [] : [whole.id]), output]);
  const { space } = low;
  const threads = Math.min(64, target.maxWorkgroupSize);
  const grid = threadPerItem(low, sizeOf(rowShape), threads, target);
  const element = space.unravel(grid.index, rowShape);
  const rest = from ? whole.type.shape.toSpliced(from.axis, 1) : whole.type.shape;
  const read = rest.map((extent, i) => (extent === 1 ? space.int(0) : element[rowShape.length - rest.length + i]!));
  const value = low.valueAt(whole.id, space.tuple(from ? read.toSpliced(from.axis, 0, space.int(from.row)) : read));
  const at = kind.kind === "last" ? element : element.toSpliced(rowAxis, 0, space.int(row));
  const scalar = registerScalar(result.type.dtype);
  const buffer = Object.assign(low.buffer(output), { written: sizeOf(rowShape) });
  low.store(buffer, space.ravel(at, result.type.shape), low.converted(value, scalar, whole.id), [output]);
  const job = { graph: own, region: { ...region, members: [output], outputs: [output] }, target };
  const program = programOf(low, job, {
    template: "copy",
    name: "copy_row",
    title: `row ${row} of ${result.label}`,
    schedule: `One thread per element of a row, ${threads} threads a workgroup.`,
    workgroupSize: grid.workgroupSize,
    workgroups: grid.workgroups,
  });
  return {
    program,
    touched: program.buffers.map(({ value: id }) => ({
      elements: sizeOf(id === output ? rowShape : rest),
      rereads: 0,
    })),
  };
}

/** Equal for launches of one kernel: names are those of the loop's body. */
function saidOfLaunch(graph: Graph, { region }: Launch): string {
  const read = region.members.flatMap((id) => node(graph, id).inputs);
  const nodes = [...new Set([...read, ...region.members])].map((id) => {
    const { op, attrs, inputs, type } = node(graph, id);
    return [id, op, attrs, inputs, type];
  });
  return JSON.stringify([region.outputs, nodes]);
}

/** @param lowerJob lowers what one iteration launches */
export function lowerLaunched({ graph, region, target }: Job, lowerJob: LowerJob): KernelProgram[] {
  const loop = new LaunchedLoop(graph, region.outputs);
  const lowered = new Map<Launch, ReturnType<typeof lowerLaunch>>();
  /** Launches of other iterations are the same kernel as far as they read no rows and no number of the iteration. */
  const alike = new Map<string, ReturnType<typeof lowerLaunch>>();
  const lowerAlike = (kernels: Graph, launch: Launch): ReturnType<typeof lowerLaunch> => {
    const key = saidOfLaunch(kernels, launch);
    const found = alike.get(key) ?? lowerLaunch(kernels, launch.region, target, lowerJob);
    alike.set(key, found);
    return found;
  };
  const iterations: { readonly kernels: IterationKernels; readonly homes: readonly Home[] }[] = [];
  let homes = loop.first;
  for (let iteration = 0; iteration < loop.iterations; iteration++) {
    const kernels = loop.kernels(homes, iteration);
    iterations.push({ kernels, homes });
    homes = loop.after(homes, iteration, kernels);
  }
  const ending = endingOf(loop, homes);
  const named = new Map<string, NodeId>();
  ending.homes.forEach((home, i) => {
    if (!ending.copied[i] && home?.kind === "made") named.set(`${home.at} ${home.iteration}`, loop.outputs[i]!);
  });
  const valueAt = (at: number, iteration: number): NodeId =>
    named.get(`${at} ${iteration}`) ?? partialsId(`${loop.outputs[0]!}~${loop.body.values[at]!.name}.${iteration}`);
  const valueOf = (home: Home): NodeId => (home.kind === "made" ? valueAt(home.at, home.iteration) : home.node.id);
  const own = { region: region.id, nodes: region.members };
  const programs = iterations.flatMap(({ kernels, homes: from }, iteration) => [
    ...kernels.launches.map((launch): KernelProgram => {
      const found = lowered.get(launch) ?? lowerAlike(kernels.graph, launch);
      lowered.set(launch, found);
      const values = found.program.buffers.map(({ value }) => {
        const arg = kernels.argOf.get(value);
        if (arg?.kind === "value") return valueAt(arg.at, iteration);
        if (arg?.kind !== "param") throw bug(`${value} is nothing that an iteration reads`);
        return valueOf(from[arg.at]!);
      });
      return { ...found.program, ...own, launch: { values, flops: found.flops, touched: found.touched } };
    }),
    ...loop.given(from, iteration, kernels).map(({ output, from: home, row }) => copiedRow(output, home, row)),
  ]);
  return [
    ...programs,
    ...ending.homes.flatMap((home, i) => (home && ending.copied[i] ? [copied(loop.outputs[i]!, home)] : [])),
  ];

  /** A value as the source of a copy. */
  function sourceOf(output: NodeId, home: Home): Node {
    const from = nodeId(`${output}~last`);
    if (home.kind === "literal") return { ...home.node, id: from };
    const type = home.kind === "outside" ? home.node.type : home.type;
    return { ...node(graph, output), id: from, op: "input", inputs: [], attrs: {}, type };
  }

  /** What an iteration gives is copied to its row of the result. */
  function copiedRow(output: NodeId, home: Home, row: number): KernelProgram {
    const { program, touched } = lowerRowCopy({
      graph,
      region,
      target,
      output,
      row,
      source: sourceOf(output, home),
      from: home.kind === "row" ? { node: home.node, row: rowAt(home.walk, home.iteration), axis: home.axis } : null,
    });
    const values = program.buffers.map(({ value }) => (value === output ? output : valueOf(home)));
    return { ...program, ...own, launch: { values, flops: 0, touched } };
  }

  /** A result that lies where something else does is copied. */
  function copied(output: NodeId, home: Home): KernelProgram {
    const result = node(graph, output);
    if (home.kind === "row") return copiedRow(output, home, 0);
    const source = sourceOf(output, home);
    const from = source.id;
    const to: Node = { ...result, op: "expand", inputs: [from], attrs: { shape: result.type.shape } };
    const { program, flops, touched } = lowerLaunch(
      { nodes: new Map([source, to].map((n) => [n.id, n])), outputs: [output] },
      { id: region.id, members: [output], outputs: [output] },
      target,
      lowerJob,
    );
    const values = program.buffers.map(({ value }) => (value === from ? valueOf(home) : output));
    return { ...program, ...own, launch: { values, flops, touched } };
  }
}
