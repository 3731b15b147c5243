/** @file Alternatives and what chooses among them: decisions, their sentences and their bars are all made from these. */
import {
  clearlyLess,
  groupedCounts,
  type Alternative,
  type Criterion,
  type NodeId,
  type Region,
  type StepCost,
  type Verdict,
  type Weighed,
  type Work,
} from "../../ir";
import type { Candidate, CostDelta, Opinion } from "../driver/define";
import type { Planner } from "../driver/planner";
import { showBytes, showMicros } from "../driver/sentences";

/** An alternative that is not compared yet. */
export type Way = Omit<Alternative, "chosen">;

/** What these regions take together. */
export function workOf(planner: Planner, regions: readonly Region[]): Work {
  let [micros, bytes, launches] = [0, 0, 0];
  for (const { time, traffic, schedule } of regions.map(planner.figuresOf)) {
    micros += time.micros;
    bytes += traffic.bytes;
    launches += schedule.dispatches;
  }
  return { micros, bytes, launches };
}

/** Whether several of these kernels compute it. */
export const isTwice = (kernels: readonly Region[], value: NodeId): boolean =>
  kernels.filter(({ members }) => members.includes(value)).length > 1;

/** What is computed together: one kernel, or as many as it is launched as. */
const together = ({ launches }: Work): string => (launches > 1 ? `fused, ${launches} kernels` : "one kernel");

/** What the two ways of a candidate are called. */
function namesOfWays(
  { kind, nodes, add, merged, rewrite }: Candidate,
  { apart, fused }: CostDelta,
): readonly [string, string] {
  if (kind === "split") return [together(apart), "split"];
  if (rewrite) return ["as written", "rewritten"];
  if (merged.length === 0 && add.length > 1)
    return ["stored", isTwice(add, nodes[0]!) ? "recomputed by each reader" : "computed where it is read"];
  return ["separate kernels", together(fused)];
}

/** Without the candidate, and with it. */
export function bothWays(candidate: Candidate, delta: CostDelta): readonly [Way, Way] {
  const { apart, fused } = delta;
  const [without, withIt] = namesOfWays(candidate, delta);
  return [
    { what: without, ...apart },
    { what: withIt, ...fused },
  ];
}

/** Of these ways, the one at `at`. */
export const choosing = (criterion: Criterion, ways: readonly Way[], at: number): Weighed => ({
  criterion,
  alternatives: ways.map(({ what, micros, bytes, launches }, i) => ({
    what,
    micros,
    bytes,
    launches,
    chosen: i === at,
  })),
});

/** Below this many µs a difference is none. */
export const NO_MICROS = 1e-9;

/** Predictions that lie closer than this say nothing (docs/measurements.md): what moves less wins. */
export const TIE = 0.025;

/** Whether the first takes no longer than a tie with the second allows, and moves less. */
export const winsTie = (taken: Work, rival: Work): boolean =>
  taken.micros < (1 + TIE) * rival.micros && movesLess(taken, rival);

/** The best by time, or by bytes; the earliest among equals. */
export function weigh(criterion: "time" | "bytes" | "memory", ways: readonly Way[]): Weighed {
  const value = ({ micros, bytes }: Way): number => (criterion === "time" ? micros : bytes);
  let best = 0;
  for (let i = 1; i < ways.length; i++) if (value(ways[i]!) < value(ways[best]!) - NO_MICROS) best = i;
  return choosing(criterion, ways, best);
}

/** Something else than a comparison decides. */
export const settledBy = (criterion: "limit" | "choice" | "algebra", ways: readonly Way[], withIt: boolean): Weighed =>
  choosing(criterion, ways, withIt ? 1 : 0);

/** The price of a step, as its verdict weighed it. */
export function priced(candidate: Candidate, delta: CostDelta, { weighed, ok, limit }: Opinion): StepCost {
  const { flopsAdded, registers } = delta;
  const ways = weighed ?? settledBy(limit ? "limit" : "choice", bothWays(candidate, delta), ok);
  const { criterion, alternatives } = ways;
  return { criterion, alternatives, flopsAdded, registers };
}

/** The alternatives of a refusal, when the candidate is done all the same. */
export const overruled = (
  criterion: "limit" | "choice",
  candidate: Candidate,
  delta: CostDelta,
  { weighed }: Opinion,
): Weighed => settledBy(criterion, weighed?.alternatives ?? bothWays(candidate, delta), true);

/** The verdict as it is recorded: what it was weighed on stands in the step's cost. */
export function plainVerdict(opinion: Opinion): Verdict {
  const { weighed, ...verdict } = opinion;
  const text = groupedCounts(opinion.text);
  const remedy = opinion.remedy === undefined ? undefined : groupedCounts(opinion.remedy);
  if (text === opinion.text && remedy === opinion.remedy) return weighed ? verdict : opinion;
  return { ...verdict, text, ...(remedy !== undefined && { remedy }) };
}

/** `17 µs instead of 35 µs`; what is written alike is called equal. */
export function timeOf(taken: Work, instead: Work): string {
  const [first, second] = [showMicros(taken.micros), showMicros(instead.micros)];
  return first === second ? `${first} either way` : `${first} instead of ${second}`;
}

/** Whether the first moves less by what is worth a word. */
export const movesLess = (taken: Work, instead: Work): boolean => clearlyLess(taken.bytes, instead.bytes);

/** `8 MiB instead of 16 MiB`. */
export const bytesOfWays = (taken: Work, instead: Work): string =>
  `${showBytes(taken.bytes)} instead of ${showBytes(instead.bytes)}`;

/** Is it the candidate that was chosen? */
export const takesIt = ({ alternatives }: Weighed): boolean => alternatives[1]!.chosen;
