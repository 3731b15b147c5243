/** @file Which colour a kernel has: unlike the kernels beside it, the same while the kernel lives. Merged kernels keep that of the larger. */
import { fusionAt } from "../fusion";
import type { Compilation, Fusion, NodeId, Region, RegionId, Step } from "../fusion";

/** From 0: six colours, then the same six hatched. */
export type KernelColours = ReadonlyMap<RegionId, number>;

const NO_COLOURS: KernelColours = new Map();

/** Colours that look different from one another; after them they come again, hatched. */
const COLOURS = 6;

/** Of the regions that went, those that `region` continues, the one with most ops first. */
function parentsOf(region: Region, removed: readonly Region[], alone: boolean): Region[] {
  const members = new Set<string>(alone ? [] : region.members);
  const before = alone
    ? removed
    : removed.filter(({ id, members: old }) => id === region.id || old.some((node) => members.has(node)));
  return before.toSorted((a, b) => b.members.length - a.members.length);
}

/** Which regions read from one another, by the ops in them, also through views; ops that only a step in between has are left out. */
type Neighbours = (region: Region) => ReadonlySet<NodeId>;

/** @param kernels regions that a plan computes; the others are views, also where a later kernel takes them in */
function neighboursIn(states: readonly Fusion[], kernels: ReadonlySet<RegionId>): Neighbours {
  const linked = new Map<NodeId, Set<NodeId>>();
  const link = (a: NodeId, b: NodeId): void => {
    const known = linked.get(a);
    if (known) known.add(b);
    else linked.set(a, new Set([b]));
  };
  const views = new Set(
    states.flatMap(({ regions }) =>
      [...regions.values()].flatMap(({ id, members }) => (kernels.has(id) ? [] : members)),
    ),
  );
  for (const { graph } of states) {
    for (const { id, inputs } of graph.nodes.values()) {
      for (const input of inputs) {
        for (let from: NodeId | undefined = input; from; from = graph.nodes.get(from)!.inputs[0]) {
          link(id, from);
          link(from, id);
          if (!views.has(from)) break;
        }
      }
    }
  }
  return ({ members }) => new Set(members.flatMap((member) => [...(linked.get(member) ?? [])]));
}

/** The regions of one state with their colours, as far as they have one. */
interface Painted {
  readonly regions: Map<RegionId, Region>;
  readonly colours: Map<RegionId, number>;
}

/** The lowest colour that no other region has; of more than six regions, one that also looks unlike its neighbours'. */
function freeColour({ regions, colours }: Painted, region: Region, neighbours: Neighbours): number {
  const used = new Set(colours.values());
  const beside = neighbours(region);
  const near = new Set<number>();
  if (regions.size > COLOURS) {
    for (const [id, colour] of colours) {
      if (regions.get(id)?.members.some((member) => beside.has(member))) near.add(colour % COLOURS);
    }
  }
  let free = 0;
  while (used.has(free) || (near.size < COLOURS && near.has(free % COLOURS))) free++;
  return free;
}

/** The state before a step from the state after it, in place: what was merged gives its colour to its largest part. */
function unfollow(painted: Painted, { patch }: Step, neighbours: Neighbours): void {
  if (!patch) return;
  const { removedRegions: removed, addedRegions: added } = patch;
  const { regions, colours } = painted;
  const left = new Map(added.map(({ id }) => [id, colours.get(id)] as const));
  for (const { id } of added) {
    regions.delete(id);
    colours.delete(id);
  }
  for (const region of removed) regions.set(region.id, region);
  for (const region of added.toSorted((a, b) => b.members.length - a.members.length)) {
    const colour = left.get(region.id);
    const parent = parentsOf(region, removed, added.length === 1).find(({ id }) => !colours.has(id));
    if (parent && colour !== undefined) colours.set(parent.id, colour);
  }
  for (const region of removed) {
    if (!colours.has(region.id)) colours.set(region.id, freeColour(painted, region, neighbours));
  }
}

/**
 * Colours of the regions after `cursor` steps, found from the end: the fewer kernels of the final plan get colours of their
 * own first, so that up to six kernels always differ, and more than six differ from the kernels that they exchange data with.
 */
export function coloursAt(compilation: Compilation, cursor: number): KernelColours {
  const { naive, naivePlan, fusedPlan, steps } = compilation;
  if (!naive) return NO_COLOURS;
  const last = fusionAt(compilation, steps.length);
  const kernelsOf = (plan: typeof naivePlan): RegionId[] => (plan?.kernels ?? []).map(({ region }) => region);
  const inOrder = kernelsOf(steps.length > 0 ? fusedPlan : naivePlan);
  const neighbours = neighboursIn([naive, last], new Set([...kernelsOf(naivePlan), ...inOrder]));
  const painted: Painted = { regions: new Map(last.regions), colours: new Map() };
  for (const id of new Set([...inOrder, ...last.regions.keys()])) {
    const region = last.regions.get(id);
    if (region) painted.colours.set(id, freeColour(painted, region, neighbours));
  }
  for (const step of steps.slice(cursor).toReversed()) unfollow(painted, step, neighbours);
  return painted.colours;
}
