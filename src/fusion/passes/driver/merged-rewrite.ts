/** @file A rewrite and a merge in one step: the region that they leave behind, and what goes and comes. */
import type { NodeId, Patch, Region, RegionId } from "../../ir";
import type { Candidate } from "./define";
import type { Planner } from "./planner";
import type { Rewriter } from "./rewriter";

/** All of `group` as one region once `patch` is applied, storing what others still read. Asked while its nodes are rewritten. */
export function mergedRegion(
  planner: Planner,
  rewriter: Rewriter,
  group: readonly Region[],
  patch: Patch,
  id: RegionId,
): Region {
  const ids = new Set(group.map((region) => region.id));
  const changed = new Map(patch.addedRegions.map((region) => [region.id, region]));
  const gone = new Set(patch.removedRegions.map((region) => region.id));
  const parts = group.flatMap((region) => changed.get(region.id) ?? (gone.has(region.id) ? [] : [region]));
  const members = [...new Set(parts.flatMap((part) => part.members))].toSorted(
    (a, b) => planner.position(a) - planner.position(b),
  );
  const inside = new Set(members);
  // A view that a part only looks through is somebody else's to provide.
  const provided = new Set(parts.flatMap((part) => part.outputs));
  const leaves = (value: NodeId): boolean => {
    if (planner.isOutput(value)) return true;
    const reads = (reader: NodeId): boolean => planner.graph.nodes.get(reader)?.inputs.includes(value) === true;
    const readers = [...rewriter.readersOf(value), ...patch.addedNodes.map((n) => n.id)].filter(reads);
    // What nobody reads stays where it is until it is removed.
    if (readers.length === 0) return true;
    const elsewhere = (reader: NodeId): boolean =>
      !inside.has(reader) || rewriter.regionsOf(reader).some((home) => !ids.has(home));
    return readers.some(elsewhere);
  };
  return { id, members, outputs: members.filter((value) => provided.has(value) && leaves(value)) };
}

/** What a candidate exchanges that rewrites nodes and makes `whole` of `group` in one step. */
export function joinedBy(
  planner: Planner,
  rewriter: Rewriter,
  rewritten: Patch,
  group: readonly Region[],
  whole: Region,
): Pick<Candidate, "remove" | "add" | "into" | "merged"> {
  const apart = new Set(group.map((region) => region.id));
  const remove = [...group, ...rewritten.removedRegions.filter((region) => !apart.has(region.id))];
  const others = rewritten.addedRegions.filter((region) => !apart.has(region.id));
  const add = [
    whole,
    ...others.filter((region) => !isIdleView(planner, rewriter, rewritten, whole, others, apart, region)),
  ];
  // A path through what is gone afterwards, a view that was a kernel's input, does not return.
  const stays = new Set(add.map((region) => region.id));
  const gone = remove.filter((region) => !apart.has(region.id) && !stays.has(region.id));
  return { remove, add, into: whole.id, merged: [...group, ...gone].map((region) => region.id) };
}

/** A view that was to be shown to the parts of `whole`, which holds it itself: nobody else reads it. */
function isIdleView(
  planner: Planner,
  rewriter: Rewriter,
  { removedNodes, addedNodes, removedRegions }: Patch,
  whole: Region,
  others: readonly Region[],
  apart: ReadonlySet<RegionId>,
  { id, outputs, members }: Region,
): boolean {
  const [value] = outputs;
  if (planner.regions.has(id) || members.length !== 1 || value === undefined || !whole.members.includes(value))
    return false;
  const after = new Map(addedNodes.map((n) => [n.id, n]));
  const gone = new Set(removedNodes.map((n) => n.id).filter((each) => !after.has(each)));
  const readers = [...rewriter.readersOf(value)].filter(
    (reader) => !gone.has(reader) && (after.get(reader)?.inputs.includes(value) ?? true),
  );
  readers.push(...addedNodes.flatMap((n) => (n.inputs.includes(value) ? [n.id] : [])));
  const left = new Set(removedRegions.map((region) => region.id));
  const homes = (reader: NodeId): readonly Region[] => [
    ...others.filter((region) => region.members.includes(reader)),
    ...rewriter.regionsOf(reader).flatMap((home) => {
      const region = planner.regions.get(home);
      const replaced = left.has(home) || apart.has(home) || others.some((other) => other.id === home);
      return region && !replaced ? [region] : [];
    }),
  ];
  const shown = (region: Region): boolean => region.id !== id && !region.members.includes(value);
  return !planner.isOutput(value) && !readers.some((reader) => homes(reader).some(shown));
}
