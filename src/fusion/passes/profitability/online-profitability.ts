/** @file What the passes share that fold rows while they are made: whose regions are concerned, and whether it pays. */
import type { NodeId, Region, RegionId, Verdict, Weighed, Work } from "../../ir";
import { lineOf } from "../../kernel";
import type { Candidate, CostDelta, Opinion } from "../driver/define";
import type { Planner } from "../driver/planner";
import type { Rewriter } from "../driver/rewriter";
import { bothWays, takesIt, timeOf, weigh } from "./weigh";
import { capital, countOf, no, showBytes } from "../driver/sentences";
import { byBytes, forcing, unprofitable, numbersOf, worthIt } from "./profitability";

/** Regions that compute some of `nodes`, each once, as they are now. */
export function regionsOf(planner: Planner, rewriter: Rewriter, nodes: readonly NodeId[]): Region[] {
  const found = new Set<RegionId>(nodes.flatMap((id) => rewriter.regionsOf(id)));
  return [...found].flatMap((id) => planner.regions.get(id) ?? []);
}

/**
 * Predicted time, and the bytes saved against operands that every band of rows reads again.
 * @param doing how the sentence begins
 * @param stored what fewer kernels than now take without it; null where there are none
 */
export function onlineProfitability(
  planner: Planner,
  candidate: Candidate,
  delta: CostDelta,
  doing: string,
  stored: Work | null = null,
): Opinion {
  const { apart, fused } = delta;
  const rival = stored && stored.micros < apart.micros ? stored : apart;
  const besides = rival === apart ? [] : [{ what: "scores stored, the rest merged", ...rival }];
  const ways = [...bothWays(candidate, delta), ...besides];
  const tied = byBytes(candidate, delta, doing, rival);
  if (tied) return { ...tied, weighed: weigh("bytes", ways) };
  const weighed = weigh("time", ways);
  if (!takesIt(weighed) && fused.micros < apart.micros)
    return beaten(candidate, delta, doing, weighed, forcing(planner, candidate));
  if (!takesIt(weighed)) return { ...unprofitable(planner, candidate, delta, doing), weighed };
  const verdict = inChunks(planner, candidate, worthIt(planner, candidate, delta, doing));
  const bytes = (regions: readonly Region[]): number =>
    regions.reduce((total, region) => total + planner.figuresOf(region).schedule.modelledBytes, 0);
  const again = bytes(candidate.add);
  if (again <= bytes(candidate.remove)) return { ...verdict, weighed };
  const text = `${verdict.text} Workgroups read operands again, ${showBytes(again)} that the cache serves; the time includes it.`;
  return { ...verdict, text, numbers: { ...verdict.numbers, bytesFromCache: again }, weighed };
}

/** Other kernels than those of now are sooner done. */
function beaten(
  { nodes }: Candidate,
  delta: CostDelta,
  doing: string,
  weighed: Weighed,
  way: Pick<Verdict, "remedy" | "remedyOptions">,
): Opinion {
  const rival = weighed.alternatives.at(-1)!;
  const text = `${doing} takes longer than ${countOf(rival.launches, "kernel")} that store what lies between them and do all elementwise work: ${timeOf(delta.fused, rival)}.`;
  return no("C_BEATEN", nodes, text, { numbers: numbersOf(delta), weighed, ...way });
}

/** What the widest of the regions folds: a row, or a column. */
function lineIn(planner: Planner, regions: readonly Region[]): string {
  const forms = regions.flatMap((region) => planner.factsOf(region).form ?? []);
  const widest = forms.toSorted((a, b) => b.rows * b.columns - a.rows * a.columns)[0];
  return widest ? lineOf(widest) : "row";
}

/** Rows that are cut say so: what becomes one kernel is launched twice. */
function inChunks(planner: Planner, { add }: Candidate, verdict: Verdict): Verdict {
  const chunks = Math.max(1, ...add.map((region) => planner.figuresOf(region).schedule.chunks));
  if (chunks === 1) return verdict;
  const line = lineIn(planner, add);
  const text = `${verdict.text} ${capital(line)}s alone are too few workgroups for the machine: ${countOf(chunks, "chunk")} of each ${line} are read at the same time, and a second launch joins them.`;
  return { ...verdict, text, numbers: { ...verdict.numbers, chunks } };
}
