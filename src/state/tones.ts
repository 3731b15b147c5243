/** @file Which colour a kernel has: given in plan order, kept while the kernel lives. Merged kernels keep that of the larger. */
import type { Compilation, Region, RegionId, Step } from "../fusion";
import type { PlaygroundState } from "./types";

/** From 0: six colours, then the same six hatched. */
export type Tones = ReadonlyMap<RegionId, number>;

const NO_TONES: Tones = new Map();

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
function follow(tones: Map<RegionId, number>, { patch }: Step): void {
  if (!patch || patch.addedRegions.length + patch.removedRegions.length === 0) return;
  const { removedRegions: removed, addedRegions: added } = patch;
  const left = new Map(removed.flatMap(({ id }) => (tones.has(id) ? [[id, tones.get(id)!] as const] : [])));
  for (const { id } of removed) tones.delete(id);
  const homeless: Region[] = [];
  for (const region of added.toSorted((a, b) => b.members.length - a.members.length)) {
    const parent = parentsOf(region, removed, added.length === 1).find(({ id }) => left.has(id));
    if (!parent) homeless.push(region);
    else {
      tones.set(region.id, left.get(parent.id)!);
      left.delete(parent.id);
    }
  }
  for (const { id } of homeless) tones.set(id, lowestFree(tones.values()));
}

/** Colours of the regions after `cursor` steps. */
export function tonesAt({ naive, naivePlan, steps }: Compilation, cursor: number): Tones {
  const tones = new Map<RegionId, number>();
  for (const { region } of naivePlan?.kernels ?? []) if (!tones.has(region)) tones.set(region, tones.size);
  for (const id of naive?.regions.keys() ?? []) if (!tones.has(id) && !naivePlan) tones.set(id, tones.size);
  for (const step of steps.slice(0, cursor)) follow(tones, step);
  return tones;
}

const kept = new WeakMap<Compilation, { readonly cursor: number; readonly tones: Tones }>();

/** Cached for the shown step. */
export function selectTones({ derived: { compilation }, cursor }: PlaygroundState): Tones {
  if (!compilation) return NO_TONES;
  const before = kept.get(compilation);
  if (before?.cursor === cursor) return before.tones;
  const tones = tonesAt(compilation, cursor);
  kept.set(compilation, { cursor, tones });
  return tones;
}
