/** @file What the launches of a loop take: the counts of all trips, and the threads of their largest kernel. */
import type { Graph, Region, Target } from "../ir";
import { launchedCounts, LaunchedLoop } from "./launched";
import { blank, type Body } from "./schedule-parts";
import type { RegionSchedule } from "./types";

/** @param schedule how one kernel of a trip is scheduled */
export function scheduleLaunched(
  graph: Graph,
  { outputs }: Body,
  target: Target,
  schedule: (graph: Graph, region: Region, target: Target) => RegionSchedule,
): RegionSchedule {
  const { dispatches, reads, handed, peak, kernels } = launchedCounts(new LaunchedLoop(graph, outputs));
  const each = kernels.launches.map(({ region }) => schedule(kernels.graph, region, target));
  const most = (of: (one: RegionSchedule) => number): number => Math.max(0, ...each.map(of));
  return blank({
    variant: "launched",
    dispatches,
    reads,
    handed,
    temporaryPeak: peak,
    workgroups: most(({ workgroups }) => workgroups),
    threadsPerWorkgroup: most(({ threadsPerWorkgroup }) => threadsPerWorkgroup),
    registers: most(({ registers }) => registers),
  });
}
