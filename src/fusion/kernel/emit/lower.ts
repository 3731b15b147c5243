/** @file From a region to its lowered kernels: picks the template that the schedule names. */
import { bug, type Graph, type Region, type Target } from "../../ir";
import { classify } from "../classify";
import { isViewRegion } from "../indices/views";
import { scheduleRegion } from "../schedule/schedule";
import { storedForm, type Job } from "./kernel-frame";
import type { KernelProgram } from "./kernel-ir";
import { lowerBins } from "../shapes/bins/write/bins";
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

/** The same for a region whose form and schedule are known. */
export function lowerJob(job: Job): KernelProgram[] {
  switch (job.schedule.variant) {
    case "view":
      return [];
    case "flat":
      return [lowerFlat(job)];
    case "tile":
      return [lowerTile(job)];
    case "fold":
      return lowerFold(job);
    case "merge-sort":
      return lowerMergedOrder(job);
    case "digit-sort":
      return lowerDigitSort(job);
    case "bins":
      return lowerBins(job);
    case "row-loop":
      return [lowerRowLoop(job)];
    case "scan-band":
      return [lowerScanBand(job)];
    case "mixed-row":
    case "mixed-thread":
      return lowerMixed(job);
    case "matmul-tile":
      return lowerMatmulTile(job);
    case "matmul-registers":
      return [lowerMatmulRegisters(job)];
    case "flash-tile":
      return lowerFlashTile(job);
    case "flash-thread":
      return [lowerFlashThread(job)];
    case "reduce-tile":
      return lowerReduceTile(job);
    case "reduce-thread":
      return [lowerReduceThread(job)];
    case "matmul-rows":
      return [lowerMatmulRows(job)];
    case "matmul-rows-thread":
      return [lowerMatmulRowsThread(job)];
    case "launched":
      return lowerLaunched(job, lowerJob);
    case "matmul-direct":
      return lowerMatmulDirect(job);
  }
}
