/** @file What the passes share that fold rows while they are made: whose regions are concerned, and whether it pays. */
import { type CostDelta, type NodeId, type Region, type RegionId, type Verdict } from "../ir";
import type { Candidate } from "./define";
import type { Planner } from "./planner";
import type { Rewriter } from "./rewriter";
import { showBytes, showMicros } from "./words";
import { notWorthIt, worthIt } from "./worth";

/** Regions that compute some of `nodes`, each once, as they are now. */
export function regionsOf(planner: Planner, rewriter: Rewriter, nodes: readonly NodeId[]): Region[] {
  const found = new Set<RegionId>(nodes.flatMap((id) => rewriter.regionsOf(id)));
  return [...found].flatMap((id) => planner.regions.get(id) ?? []);
}

/** Bytes that bands of rows read again come from the cache, this much faster than from memory. */
const CACHED_SPEEDUP = 2.5;

/**
 * Predicted time, and the bytes saved against operands that every band of rows reads again.
 * @param doing how the sentence begins
 */
export function onlineWorth(planner: Planner, candidate: Candidate, delta: CostDelta, doing: string): Verdict {
  const { profile } = planner;
  const modelled = (regions: readonly Region[]): number =>
    regions.reduce((sum, region) => sum + planner.factsOf(region).schedule.modelledBytes, 0);
  const again = Math.max(0, modelled(candidate.add) - modelled(candidate.remove));
  const extra = (again / (profile.bandwidth * CACHED_SPEEDUP)) * 1e6;
  if (delta.microsApart - delta.microsFused <= extra) return notWorthIt(planner, candidate, delta, doing);
  const verdict = worthIt(planner, candidate, delta, doing);
  if (again === 0) return verdict;
  const text = `${verdict.text} Every band of rows walks the other operand again: ${showBytes(again)} that the cache serves (${showMicros(extra)}).`;
  return { ...verdict, text, numbers: { ...verdict.numbers, modelledBytes: again } };
}
