/** @file The schedule of a loop whose iterations are launched. */
import { type Graph, type Target } from "../../../ir";
import { blank, type Body } from "../../schedule/schedule-parts";
import type { RegionSchedule } from "../../types";
import { LaunchedLoop, uncutOf, type Launch } from "./launched";
import { launchedCounts } from "./launched-counts";

/** The launches of a loop: the counts of all iterations, and the threads of their largest kernel. */
export function scheduleLaunched(
  graph: Graph,
  { outputs }: Body,
  target: Target,
  scheduleOne: (graph: Graph, region: Body, target: Target) => RegionSchedule,
): RegionSchedule {
  const loop = new LaunchedLoop(graph, outputs);
  const known = new Map<Launch, RegionSchedule>();
  const scheduleOf = (of: Graph, launch: Launch): RegionSchedule => {
    const found = known.get(launch) ?? scheduleOne(of, launch.region, uncutOf(target));
    known.set(launch, found);
    return found;
  };
  const { dispatches, reads, handed, peak, kernels } = launchedCounts(
    loop,
    (of, launch) => scheduleOf(of, launch).reads,
  );
  const each = kernels.launches.map((launch) => scheduleOf(kernels.graph, launch));
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
    leastMicros: loop.iterations * each.reduce((sum, { leastMicros = 0 }) => sum + leastMicros, 0),
  });
}
