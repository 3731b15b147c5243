/** @file Paths that part at one producer and meet again at one reader (the post-dominator test of TVM, on regions). */
import { OPS_PER_NOTCH, type Region, type RegionId } from "../ir";
import { isRefusal } from "../cost";
import type { Candidate } from "./define";
import { edgesBetween, mergeCandidate, nodesOf } from "./merge";
import type { Planner } from "./planner";

/** Regions between the two ends that are looked at before giving up. */
const WINDOW = 16;

/**
 * The producer, the region where all its paths meet and everything between, as one candidate.
 * Null when they don't meet within the window, when something between is a result, or when one kernel can't do it.
 */
export function diamondOf(planner: Planner, producer: Region): Candidate | null {
  const group = closedGroup(planner, producer);
  if (!group) return null;
  const ops = group.reduce((sum, { members }) => sum + members.length, 0);
  if (ops > OPS_PER_NOTCH * planner.options.groupSize) return null;
  const edges = group.flatMap((from) => group.flatMap((to) => (from === to ? [] : edgesBetween(planner, from, to))));
  const about = { edges, nodes: nodesOf(edges, producer), id: group.at(-1)!.id };
  const candidate = mergeCandidate(planner, "diamond", group, about);
  return isRefusal(planner.facts(candidate.add[0]!)) ? null : candidate;
}

/** Walks the readers in order until exactly one region is open: that is where the paths meet. */
function closedGroup(planner: Planner, producer: Region): Region[] | null {
  const open = new Set<RegionId>(planner.readersOf(producer.id));
  const group: Region[] = [producer];
  if (producer.outputs.some(planner.isOutput)) return null;
  while (open.size > 1) {
    // All but one of those that are open have to go in.
    if (group.length + open.size - 2 >= WINDOW) return null;
    let first: RegionId | null = null;
    for (const id of open) if (first === null || planner.order.at(id) < planner.order.at(first)) first = id;
    const region = planner.region(first!);
    open.delete(first!);
    const readers = planner.readersOf(first!);
    if (readers.length === 0 || planner.isView(region)) return null;
    if (region.outputs.some(planner.isOutput)) return null;
    group.push(region);
    for (const reader of readers) open.add(reader);
  }
  const meeting = [...open][0];
  if (meeting === undefined || planner.isView(planner.region(meeting))) return null;
  return [...group, planner.region(meeting)];
}
