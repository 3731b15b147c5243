/** @file Which colour a kernel has: given in plan order, kept while the kernel lives. Merged kernels keep that of the larger. */
import type { Compilation, Region, RegionId, Step } from "../fusion";
import type { PlaygroundState } from "./types";

/** From 0: six colours, then the same six hatched. */
export type KernelColours = ReadonlyMap<RegionId, number>;

const NO_COLOURS: KernelColours = new Map();

function lowestFree(taken: Iterable<number>): number {
  const used = new Set(taken);
  let free = 0;
  while (used.has(free)) free++;
  return free;
}

/** Of the regions that went, those that `region` continues, the one with most ops first. */
function parentsOf(region: Region, removed: readonly Region[], alone: boolean): Region[] {
  const members = new Set<string>(alone ? [] : region.members);
  const before = alone
    ? removed
    : removed.filter(({ id, members: old }) => id === region.id || old.some((node) => members.has(node)));
  return before.toSorted((a, b) => b.members.length - a.members.length);
}

/** Colours after one step, in place. */
function follow(colours: Map<RegionId, number>, { patch }: Step): void {
  if (!patch || patch.addedRegions.length + patch.removedRegions.length === 0) return;
  const { removedRegions: removed, addedRegions: added } = patch;
  const left = new Map(removed.flatMap(({ id }) => (colours.has(id) ? [[id, colours.get(id)!] as const] : [])));
  for (const { id } of removed) colours.delete(id);
  const homeless: Region[] = [];
  for (const region of added.toSorted((a, b) => b.members.length - a.members.length)) {
    const parent = parentsOf(region, removed, added.length === 1).find(({ id }) => left.has(id));
    if (!parent) homeless.push(region);
    else {
      colours.set(region.id, left.get(parent.id)!);
      left.delete(parent.id);
    }
  }
  for (const { id } of homeless) colours.set(id, lowestFree(colours.values()));
}

/** Colours of the regions after `cursor` steps. */
export function coloursAt({ naive, naivePlan, steps }: Compilation, cursor: number): KernelColours {
  const colours = new Map<RegionId, number>();
  for (const { region } of naivePlan?.kernels ?? []) if (!colours.has(region)) colours.set(region, colours.size);
  for (const id of naive?.regions.keys() ?? []) if (!colours.has(id) && !naivePlan) colours.set(id, colours.size);
  for (const step of steps.slice(0, cursor)) follow(colours, step);
  return colours;
}

const kept = new WeakMap<Compilation, { readonly cursor: number; readonly colours: KernelColours }>();

/** Cached for the shown step. */
export function selectKernelColours({ derived: { compilation }, cursor }: PlaygroundState): KernelColours {
  if (!compilation) return NO_COLOURS;
  const before = kept.get(compilation);
  if (before?.cursor === cursor) return before.colours;
  const colours = coloursAt(compilation, cursor);
  kept.set(compilation, { cursor, colours });
  return colours;
}
