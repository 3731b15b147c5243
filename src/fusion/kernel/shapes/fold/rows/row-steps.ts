/**
 * @file Rows that are cut into parts: each fold ends at a kernel's end, since workgroups of one launch don't wait for one another. So
 * a row is walked in steps, each of which begins with what all parts have left of the folds before it.
 */
import { node, type Graph, type NodeId, type Region } from "../../../../ir";
import { foldsOfMerged, type MergedStages } from "./merged-stages";
import { readsOfLaunches, touchedElements } from "../../../count/reads";
import type { RegionForm, RegionRead } from "../../../types";

/** One walk over the parts of rows. */
export interface RowStep {
  readonly folds: readonly NodeId[];
  /** Two stages of folds that are one walk; null where there is one stage, or none. */
  readonly pair: MergedStages | null;
  /** What is stored element by element on the way. */
  readonly outputs: readonly NodeId[];
}

/** @param stored outputs that are stored element by element, with the stage at which they are known */
export function rowSteps(
  { reductions }: Pick<RegionForm, "reductions">,
  merged: readonly MergedStages[],
  stored: readonly { readonly id: NodeId; readonly stage: number }[],
): RowStep[] {
  const count = 1 + Math.max(0, ...reductions.map(({ stage }) => stage), ...stored.map(({ stage }) => stage));
  const steps: RowStep[] = [];
  for (let stage = 0; stage < count; stage++) {
    if (merged.some((pair) => pair.stage === stage - 1)) continue;
    const pair = merged.find((each) => each.stage === stage) ?? null;
    const own = reductions.flatMap((each) => (each.stage === stage ? [each.node] : []));
    const folds = pair ? foldsOfMerged(pair) : own;
    const outputs = stored.flatMap((each) => (each.stage === stage ? [each.id] : []));
    if (folds.length + outputs.length > 0) steps.push({ folds, pair, outputs });
  }
  return steps;
}

/** Members that the values `wanted` are computed from, themselves included, but nothing that is `known`. */
export function membersBehind(
  graph: Graph,
  members: readonly NodeId[],
  wanted: readonly NodeId[],
  known: readonly NodeId[],
): NodeId[] {
  const found = new Set<NodeId>(wanted);
  for (const id of members.toReversed())
    if (found.has(id) && !known.includes(id)) for (const input of node(graph, id).inputs) found.add(input);
  return members.filter((id) => found.has(id) && !known.includes(id));
}

/** What each kernel asks for: the folds and outputs of its step; at last one value a row, where a kernel joins the parts for that. */
export function askedBySteps(steps: readonly RowStep[], byRow: readonly NodeId[]): (readonly NodeId[])[] {
  const asked = steps.map(({ folds, outputs }) => [...folds, ...outputs]);
  if (steps.at(-1)!.folds.length > 0) return [...asked, byRow];
  return [...asked.slice(0, -1), [...asked.at(-1)!, ...byRow]];
}

/** Reads of all steps. */
export function readsOfSteps(
  graph: Graph,
  { members }: Pick<Region, "members">,
  steps: readonly RowStep[],
  byRow: readonly NodeId[],
  reads: readonly RegionRead[],
): RegionRead[] {
  const known: NodeId[] = [];
  const touched = askedBySteps(steps, byRow).map((asked, i) => {
    const elements = touchedElements(graph, membersBehind(graph, members, asked, known), asked);
    known.push(...(steps[i]?.folds ?? []));
    return elements;
  });
  return readsOfLaunches(reads, touched);
}

/** How many kernels join each fold: those that ask for it, or for another one of its pair. */
export function joinsOfSteps(
  graph: Graph,
  { members }: Pick<Region, "members">,
  steps: readonly RowStep[],
  byRow: readonly NodeId[],
): readonly (readonly RowStep[])[] {
  const known: NodeId[] = [];
  return askedBySteps(steps, byRow).map((asked, i) => {
    const inputs = new Set(membersBehind(graph, members, asked, known).flatMap((id) => node(graph, id).inputs));
    for (const id of asked) inputs.add(id);
    const joined = steps.slice(0, i).filter(({ folds }) => folds.some((id) => inputs.has(id)));
    known.push(...(steps[i]?.folds ?? []));
    return joined;
  });
}
