/** @file What the passes share that fold rows while they are made: whose regions are concerned, and whether it pays. */
import { type CostDelta, type NodeId, type Region, type RegionId, type Verdict } from "../ir";
import type { Candidate } from "./define";
import type { Planner } from "./planner";
import type { Rewriter } from "./rewriter";
import { showBytes } from "./sentences";
import { unprofitable, profitable } from "./profitability";

/** Regions that compute some of `nodes`, each once, as they are now. */
export function regionsOf(planner: Planner, rewriter: Rewriter, nodes: readonly NodeId[]): Region[] {
  const found = new Set<RegionId>(nodes.flatMap((id) => rewriter.regionsOf(id)));
  return [...found].flatMap((id) => planner.regions.get(id) ?? []);
}

/** Bytes that bands of rows read again come from the cache, this much faster than from memory. */
const CACHED_SPEEDUP = 2.5;
/** Share of the shorter of computing and moving that hides behind the longer. */
const OVERLAP = 0.95;

/** Predictions that lie closer than this say nothing (docs/measurements.md): the plan that moves less wins. */
const TIE = 0.025;

/** Predicted µs with what tiles read again from the cache, most of which hides behind the arithmetic. */
function microsWithRereads(planner: Planner, region: Region): number {
  const { time, schedule } = planner.factsOf(region);
  const again = (schedule.modelledBytes / (planner.profile.bandwidth * CACHED_SPEEDUP)) * 1e6;
  const work = (memory: number): number => time.computeMicros + memory - OVERLAP * Math.min(time.computeMicros, memory);
  const memory = time.readMicros + time.writeMicros;
  return time.micros + work(memory + again) - work(memory);
}

/**
 * Predicted time, and the bytes saved against operands that every band of rows reads again.
 * @param doing how the sentence begins
 */
export function onlineProfitability(planner: Planner, candidate: Candidate, delta: CostDelta, doing: string): Verdict {
  const sum = (regions: readonly Region[], of: (region: Region) => number): number =>
    regions.reduce((total, region) => total + of(region), 0);
  const micros = (region: Region): number => microsWithRereads(planner, region);
  const bytes = (region: Region): number => planner.factsOf(region).schedule.modelledBytes;
  const counted = { ...delta, microsApart: sum(candidate.remove, micros), microsFused: sum(candidate.add, micros) };
  const allowed = delta.bytesSaved > 0 ? 1 + TIE : 1;
  if (counted.microsFused >= allowed * counted.microsApart) return unprofitable(planner, candidate, counted, doing);
  const plain = profitable(planner, candidate, counted, doing);
  const tied = counted.microsFused >= counted.microsApart;
  const verdict = tied
    ? { ...plain, text: `${plain.text} Times within ${100 * TIE} % are a tie, and this moves less.` }
    : plain;
  const again = sum(candidate.add, bytes) - sum(candidate.remove, bytes);
  if (again <= 0) return verdict;
  const text = `${verdict.text} Bands of rows walk the other operand again, ${showBytes(again)} that the cache serves; that is counted in.`;
  return { ...verdict, text, numbers: { ...verdict.numbers, modelledBytes: again } };
}
