/** @file Producers looked at once more when all kernels have grown: what was refused beside readers that have since become one kernel. */
import { NO_MICROS } from "../profitability/weigh";
import type { Answer, Candidate } from "../driver/define";
import { copyCandidate } from "../driver/copies";
import { priorityOf } from "../driver/merge";
import type { Planner } from "../driver/planner";

/** What the candidates of this file are called. */
export const SECOND_LOOK = "second-look";

/**
 * Every kernel that no result needs, offered to all of its readers; readers first, so that a chain moves into its last one. Only what
 * saves time becomes a candidate: whatever else there was to say about the pair was said when it was refused.
 */
export function* secondLooks(planner: Planner): Generator<Candidate, void, Answer> {
  const { policy } = planner.options;
  if (policy !== "cost" && policy !== "duplicate") return;
  for (const id of planner.inOrder().toReversed()) {
    const producer = planner.regions.get(id);
    if (!producer || planner.isView(producer) || producer.outputs.some(planner.isOutput)) continue;
    const readers = planner.readersOf(id).map((reader) => planner.region(reader));
    if (readers.length === 0 || readers.some((reader) => planner.isView(reader))) continue;
    const candidate = copyCandidate(planner, SECOND_LOOK, producer, readers);
    if (candidate.add.some((region) => !planner.kernelOf(region))) continue;
    if (priorityOf(planner, candidate) > NO_MICROS) yield candidate;
  }
}
