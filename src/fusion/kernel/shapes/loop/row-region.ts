/**
 * @file A kernel that goes along rows with a loop: a thread owns an element of what is carried, reads a row of everything in each iteration
 * and stores what the iteration gives. Elementwise work before the loop, on its rows and on what it leaves behind happens on the way.
 */
import {
  node,
  sameShape,
  showShape,
  sizeOf,
  type Graph,
  type Knobs,
  type Node,
  type NodeId,
  type Target,
  nodeName,
} from "../../../ir";
import { opDef, ownShape, rowLoopOf, type RowLoop } from "../../../ops";
import { rowLoopMicros, rowLoopThreads } from "../../nest/price";
import { machineOf } from "../../nest/machine";
import { innermost, readsOf, stridedReads } from "../../count/reads";
import { refuse } from "../../refusal";
import { BASE_REGISTERS, blank, liveScalars, type Body } from "../../schedule/schedule-parts";
import type { Classified, RegionForm, RegionRead, RegionSchedule } from "../../types";
import { walksRows } from "../fold/rows/row-ops";
import { loopsIn, statementsIn } from "./map-loops";
import { runBytes, runFactors, runMicros, runRegisters, runShape } from "./run-factors";
import { sharesRuns } from "./run-steps";

/** What is known when: before the loop, row by row, or after the last iteration. */
export type Phase = "before" | "row" | "after";

/** The members of a kernel that goes along rows, or null where the loop is none. */
export interface RowRegion {
  readonly loop: RowLoop;
  /** Results of the loop. */
  readonly results: readonly NodeId[];
  readonly phases: ReadonlyMap<NodeId, Phase>;
}

const isLoop = (graph: Graph, id: NodeId): boolean => opDef(node(graph, id).op).kind === "loop";
/** Whether one of `members` is a loop along rows. */
export const goesAlongRows = (graph: Graph, members: readonly NodeId[]): boolean =>
  members.some((id) => isLoop(graph, id));

/** Every member's phase; the first that has none is told with what it reads. */
export function rowRegionOf(graph: Graph, members: readonly NodeId[]): RowRegion {
  const results = members.filter((id) => isLoop(graph, id));
  const loop = rowLoopOf(node(graph, results[0]!))!;
  const phases = new Map<NodeId, Phase>();
  for (const id of members) {
    const n = node(graph, id);
    const own = results.includes(id) ? (rowLoopOf(n)!.result.kind === "last" ? "after" : "row") : null;
    const read = n.inputs.map((input) => phases.get(input) ?? "before");
    phases.set(id, own ?? (read.includes("after") ? "after" : read.includes("row") ? "row" : "before"));
  }
  return { loop, results, phases };
}

/** The form of a kernel that goes along rows, or why there is none. */
export function classifyRowLoop(graph: Graph, members: readonly NodeId[], outputs: readonly NodeId[]): Classified {
  const { loop, results, phases } = rowRegionOf(graph, members);
  const label = (id: NodeId): string => `\`${nodeName(node(graph, id))}\``;
  const [first] = results as [NodeId];
  const other = loopsIn(graph, results)[1]?.[0];
  if (other)
    return refuse(
      "L_REDUCE_REDUCE",
      [first, other.id],
      `${label(first)} and ${label(other.id)} are rows of two loops, and a kernel goes along the rows of one.`,
      "One loop that carries what both do.",
    );
  const walking = members.find((id) => walksRows(node(graph, id)) || opDef(node(graph, id).op).kind === "contraction");
  if (walking !== undefined)
    return refuse(
      "L_REDUCE_REDUCE",
      [walking, first],
      `${label(walking)} has loops of its own over all rows, and the loop of ${label(first)} goes from row to row.`,
      "Nothing here: a second kernel has to read the rows.",
    );
  for (const id of members) {
    const n = node(graph, id);
    const phase = phases.get(id)!;
    if (phase === "before" || results.includes(id)) continue;
    const around = phase === "row" ? loop.whole : loop.outer;
    const odd = n.inputs.find((input) => {
      const read = phases.get(input) ?? "before";
      return read !== "before" && read !== phase;
    });
    if (odd !== undefined)
      return refuse(
        "L_REDUCE_REDUCE",
        [id, odd],
        `${label(id)} reads rows of the loop and what it carries after the last one: the rows have gone by then.`,
        "Nothing here: a second kernel has to read the rows.",
      );
    const inputs = n.inputs.filter((input) => phases.has(input) && phases.get(input) !== "before");
    const shape = node(graph, inputs[0]!).type.shape;
    const aligned = sameShape(shape.slice(0, around.length), around);
    if (
      opDef(n.op).kind !== "elementwise" ||
      !aligned ||
      inputs.some((input) => !sameShape(node(graph, input).type.shape, shape))
    )
      return refuse(
        "L_INDEX",
        [inputs[0]!, id],
        `${label(id)} needs other elements of ${label(inputs[0]!)} than the thread that computed them has.`,
        "A reader that takes each element in place.",
      );
    if (!sameShape(n.type.shape, shape))
      return refuse(
        "L_SHAPE",
        [first, id],
        `${label(id)} is ${showShape(n.type.shape)}, and the loop gives ${showShape(shape)}: its elements do not match one to one.`,
        "The same shape for both.",
        { elements: sizeOf(n.type.shape), otherElements: sizeOf(shape) },
      );
  }
  const shared = sharesRuns(node(graph, first));
  const again = shared ? readAgain(graph, first).find((id) => phases.has(id)) : undefined;
  if (again !== undefined)
    return refuse(
      "L_INDEX",
      [again, first],
      `Every iteration of ${label(first)} reads elements of ${label(again)} that other threads would have computed.`,
      "Nothing here: a kernel of its own computes it once.",
    );
  const misfit = outputs.find(
    (id) =>
      phases.get(id) === "before" &&
      (shared ||
        (!sameShape(node(graph, id).type.shape, loop.whole) && !sameShape(node(graph, id).type.shape, loop.outer))),
  );
  if (misfit !== undefined)
    return refuse(
      "L_SHAPE",
      [misfit, first],
      `${label(misfit)} is needed in memory and is ${showShape(node(graph, misfit).type.shape)}; this kernel stores rows of ${showShape(loop.whole)} and what is carried, ${showShape(loop.outer)}.`,
      "A program that does not need it in memory.",
    );
  const form: RegionForm = {
    template: "row-loop",
    space: loop.whole,
    reducedAxes: [loop.rowAxis],
    rows: sizeOf(loop.outer),
    columns: loop.iterations,
    reductions: [],
    scans: [],
    columnFolds: [],
    orders: [],
    contraction: null,
  };
  return { ok: true, form };
}

