/** @file Rows that are folded: how each is read, by how many threads, and what stays in registers from one pass to the next. */
import { type Graph, type Knobs, type NodeId, type Target } from "../../../ir";
import { binsOf, scheduleBins } from "../bins/schedule";
import { analysisOf, wholeOutput, type RowAnalysis } from "./classify-rows";
import { scheduleDigits } from "../sort/digit-sort";
import { scheduleMerged } from "../sort/merge-sort";
import { machineOf } from "../../nest/machine";
import { orderWay } from "../sort/sort-choice";
import { readsOf, stridedReads } from "../../count/reads";
import { passRoots, stridedWrites } from "./rows/row-roots";
import { scheduleBands } from "./schedule-bands";
import { scheduleFold } from "./schedule-fold";
import { BASE_REGISTERS, blank, liveScalars, type Body } from "../../schedule/schedule-parts";
import { scanBytes } from "../../nest/threads";
import type { RegionForm, RegionSchedule } from "../../types";

/** Rows in pieces of at least so many neighbours are still read in whole cache lines by a workgroup. */
const CONTIGUOUS_RUN = 32;

/** @param knobs those that hold for this kernel; a CPU's rows are walked by one thread each, whatever is chosen */
export function scheduleRows(
  graph: Graph,
  region: Body,
  form: RegionForm,
  target: Target,
  knobs: Knobs,
): RegionSchedule {
  let plain: RegionSchedule | null = null;
  const plainly = (): RegionSchedule => (plain ??= inPartsOrWhole(graph, region, form, target, knobs));
  const order = orderWay(graph, region, form, target, knobs, plainly);
  if (!order) return plainly();
  if (order.way === "selected") return { ...plainly(), order };
  const schedule = order.way === "merged" ? scheduleMerged : scheduleDigits;
  return { ...schedule(graph, region, form, target, knobs), order };
}

/** Rows that are put in order in parts, where that is sooner with its second launch. */
function inPartsOrWhole(graph: Graph, region: Body, form: RegionForm, target: Target, knobs: Knobs): RegionSchedule {
  const schedule = scheduleRowsPlainly(graph, region, form, target, knobs);
  if (form.orders.length === 0 || schedule.chunks === 1) return schedule;
  const whole = scheduleRowsPlainly(graph, region, form, target, { ...knobs, rows: "again" });
  return microsOf(whole, target) <= microsOf(schedule, target) ? whole : schedule;
}

const microsOf = ({ leastMicros = 0, dispatches }: RegionSchedule, target: Target): number =>
  leastMicros + dispatches * machineOf(target).launchMicros;

function scheduleRowsPlainly(
  graph: Graph,
  region: Body,
  form: RegionForm,
  target: Target,
  knobs: Knobs,
): RegionSchedule {
  const analysis = analysisOf(graph, region.members, form);
  if (form.columnFolds.length > 0) return scheduleBands(graph, region, form, target, analysis, knobs);
  const isFull = (id: NodeId): boolean => wholeOutput(graph, analysis, id) !== null;
  if (target.schedule === "gpu" && !knobs.rows && mayBand(form, region.outputs, isFull))
    return scheduleScanBand(graph, region, form, target, analysis, knobs);
  const fold = scheduleFold(graph, region, form, target, analysis, knobs);
  const found = knobs.rows !== undefined || region.outputs.some(isFull) ? null : binsOf(graph, region, form);
  const bins = found && scheduleBins(graph, region, form, found, target, analysis, knobs);
  return bins && sooner(bins, fold, form, target) ? bins : fold;
}

/** Bins that a CPU's thread each may compare with all updates before bins are sooner filled. */
const FEW_BINS = 8;

function sooner(bins: RegionSchedule, fold: RegionSchedule, { rows }: RegionForm, target: Target): boolean {
  if (fold.leastMicros === undefined) return rows > FEW_BINS;
  return microsOf(bins, target) < microsOf(fold, target);
}

/** Scans of rows that lie across memory. */
function scheduleScanBand(
  graph: Graph,
  region: Body,
  form: RegionForm,
  target: Target,
  analysis: RowAnalysis,
  knobs: Knobs,
): RegionSchedule {
  const roots = passRoots(graph, region, form, analysis);
  const layouts = new Map(roots.map(({ id, layout }) => [id, layout]));
  const strided = stridedReads(graph, region.members, region.outputs, form, "rows", layouts);
  const threads = Number(knobs.threads ?? Math.min(BAND.threads, target.maxWorkgroupSize));
  return blank({
    variant: "scan-band",
    reads: readsOf(graph, region.members, region.outputs, strided),
    stridedWrites: stridedWrites(graph, form, roots, "rows"),
    chunks: BAND.rows,
    chunkLength: BAND.each,
    threadsPerWorkgroup: threads,
    workgroups: Math.ceil(form.rows / BAND.rows),
    workgroupBytes: threads * scanBytes(graph, form),
    registers: BASE_REGISTERS + BAND.each * liveScalars(graph, region) + form.scans.length,
  });
}

/** Rows side by side in one scan, and neighbours of each that a thread takes in a turn. */
const BAND = { rows: 32, each: 8, threads: 256 };

/** Rows that lie across memory are scanned side by side where that is all the kernel does, and where there is a turn's worth of them. */
const mayBand = (form: RegionForm, outputs: readonly NodeId[], isFull: (id: NodeId) => boolean): boolean => {
  const { space, reducedAxes, scans, reductions, columns } = form;
  if (form.template !== "general-reduce" || contiguous(form) >= CONTIGUOUS_RUN) return false;
  let beside = 1;
  for (let axis = space.length - 1; axis >= 0 && !reducedAxes.includes(axis); axis--) beside *= space[axis]!;
  const enough = columns >= BAND.threads / BAND.rows && beside >= BAND.rows;
  return scans.length > 0 && reductions.length === 0 && enough && outputs.every(isFull);
};

/** Length of the run of folded neighbours in memory: 1 where neighbours belong to other rows. */
function contiguous({ space, reducedAxes }: RegionForm): number {
  let run = 1;
  for (let axis = space.length - 1; axis >= 0 && (space[axis] === 1 || reducedAxes.includes(axis)); axis--)
    run *= space[axis]!;
  return run;
}
