/** @file What else could become of kernels that are to be one: those that fold rows or multiply stay apart and take what lies between them. */
import { bytesOf, node, type NodeId, type Region, type RegionId, type Work } from "../../ir";
import { hasContraction, mergedRegion, mergeCandidate, refusedMerge, walksRows } from "../driver/merge";
import type { Planner } from "../driver/planner";
import { workOf } from "./weigh";

/** The least that the kernels of `group` take where elementwise ones join the kernel before them or the one behind; null where none can. */
export function storedApart(planner: Planner, group: readonly Region[]): Work | null {
  const works = (["before", "behind"] as const).flatMap((side) => joinedTo(planner, group, side) ?? []);
  return works.reduce<Work | null>((best, each) => (best && best.micros <= each.micros ? best : each), null);
}

/**
 * What they take where each elementwise one joins its neighbour at that side. Null where no merge is possible, one is refused, or a value
 * that they store is larger than the device binds.
 */
function joinedTo(planner: Planner, group: readonly Region[], side: "before" | "behind"): Work | null {
  const inside = new Map(group.map((region) => [region.id, region]));
  const heads = new Map<RegionId, RegionId>();
  const sets = new Map<RegionId, Region[]>();
  const at = ({ members }: Region): number => planner.position(members.at(-1)!);
  const ordered = group.toSorted((a, b) => at(a) - at(b));
  for (const region of side === "before" ? ordered : ordered.toReversed()) {
    const isHeavy = planner.isView(region) || walksRows(planner, region) || hasContraction(planner, region);
    const beside = isHeavy ? [] : neighboursOf(planner, region, side);
    // Of several the nearest: what comes between them has to be known.
    const near = beside
      .flatMap((id) => heads.get(id) ?? [])
      .toSorted((a, b) => at(inside.get(b)!) - at(inside.get(a)!));
    const head = near.at(side === "before" ? 0 : -1) ?? region.id;
    heads.set(region.id, head);
    sets.set(head, [...(sets.get(head) ?? []), region]);
  }
  if (sets.size === group.length) return null;
  const kernels: Region[] = [];
  for (const [id, regions] of sets) {
    if (regions.length > 1) {
      const nodes = regions.flatMap(({ outputs }) => outputs);
      const candidate = mergeCandidate(planner, "stored-apart", regions, { edges: [], nodes, id });
      if (!planner.kernelOf(candidate.add[0]!) || refusedMerge(planner, candidate)) return null;
    }
    kernels.push(regions.length > 1 ? mergedRegion(planner, regions, id) : regions[0]!);
  }
  const mayStore = (id: NodeId): boolean => bytesOf(node(planner.graph, id).type) <= planner.profile.maxBindingBytes;
  return kernels.every(({ outputs }) => outputs.every(mayStore)) ? workOf(planner, kernels) : null;
}

/** Kernels that a kernel reads from, or that read what it stores. */
function neighboursOf(planner: Planner, region: Region, side: "before" | "behind"): readonly RegionId[] {
  if (side === "behind") return planner.readersOf(region.id);
  return planner.inputsOf(region).flatMap((id) => planner.homeOf(id) ?? []);
}
