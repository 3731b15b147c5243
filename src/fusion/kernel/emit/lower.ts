/** @file From a region to its lowered kernels: the writer that its schedule names. */
import { bug, type Graph, type Region, type Target } from "../../ir";
import { classify } from "../classify";
import { isViewRegion } from "../indices/views";
import { scheduleRegion } from "../schedule/schedule";
import type { Variant } from "../types";
import { storedForm, type Job } from "./kernel-frame";
import type { KernelProgram } from "./kernel-ir";
import { lowerBins } from "../shapes/bins/write/bins";
import { lowerGroups } from "../shapes/groups/write/groups";
import { lowerDigitSort } from "../shapes/sort/write/digit-sort";
import { lowerFold } from "../shapes/fold/write/fold";
import { lowerFlashThread } from "../shapes/attention/write/flash-thread";
import { lowerFlashTile } from "../shapes/attention/write/flash-tile";
import { lowerMatmulDirect, lowerMatmulRegisters } from "../shapes/matmul/write/matmul-direct";
import { lowerMatmulRows, lowerMatmulRowsThread } from "../shapes/matmul/write/matmul-rows";
import { lowerMatmulTile } from "../shapes/matmul/write/matmul-tile";
import { lowerLaunched } from "../shapes/loop/write/launched";
import { lowerFlat } from "../shapes/map/write/pointwise";
import { lowerReduceThread } from "../shapes/attention/write/reduce-thread";
import { lowerReduceTile } from "../shapes/attention/write/reduce-tile";
import { lowerMergedOrder } from "../shapes/sort/write/merge-sort";
import { lowerMixed } from "../shapes/fold/write/mixed";
import { lowerRowLoop } from "../shapes/loop/write/row-loop";
import { lowerSharedRun } from "../shapes/loop/write/shared-run";
import { lowerScanBand } from "../shapes/scan/write/scan";
import { lowerTile } from "../shapes/map/write/transpose";

/** The kernels of one region: none for a view, two for a split reduction, several for rows that are merged or sorted by digits, else one. */
export function lowerRegion(graph: Graph, given: Region, target: Target): KernelProgram[] {
  const region = storedForm(graph, given);
  if (region.outputs.length === 0 || isViewRegion(graph, region)) return [];
  const classified = classify(graph, region.members, region.outputs);
  if (!classified.ok) throw bug(`region ${region.id} is no kernel: ${classified.verdict.text}`);
  const { form } = classified;
  return lowerJob({ graph, region, form, schedule: scheduleRegion(graph, region, form, target), target });
}

/** Who writes the kernels of a schedule. */
const WRITERS: Readonly<Record<Variant, (job: Job) => KernelProgram[]>> = {
  view: () => [],
  flat: (job) => [lowerFlat(job)],
  tile: (job) => [lowerTile(job)],
  fold: lowerFold,
  "scan-band": (job) => [lowerScanBand(job)],
  "mixed-row": lowerMixed,
  "mixed-thread": lowerMixed,
  "merge-sort": lowerMergedOrder,
  "digit-sort": lowerDigitSort,
  groups: lowerGroups,
  bins: lowerBins,
  "matmul-tile": lowerMatmulTile,
  "matmul-direct": lowerMatmulDirect,
  "matmul-registers": (job) => [lowerMatmulRegisters(job)],
  "matmul-rows": (job) => [lowerMatmulRows(job)],
  "matmul-rows-thread": (job) => [lowerMatmulRowsThread(job)],
  "flash-tile": lowerFlashTile,
  "flash-thread": (job) => [lowerFlashThread(job)],
  "reduce-tile": lowerReduceTile,
  "reduce-thread": (job) => [lowerReduceThread(job)],
  "row-loop": (job) => [job.schedule.run ? lowerSharedRun(job) : lowerRowLoop(job)],
  launched: (job) => lowerLaunched(job, lowerJob),
};

/** The same for a region whose form and schedule are known. */
export function lowerJob(job: Job): KernelProgram[] {
  return WRITERS[job.schedule.variant](job);
}
