/** @file Rows that no workgroup has room for, put in order: sorted in runs, which kernel after kernel merges two by two. */
import {
  node,
  showCount,
  sizeOf,
  type Graph,
  type Knobs,
  type Node,
  type NodeId,
  type Target,
  nodeName,
} from "../../../ir";
import { handedOver, mergedMicros, mergeFactors, orderStages, type MergeShape } from "./merge-factors";
import { sumOf } from "./sort-factors";
import { MAX_SORTED, MAX_SELECTED, opDef } from "../../../ops";
import { rowLane } from "../../nest/lanes";
import { positionsOf } from "../../count/positions";
import { readsOf, stridedReads } from "../../count/reads";
import { refusal, storedRemedy } from "../../refusal";
import { isOrder, walkedAxes } from "../fold/rows/row-ops";
import { BASE_REGISTERS, blank, liveScalars, type Body } from "../../schedule/schedule-parts";
import { machineOf } from "../../nest/machine";
import type { RowSort } from "../../nest/threads";
import type { Classified, RegionForm, RegionSchedule } from "../../types";
import { storedInputs } from "../../indices/views";

/** The one sort of a region whose rows are merged: all of its orders share it. */
export function mergedSort(graph: Graph, { orders, columns }: RegionForm): RowSort {
  const ids = orders.map((order) => order.node);
  const first = node(graph, ids[0]!);
  const { descending, count } = opDef(first.op).order!;
  return {
    operand: first.inputs[0]!,
    descending: descending(first.attrs),
    orders: ids,
    stage: 0,
    indices: ids.some((id) => opDef(node(graph, id).op).order!.indices),
    retained: 0,
    count: count(first.attrs, columns),
  };
}

/** Whether a row is too long for a workgroup, and more of it is wanted than the first few that are found while it goes by. */
export function needsMerging(graph: Graph, orders: readonly NodeId[]): boolean {
  return orders.some((id) => {
    const n = node(graph, id);
    const columns = node(graph, n.inputs[0]!).type.shape[walkedAxes(graph, n)![0]!]!;
    return columns > MAX_SORTED && opDef(n.op).order!.count(n.attrs, columns) > MAX_SELECTED;
  });
}

/** Members that `from` is computed from, `from` included; what stands in `stop` ends the way. */
function behind(
  graph: Graph,
  members: readonly NodeId[],
  from: readonly NodeId[],
  stop: ReadonlySet<NodeId>,
): ReadonlySet<NodeId> {
  const asked = new Set(from);
  const found = new Set<NodeId>();
  for (const id of members.toReversed()) {
    if (!asked.has(id) || stop.has(id)) continue;
    found.add(id);
    for (const input of node(graph, id).inputs) asked.add(input);
  }
  return found;
}

/** Members of the first kernel, which sorts the runs, and of the last, which stores what is made of the row in order. */
export function partitionOf(
  graph: Graph,
  { members, outputs }: Body,
  orders: readonly NodeId[],
): { readonly before: readonly NodeId[]; readonly after: readonly NodeId[] } {
  const stop = new Set(orders);
  const before = behind(graph, members, [node(graph, orders[0]!).inputs[0]!], stop);
  const after = behind(graph, members, outputs, stop);
  return { before: members.filter((id) => before.has(id)), after: members.filter((id) => after.has(id)) };
}

const same = (graph: Graph, a: Node, b: Node): boolean => {
  const [x, y] = [a, b].map((n) => {
    const { shape } = node(graph, n.inputs[0]!).type;
    const { axis, descending, count } = opDef(n.op).order!;
    return [
      n.inputs[0],
      axis(n.attrs, shape),
      descending(n.attrs),
      count(n.attrs, shape[axis(n.attrs, shape)]!),
    ].join();
  });
  return x === y;
};

