/** @file Folds in which every index takes the updates that name it: histograms, counts by class, sums by segment, one value an index. */
import { dtypeBytes, literalOf, node, type Graph, type Knobs, type Node, type NodeId, type Target } from "../../../ir";
import { binBytes, binFactors, binMicros, type BinShape } from "./factors";
import { factorsOf } from "../fold/fold-factors";
import { chosenUpdate, countsAlong, opDef } from "../../../ops";
import { machineOf } from "../../nest/machine";
import { BASE_REGISTERS, blank, liveScalars, type Body } from "../../schedule/schedule-parts";
import { finishNest, Rows } from "../fold/schedule-fold";
import type { RowAnalysis } from "../fold/classify-rows";
import { joinBytes, joiningOf, leftBy } from "../../nest/threads";
import { readsOfSteps } from "../fold/rows/row-steps";
import type { RegionForm, RegionSchedule } from "../../types";

/** What is folded into bins: an index and a value for every update. */
export interface Bins {
  readonly fold: NodeId;
  readonly index: NodeId;
  /** Null: each update counts as one. */
  readonly value: NodeId | null;
  /** The axis of the space that numbers the bins, and how many lists of updates have bins of their own. */
  readonly binAxis: number;
  readonly lists: number;
}

/** A fold over all updates of a list of where(index = bin, value, nothing), a row for each bin; null for any other form. */
export function binsOf(graph: Graph, { members }: Body, form: RegionForm): Bins | null {
  const { space, reducedAxes, reductions, scans, orders, columnFolds } = form;
  if (reductions.length !== 1 || scans.length + orders.length + columnFolds.length > 0) return null;
  const outer = space.flatMap((extent, axis) => (extent > 1 && !reducedAxes.includes(axis) ? [axis] : []));
  if (outer.length === 0 || form.columns < 2) return null;
  const fold = node(graph, reductions[0]!.node);
  const { reduce } = opDef(fold.op);
  if (!reduce || reduce.arg || reduce.map) return null;
  const operand = node(graph, fold.inputs[0]!);
  const inside = (id: NodeId): Node | null => (members.includes(id) ? node(graph, id) : null);
  const isNothing = (id: NodeId): boolean => literalOf(graph, id) === reduce.identity(operand.type.dtype);
  const found = chosenUpdate(inside, operand.id, fold.op, isNothing);
  if (!found) return null;
  const { match, value } = found;
  if (match.type.shape.join() !== space.join()) return null;
  const still = (id: NodeId, axis: number): boolean => {
    const { shape } = node(graph, id).type;
    return (shape[axis - (space.length - shape.length)] ?? 1) === 1;
  };
  for (const binAxis of outer) {
    if (value !== null && !still(value, binAxis)) continue;
    for (const [counted, index] of [match.inputs, match.inputs.toReversed()] as (readonly [NodeId, NodeId])[]) {
      const counts = countsAlong(inside, counted, binAxis, space[binAxis]!, 1);
      if (counts && node(graph, index).type.dtype === "i32" && still(index, binAxis))
        return { fold: fold.id, index, value, binAxis, lists: form.rows / space[binAxis]! };
    }
  }
  return null;
}

/** Bins of their own for the threads of each workgroup, and a kernel that joins them; null where no workgroup has room. */
export function scheduleBins(
  graph: Graph,
  region: Body,
  form: RegionForm,
  { lists }: Bins,
  target: Target,
  analysis: RowAnalysis,
  knobs: Knobs,
): RegionSchedule | null {
  const rows = new Rows({ graph, region, form, target, knobs }, analysis);
  const machine = machineOf(target);
  const last = form.space.findLast((extent, axis) => extent > 1 && form.reducedAxes.includes(axis))!;
  const wide = last % 4 === 0 && knobs.vector !== "off" ? 4 : 1;
  const bytes = rows.plain.reduce(
    (sum, { value, elements }) => sum + elements * dtypeBytes(node(graph, value).type.dtype),
    0,
  );
  const shape: BinShape = {
    bins: form.rows / lists,
    lists,
    updates: form.columns,
    readBytes: bytes / form.columns / lists,
    wide,
  };
  const factors = binFactors(shape, machine);
  if (!factors) return null;
  const { threads, turns, parts } = factors;
  const finish = finishNest(rows.shape(), parts, machine);
  const joins = factorsOf(finish);
  const left = leftBy(graph, form.reductions[0]!.node);
  const joined = joiningOf(target, knobs);
  const joining =
    joins.lanes === 1 ? 0 : joins.lanes * joins.beside * joinBytes(graph, form, joined) * joins.wide.outer;
  return blank({
    variant: "bins",
    bins: factors,
    finish,
    ...(joins.lanes > 1 && { joined }),
    lane: wide === 4 ? "columns" : "none",
    reads: readsOfSteps(graph, region, rows.steps(), rows.byRow, rows.plain),
    chunks: parts,
    chunkLength: threads * turns * wide,
    threadsPerWorkgroup: threads,
    workgroups: parts * lists,
    workgroupBytes: Math.max(binBytes(shape, threads), joining),
    registers: BASE_REGISTERS + liveScalars(graph, region) * wide,
    dispatches: 2,
    shares: [1, 0],
    temporaryBytes: form.rows * parts * left * 4,
    temporaries: left,
    leastMicros: binMicros(shape, factors, machine),
  });
}
