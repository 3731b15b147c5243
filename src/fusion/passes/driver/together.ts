/** @file One kernel for a producer and readers of it. */
import type { Region } from "../../ir";
import type { Candidate } from "./define";
import { edgesBetween, mergeCandidate, nodesOf } from "./merge";
import type { Planner } from "./planner";

/** One kernel for a producer and readers of it; where that is one reader, the producer's value may be stored as well. */
export function together(planner: Planner, producer: Region, readers: readonly Region[]): Candidate {
  const edges = readers.flatMap((reader) => edgesBetween(planner, producer, reader));
  const rule = readers.length > 1 ? "one-kernel" : "second-store";
  return mergeCandidate(planner, rule, [producer, ...readers], {
    edges,
    nodes: nodesOf(edges, producer),
    id: producer.id,
  });
}
