/** @file One kernel under its knobs: what may be chosen, what the planner would have written, and a small program of every choice to be timed. */
import {
  instructionCounts,
  lowerRegion,
  neighbourAccesses,
  type InstructionCounts,
  type NeighbourAccess,
} from "./kernel/code";
import { planFusion } from "./plan";
import { chosenFor } from "./cost";
import {
  type CompileOptions,
  type Fusion,
  type Graph,
  isInput,
  type Kernel,
  type KnobName,
  knobsFor,
  type Node,
  type NodeId,
  type Plan,
  type Region,
  type RegionId,
  type Target,
  withKnob,
} from "./ir";
import { opDef } from "./ops";
import { isFreeView, isInlined, knobOffers, type KnobOffer } from "./kernel";

export interface KnobSheet {
  /** What choices for this kernel are stored under: the first value it stores. */
  readonly output: NodeId;
  readonly offers: readonly KnobOffer[];
  /** Its kernels as the planner writes them, and as they were chosen to be. */
  readonly planned: readonly Kernel[];
  readonly now: readonly Kernel[];
}

const only = (graph: Graph, region: Region): Fusion => ({ graph, regions: new Map([[region.id, region]]) });

/** Null when the state has no such region, or no kernel computes it. */
export function knobSheet(fusion: Fusion, id: RegionId, options: CompileOptions, target: Target): KnobSheet | null {
  const region = fusion.regions.get(id);
  const output = region?.outputs[0];
  if (!region || output === undefined) return null;
  const chosen = chosenFor(options, target);
  const offers = knobOffers(fusion.graph, region, chosen);
  const alone = only(fusion.graph, region);
  const planned = planFusion(alone, { ...target, strict: options.strict }, options.profile).kernels;
  const now = planFusion(alone, chosen, options.profile).kernels;
  return planned.length === 0 ? null : { output, offers, planned, now };
}

/** One kernel with one knob at every value that the target can do, as plans of their own. */
export interface KnobSweep {
  readonly values: readonly { readonly value: string; readonly plan: Plan }[];
  /** What the kernel reads, as inputs with data of their own. */
  readonly inputs: readonly Node[];
}

/** Null when the kernel has no such knob on this target. */
export function knobSweep(
  fusion: Fusion,
  id: RegionId,
  options: CompileOptions,
  target: Target,
  knob: KnobName,
): KnobSweep | null {
  const region = fusion.regions.get(id);
  const offer =
    region && knobOffers(fusion.graph, region, chosenFor(options, target)).find((each) => each.knob === knob);
  if (!region || !offer) return null;
  const graph = programOf(fusion.graph, region);
  const chosen = knobsFor(options.knobs, region.outputs);
  const values = offer.values.flatMap(({ value, refusal }) => {
    if (refusal) return [];
    const knobs = { all: withKnob(chosen, knob, value), kernels: {} };
    const plan = planFusion(only(graph, region), { ...target, knobs, strict: options.strict }, options.profile);
    return [{ value, plan }];
  });
  return { values, inputs: [...graph.nodes.values()].filter(isInput) };
}

/** The region as a program of its own: what other kernels store is an input here. */
function programOf({ nodes }: Graph, region: Region): Graph {
  const inside = new Set(region.members);
  const taken = new Map<NodeId, Node>();
  const open = region.members.flatMap((id) => nodes.get(id)!.inputs);
  while (open.length > 0) {
    const n = nodes.get(open.pop()!)!;
    if (inside.has(n.id) || taken.has(n.id)) continue;
    const written = isFreeView(n) || isInlined(n) || opDef(n.op).generate !== undefined;
    if (written) open.push(...n.inputs);
    const { recipe: _, ...plain } = n;
    taken.set(n.id, written ? n : { ...plain, op: "input", inputs: [], attrs: isInput(n) ? n.attrs : {} });
  }
  const needed = [...nodes.values()].flatMap((n) => taken.get(n.id) ?? (inside.has(n.id) ? [n] : []));
  return { nodes: new Map(needed.map((n) => [n.id, n])), outputs: region.outputs };
}

/** What a lowered kernel says of itself. */
export interface KernelLook {
  readonly accesses: readonly NeighbourAccess[];
  readonly instructions: InstructionCounts;
}

/** Each kernel of a region by its name, looked at once more. */
export function kernelLooks(fusion: Fusion, id: RegionId, options: CompileOptions): ReadonlyMap<string, KernelLook> {
  const region = fusion.regions.get(id);
  const programs = region ? lowerRegion(fusion.graph, region, chosenFor(options)) : [];
  return new Map(
    programs.map((program) => [
      program.name,
      { accesses: neighbourAccesses(program), instructions: instructionCounts(program) },
    ]),
  );
}