/** What all iterations of a loop read, where that is more than a number a run. */
function readAgain(graph: Graph, id: NodeId): readonly NodeId[] {
  const { op, attrs, inputs } = node(graph, id);
  const { params, next } = opDef(op).loop!.bodyOf(attrs);
  return inputs.filter((_, at) => at >= next.length && !params[at]!.walk && sizeOf(ownShape(params[at]!)) > 1);
}

/** Threads that share a run of what is carried, and several runs in a workgroup. */
function scheduleSharedRuns(
  reads: readonly RegionRead[],
  results: readonly Node[],
  graph: Graph,
  target: Target,
  knobs: Knobs,
): RegionSchedule {
  const shape = runShape(graph, results);
  const machine = machineOf(target);
  const chosen = knobs.threads === undefined ? undefined : Number(knobs.threads);
  const run = runFactors(shape, machine, chosen) ?? { lanes: chosen ?? 32, beside: 1 as const };
  const alone = run.lanes === 1;
  const workgroups = shape.runs / run.beside;
  const micros = runMicros(shape, run, machine);
  return blank({
    variant: "row-loop",
    run,
    reads,
    threadsPerWorkgroup: alone ? Math.min(64, target.maxWorkgroupSize) : run.lanes,
    workgroups: alone ? Math.ceil(workgroups / 64) : workgroups,
    workgroupBytes: alone ? 0 : runBytes(shape, run),
    registers: runRegisters(shape, run),
    modelledBytes: 4 * shape.matrices * (shape.iterations * workgroups - 1),
    ...(Number.isFinite(micros) && !alone && { leastMicros: micros }),
  });
}

/** One thread for each element of what is carried, or several for a run that is longer. */
export function scheduleRowLoop(
  graph: Graph,
  region: Body,
  form: RegionForm,
  target: Target,
  knobs: Knobs,
): RegionSchedule {
  const { members, outputs } = region;
  const { loop, results, phases } = rowRegionOf(graph, members);
  const reads = readsOf(graph, members, outputs, stridedReads(graph, members, outputs, form, "rows"));
  const nodes = results.map((id) => node(graph, id));
  if (sharesRuns(nodes[0]!)) return scheduleSharedRuns(reads, nodes, graph, target, knobs);
  const registers = BASE_REGISTERS + liveScalars(graph, region);
  const size = sizeOf(form.space);
  const isRow = (id: NodeId): boolean =>
    phases.get(id) === "before" ? sameShape(node(graph, id).type.shape, form.space) : phases.get(id) === "row";
  const stored = outputs.filter(isRow);
  const perRow = (elements: number): number => Math.floor(elements / Math.max(1, size));
  const inRows = reads.reduce((sum, { elements }) => sum + perRow(elements), 0);
  const given = stored.reduce((sum, id) => sum + perRow(sizeOf(node(graph, id).type.shape)), 0);
  const ops = members.filter((id) => phases.get(id) !== "after" && !results.includes(id)).length;
  const computed = statementsIn(loop.body, nodes);
  const shape = {
    elements: form.rows,
    iterations: form.columns,
    loads: inRows + given,
    ops: ops + computed,
    registers,
  };
  const machine = machineOf(target);
  const threads = Number(knobs.threads ?? rowLoopThreads(shape, machine));
  // Neighbouring threads store neighbours where the rows' axis is not the one that runs fastest.
  const apart = form.columns > 1 && innermost(form.space) === loop.rowAxis;
  return blank({
    variant: "row-loop",
    reads,
    stridedWrites: apart && form.rows > 1 ? stored : [],
    threadsPerWorkgroup: threads,
    workgroups: Math.ceil(form.rows / threads),
    registers,
    leastMicros: rowLoopMicros(shape, threads, machine),
  });
}
