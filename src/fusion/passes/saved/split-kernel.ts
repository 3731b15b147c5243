/** @file A kernel that is left with more to store than one loop can: it is cut, each part reading what those before it store. */
import { freshRegionId, node, type NodeId, type Patch, type Region, type RegionId } from "../../ir";
import { isRefusal } from "../../cost";
import { neededBy } from "../../region";
import type { Planner } from "../planner";
import { openRewriter, type Rewriter } from "../rewriter";

/** A rewriter whose patches leave kernels: what the backward pass newly reads of one may not fit what that walks. */
export function splittingRewriter(planner: Planner): Rewriter {
  const rewriter = openRewriter(planner);
  return { ...rewriter, patchOf: (change) => inKernels(planner, rewriter.patchOf(change)) };
}

function inKernels(planner: Planner, patch: Patch): Patch {
  return planner.supposing(patch, () => {
    if (patch.addedRegions.every((region) => isKernel(planner, region))) return patch;
    const names = new Set([...planner.regions.keys(), ...patch.addedRegions.map(({ id }) => id)]);
    const parts = (region: Region): readonly Region[] =>
      isKernel(planner, region) ? [region] : splitKernel(planner, region, names);
    return { ...patch, addedRegions: patch.addedRegions.flatMap(parts) };
  });
}

const isKernel = (planner: Planner, region: Region): boolean => !isRefusal(planner.facts(region));

/** As many outputs in a row as one kernel stores, and so on; the last part keeps the name. Adds to `names` what the others take. */
function splitKernel(planner: Planner, { id, members, outputs }: Region, names: Set<RegionId>): readonly Region[] {
  const partOf = (stored: readonly NodeId[], before: readonly NodeId[]): Region => {
    const own = members.filter((member) => !before.includes(member));
    return { id, members: neededBy((each) => node(planner.graph, each), own, stored), outputs: stored };
  };
  const parts: Region[] = [];
  for (const [at, output] of outputs.entries()) {
    const open = parts.at(-1);
    const from = at - (open?.outputs.length ?? 0);
    const longer = partOf(outputs.slice(from, at + 1), outputs.slice(0, from));
    if (open && isKernel(planner, longer)) parts.splice(-1, 1, longer);
    else parts.push(partOf([output], outputs.slice(0, at)));
  }
  return parts.map((part, at) => {
    if (at === parts.length - 1) return part;
    const name = freshRegionId(`k:${part.outputs.at(-1)!}`, (taken) => names.has(taken));
    names.add(name);
    return { ...part, id: name };
  });
}
