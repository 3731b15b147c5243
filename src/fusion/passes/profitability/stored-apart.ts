/** @file What else could become of kernels that are to be one: those that fold rows or multiply stay apart and take what lies between them. */
import { bytesOf, node, type NodeId, type Region, type RegionId, type Work } from "../../ir";
import { hasContraction, mergedRegion, mergeCandidate, refusedMerge, walksRows } from "../driver/merge";
import type { Planner } from "../driver/planner";
import { maskFirst } from "../driver/with-masks";
import { workOf } from "./weigh";

/** The least that the kernels of `group` take where elementwise ones join the kernel before them or the one behind; null where none can. */
export function storedApart(planner: Planner, group: readonly Region[]): Work | null {
  const works = (["before", "behind"] as const).flatMap((side) => joinedTo(planner, group, side) ?? []);
  return works.reduce<Work | null>((best, each) => (best && best.micros <= each.micros ? best : each), null);
}

/**
 * What they take where each elementwise one joins its neighbour at that side, and folds of the same rows one another, as far as one kernel can
 * compute them, and where products apply the masks of their rows. Null where nothing changes, or a value that they store is larger than the device binds.
 */
function joinedTo(planner: Planner, group: readonly Region[], side: "before" | "behind"): Work | null {
  const inside = new Map(group.map((region) => [region.id, region]));
  const heads = new Map<RegionId, RegionId>();
  const sets = new Map<RegionId, Region[]>();
  const at = ({ members }: Region): number => planner.position(members.at(-1)!);
  const ordered = group.toSorted((a, b) => at(a) - at(b));
  const merging = (regions: readonly Region[], id: RegionId): boolean => {
    const nodes = regions.flatMap(({ outputs }) => outputs);
    const candidate = mergeCandidate(planner, "stored-apart", regions, { edges: [], nodes, id });
    return planner.kernelOf(candidate.add[0]!) !== null && !refusedMerge(planner, candidate);
  };
  for (const region of side === "before" ? ordered : ordered.toReversed()) {
    const multiplies = hasContraction(planner, region);
    const isFold = walksRows(planner, region);
    const mayJoin = (head: RegionId): boolean =>
      !(isFold && sets.get(head)!.some((each) => hasContraction(planner, each)));
    const beside = planner.isView(region) || multiplies ? [] : neighboursOf(planner, region, side);
    // Of several the nearest: what comes between them has to be known.
    const near = [...new Set(beside.flatMap((id) => heads.get(id) ?? []))].toSorted(
      (a, b) => (at(inside.get(b)!) - at(inside.get(a)!)) * (side === "before" ? 1 : -1),
    );
    const head = near.find((id) => mayJoin(id) && merging([...sets.get(id)!, region], id)) ?? region.id;
    heads.set(region.id, head);
    sets.set(head, [...(sets.get(head) ?? []), region]);
  }
  const kernels = [...sets].map(([id, regions]) =>
    regions.length > 1 ? mergedRegion(planner, regions, id) : regions[0]!,
  );
  let changed = sets.size < group.length;
  for (const [at, product] of kernels.entries()) {
    if (!hasContraction(planner, product)) continue;
    for (const [reader, rows] of kernels.entries()) {
      const found = walksRows(planner, rows) ? maskFirst(planner, product, rows) : null;
      if (!found || !found.add.every((each) => planner.kernelOf(each))) continue;
      [kernels[at], kernels[reader]] = found.add;
      changed = true;
      break;
    }
  }
  if (!changed) return null;
  const mayStore = (id: NodeId): boolean => bytesOf(node(planner.graph, id).type) <= planner.profile.maxBindingBytes;
  return kernels.every(({ outputs }) => outputs.every(mayStore)) ? workOf(planner, kernels) : null;
}

/** Kernels that a kernel reads from, or that read what it stores. */
function neighboursOf(planner: Planner, region: Region, side: "before" | "behind"): readonly RegionId[] {
  if (side === "behind") return planner.readersOf(region.id);
  return planner.inputsOf(region).flatMap((id) => planner.homeOf(id) ?? []);
}