/** The form of a region that puts long rows in order by merging runs, or why it can't be one. */
export function classifyMerged(
  graph: Graph,
  members: readonly NodeId[],
  outputs: readonly NodeId[],
  rowOps: readonly NodeId[],
): Classified {
  const orders = rowOps.filter((id) => isOrder(node(graph, id)));
  const first = node(graph, orders[0]!);
  const { shape } = node(graph, first.inputs[0]!).type;
  const axis = walkedAxes(graph, first)![0]!;
  const columns = shape[axis]!;
  const no = (
    code: "L_REDUCE_REDUCE" | "L_ROOT" | "L_SHAPE" | "L_INDEX",
    id: NodeId,
    why: string,
    remedy: string,
  ): Classified => ({
    ok: false,
    verdict: refusal(
      code,
      [id, first.id],
      `\`${nodeName(first)}\` puts its ${showCount(columns)} elements in order in several kernels, one after another: ${why}.`,
      remedy,
      { columns, limit: MAX_SORTED },
    ),
  });
  const label = (id: NodeId): string => `\`${nodeName(node(graph, id))}\``;
  const other = rowOps.find((id) => !orders.includes(id) || !same(graph, first, node(graph, id)));
  if (other !== undefined)
    return no(
      "L_REDUCE_REDUCE",
      other,
      `no row is complete for ${label(other)} on the way`,
      "Nothing here: sorted runs are merged in kernels of their own.",
    );
  const { before, after } = partitionOf(graph, { members, outputs }, orders);
  const reached = new Set<NodeId>(orders);
  for (const id of members) if (node(graph, id).inputs.some((input) => reached.has(input))) reached.add(id);
  const early = outputs.find((id) => !reached.has(id));
  if (early !== undefined)
    return no(
      "L_ROOT",
      early,
      `only the last of them stores, and ${label(early)}, which is computed before, is needed in memory too`,
      storedRemedy(graph, members, early, first.id),
    );
  const sizes = outputs.map((id) => sizeOf(node(graph, id).type.shape));
  const odd = sizes.findIndex((size) => size !== sizes[0]);
  if (odd > 0)
    return no(
      "L_SHAPE",
      outputs[odd]!,
      `the last of them stores ${sizes[0]} elements and ${label(outputs[odd]!)} has ${sizes[odd]}`,
      "The same number of elements for both.",
    );
  const reads = new Set(storedInputs(graph, [...before, first.id]));
  const inside = new Set(orders);
  const again = storedInputs(graph, after).find(
    (id) => reads.has(id) && !inside.has(id) && sizeOf(node(graph, id).type.shape) > 1,
  );
  if (again !== undefined)
    return no(
      "L_INDEX",
      again,
      `${label(again)} is read before and after`,
      "Store the order; a later kernel reads both.",
    );
  return {
    ok: true,
    form: {
      template: "merge-sort",
      space: shape,
      reducedAxes: [axis],
      rows: sizeOf(shape) / columns,
      columns,
      reductions: [],
      scans: [],
      columnFolds: [],
      orders: orders.map((id) => ({ node: id, stage: 0 })),
      contraction: null,
    },
  };
}

/** What decides how runs are sorted and merged. */
export function mergeShape(graph: Graph, region: Body, form: RegionForm): MergeShape {
  const { indices, count, orders } = mergedSort(graph, form);
  const { after } = partitionOf(graph, region, orders);
  const { loaded } = positionsOf(graph, after, region.outputs);
  const positions = new Set(orders.flatMap((id) => loaded.get(id) ?? []));
  return { rows: form.rows, columns: form.columns, count, indices, searches: Math.max(1, positions.size) };
}

/** Comparisons of each kernel: a bitonic network on every run, then a search for every element of every merge. */
export function orderComparisons(shape: MergeShape, sorted: number): number[] {
  const { rows, columns, searches } = shape;
  const steps = Math.log2(sorted);
  const stages = orderStages(shape, sorted);
  return stages.map(({ length, run }, stage) =>
    stage === 0
      ? (rows * columns * steps * (steps + 1)) / 4
      : rows * length * Math.ceil(Math.log2(run)) * (stage === stages.length - 1 ? searches : 1),
  );
}

/** Runs that a workgroup sorts, then a kernel for each merge. */
export function scheduleMerged(
  graph: Graph,
  region: Body,
  form: RegionForm,
  target: Target,
  knobs: Knobs,
): RegionSchedule {
  const shape = mergeShape(graph, region, form);
  const machine = machineOf(target);
  const factors = mergeFactors(shape, machine, knobs);
  const { run, threads } = factors;
  const stages = orderStages(shape, run);
  const width = shape.indices ? 8 : 4;
  const bytes = handedOver(shape, run);
  const micros = mergedMicros(shape, factors, machine);
  const all = sumOf(micros);
  return blank({
    variant: "merge-sort",
    lane: rowLane(form) === "columns" && knobs.vector !== "off" ? "columns" : "none",
    reads: readsOf(
      graph,
      region.members,
      region.outputs,
      stridedReads(graph, region.members, region.outputs, form, "columns"),
    ),
    chunks: stages[0]!.runs,
    chunkLength: run,
    threadsPerWorkgroup: threads,
    workgroups: form.rows * stages[0]!.runs,
    workgroupBytes: run * width,
    registers: BASE_REGISTERS + liveScalars(graph, region) + 8,
    dispatches: stages.length,
    temporaryBytes: bytes.reduce((sum, each) => sum + each, 0),
    temporaries: (stages.length - 1) * (width / 4),
    temporaryPeak: bytes.reduce((most, each, i) => Math.max(most, each + (bytes[i + 1] ?? 0)), 0),
    shares: micros.map((each) => each / all),
    leastMicros: all,
  });
}
