/** @file A kernel to look at: its loop nests, in which no two values have one name, and the same ops at a size whose numbers can be seen. */
import { recordKernel, planFusion, type KernelRecording } from "./plan";
import type { Compilation } from "./compilation";
import { fusionAt } from "./compile";
import { chosenFor } from "./cost";
import { isLiteral, node, type Fusion, type Graph, type Kernel, type NodeId, type Region, type RegionId } from "./ir";
import { naiveFusion } from "./passes";
import * as nests from "./kernel";
import { opDef } from "./ops";
import { dataFor, halvedPrograms, smallPrograms } from "./small-sizes";

/** Scalar operations of kernels that run without a noticeable wait. */
const MAX_FLOPS = 2 ** 22;

export interface WatchedKernel {
  readonly recording: KernelRecording;
  /** As the plan of this size counts it. */
  readonly kernel: Kernel;
  /** The program's numbers were made smaller. */
  readonly smaller: boolean;
  /** At the program's own size the planner writes a kernel of this kind, too. */
  readonly sameKind: boolean;
}

interface Found {
  readonly fusion: Fusion;
  readonly kernels: readonly Kernel[];
  /** Index of the kernel. */
  readonly at: number;
}

/** The states of a small program with the kernel's ops in one kernel: as it is planned, at the same step first, or with the others apart. */
function* statesWith(compilation: Compilation, cursor: number, region: Region): Generator<Fusion> {
  const { steps } = compilation;
  const members = region.members.join();
  const cursors = new Set([...(cursor <= steps.length ? [cursor] : []), steps.length]);
  for (let at = steps.length - 1; at >= 0; at--) cursors.add(at);
  for (const at of cursors) {
    const fusion = fusionAt(compilation, at);
    if (![...fusion.regions.values()].some((each) => each.members.join() === members)) continue;
    yield fusion;
    return;
  }
  for (const at of [steps.length, 0]) {
    const fusion = together(fusionAt(compilation, at).graph, region);
    if (fusion) yield fusion;
  }
}

/** The region's ops in one kernel, and every other op in one of its own; null where that is no kernel. */
function together(graph: Graph, region: Region): Fusion | null {
  const inside = new Set(region.members);
  if (region.members.some((id) => !graph.nodes.has(id))) return null;
  if (!nests.classify(graph, region.members, region.outputs).ok) return null;
  const others = [...naiveFusion(graph, "primitive").regions.values()].filter(
    ({ members }) => !members.every((id) => inside.has(id)),
  );
  if (others.some(({ members }) => members.some((id) => inside.has(id)))) return null;
  return { graph, regions: new Map([...others, region].map((each) => [each.id, each])) };
}

/** The region's ops can be one kernel at these sizes, too. */
function canBe(small: Compilation, { members, outputs }: Region): boolean {
  const { graph } = fusionAt(small, small.steps.length);
  return members.every((id) => graph.nodes.has(id)) && nests.classify(graph, members, outputs).ok;
}

function inside(compilation: Compilation, cursor: number, region: Region, nth: number): Found | null {
  const { options } = compilation;
  const members = region.members.join();
  for (const fusion of statesWith(compilation, cursor, region)) {
    const { kernels } = planFusion(fusion, chosenFor(options), options.profile);
    const own = kernels.flatMap(({ nodes }, i) => (nodes.join() === members ? [i] : []));
    const at = own[Math.min(nth, own.length - 1)];
    // Those behind it do not run.
    if (at !== undefined && kernels.slice(0, at + 1).reduce((sum, { flops }) => sum + flops, 0) <= MAX_FLOPS)
      return { fusion, kernels, at };
  }
  return null;
}

/**
 * A kernel at work, at the program's own size where that is small, else at a smaller one that keeps its kind.
 * @param nth which of the kernels of the region
 * @param workgroup that is looked at; the last one where there are fewer
 * @returns null where no smaller size could be found
 */
export function watchKernel(
  compilation: Compilation,
  cursor: number,
  region: RegionId,
  nth: number,
  workgroup: number,
): WatchedKernel | null {
  const { options, naive } = compilation;
  if (!naive) return null;
  const target = chosenFor(options);
  const state = fusionAt(compilation, cursor);
  const shown = state.regions.get(region);
  const plan = planFusion(state, target, options.profile);
  const real = plan.kernels.filter((each) => each.region === region)[nth];
  if (!shown || !real) return null;
  let best: (Found & Pick<WatchedKernel, "smaller" | "sameKind">) | null = null;
  const ways = function* () {
    yield* smallPrograms(compilation);
    if (!best) yield* halvedPrograms(compilation, (small) => canBe(small, shown));
  };
  for (const { compilation: small, smaller } of ways()) {
    const found = inside(small, cursor, shown, nth);
    if (!found) continue;
    const kernel = found.kernels[found.at]!;
    const sameKind = kernel.template === real.template && kernel.workgroupBytes > 0 === real.workgroupBytes > 0;
    if (sameKind || !best) best = { ...found, smaller, sameKind };
    if (sameKind) break;
  }
  if (!best) return null;
  const { fusion, kernels, at, smaller, sameKind } = best;
  const kernel = kernels[at]!;
  const [x, y, z] = kernel.workgroups;
  const group = Math.min(workgroup, x * y * z - 1);
  const recording = recordKernel(fusion, target, options.profile, kernels, at, dataFor(fusion), group);
  return { recording, kernel, smaller, sameKind };
}

/** The graph with the names that the nest of a region has: what lies in memory keeps its own, then its members in their order. */
function withOwnNames(graph: Graph, members: readonly NodeId[]): Graph {
  const inside = new Set(members);
  const names = new Map<NodeId, string>();
  const used = new Set<string>();
  const name = (id: NodeId): void => {
    const { label, op, inputs } = node(graph, id);
    const { kind, loop } = opDef(op);
    // A view, and what a loop replaces, go by the name of what they read.
    const same = kind === "movement" || loop ? inputs.find((input) => node(graph, input).label === label) : undefined;
    let own = (same !== undefined && names.get(same)) || label;
    for (let count = 2; same === undefined && used.has(own); count++) own = `${label}_${count}`;
    used.add(own);
    names.set(id, own);
  };
  const read = members.flatMap((id) => node(graph, id).inputs);
  const outside = new Set(read.filter((id) => !inside.has(id) && !isLiteral(node(graph, id))));
  [...outside, ...[...graph.nodes.keys()].filter((id) => inside.has(id))].forEach(name);
  const changed = [...names].filter(([id, label]) => node(graph, id).label !== label);
  if (changed.length === 0) return graph;
  const nodes = new Map(graph.nodes);
  for (const [id, label] of changed) nodes.set(id, { ...node(graph, id), label });
  return { ...graph, nodes };
}

/** The loop nest of one kernel that computes all of `region`; see `kernel/show`. */
export const fusedLoops = (
  graph: Graph,
  region: Pick<Region, "members" | "outputs">,
  kernels: readonly Pick<Kernel, "reads">[] = [],
): nests.LoopLine[] => nests.fusedLoops(withOwnNames(graph, region.members), region, kernels);

/** The same ops with one kernel each: a nest for every member, each value through memory. */
export const apartLoops = (graph: Graph, region: Pick<Region, "members">): nests.LoopLine[][] =>
  nests.apartLoops(withOwnNames(graph, region.members), region);

/** The loop nests of a region as text. */
export function loopsOf({ graph, ...fusion }: Fusion, id: RegionId): string[] {
  const members = fusion.regions.get(id)?.members ?? [];
  return nests.loopsOf({ ...fusion, graph: withOwnNames(graph, members) }, id);
}
