/** @file Building and judging merges of regions: what every fusion pass shares. */
import {
  bytesOf,
  edgeId,
  node,
  parseEdgeId,
  showShape,
  type EdgeId,
  type ForbidReason,
  type Node,
  type NodeId,
  type Patch,
  type Region,
  type RegionId,
  type Verdict,
} from "../../ir";
import { figuresIn, isRefusal, priority, valuesReadBy, type Figures, type RegionFacts } from "../../cost";
import { opDef } from "../../ops";
import { bySize, classifyPlain, isOnline, productsOf, uniformsOf } from "../../kernel";
import type { Candidate, CostDelta, FusionPass } from "./define";
import type { Planner, PlanOptions } from "./planner";
import { inOtherOrder } from "./strict-order";
import { workOf } from "../profitability/weigh";
import {
  bothOf,
  capital,
  countOf,
  nameOf,
  namesOf,
  no,
  pairOf,
  toldApart,
  showBytes,
  subjectOf,
  yes,
} from "./sentences";
import { isLate } from "../saved/partition";

/** Members of several regions, each once, in text order. */
export const unionOf = (planner: Planner, regions: readonly Region[]): readonly NodeId[] =>
  planner.inTextOrder(regions.map(({ members }) => members));

/** Reads from producer's outputs into consumer's own members. */
export function edgesBetween(planner: Planner, producer: Region, consumer: Region): EdgeId[] {
  const edges: EdgeId[] = [];
  if (!mayRead(planner, consumer, producer.outputs)) return edges;
  const made = new Set(producer.outputs.filter((output) => !consumer.members.includes(output)));
  for (const member of consumer.members) {
    const { inputs } = node(planner.graph, member);
    for (let operand = 0; operand < inputs.length; operand++)
      if (made.has(inputs[operand]!)) edges.push(edgeId(inputs[operand]!, member, operand));
  }
  return edges;
}

/** False where the region is known to read none of these values. */
const mayRead = (planner: Planner, region: Region, values: readonly NodeId[]): boolean =>
  planner.regions.get(region.id) !== region || planner.inputsOf(region).some((input) => values.includes(input));

/** Reads of one of these nodes by another. */
export function edgesOf(planner: Planner, nodes: readonly NodeId[]): EdgeId[] {
  const among = new Set(nodes);
  return nodes.flatMap((consumer) => {
    const inputs = planner.graph.nodes.get(consumer)?.inputs ?? [];
    return inputs.flatMap((input, operand) => (among.has(input) ? [edgeId(input, consumer, operand)] : []));
  });
}

/** Is the value needed in memory by anyone but these regions? What nobody reads stays where it is until it is removed. */
export function neededOutside(planner: Planner, value: NodeId, group: ReadonlySet<RegionId>): boolean {
  if (planner.isOutput(value)) return true;
  const readers = planner.regionsReading(value);
  for (const reader of readers) if (!group.has(reader)) return true;
  return readers.size === 0;
}

/** A view that is a result shows the producer's value from memory: it has to be there. Null when no reader is one. */
export function shownByView(planner: Planner, producer: Region, readers: readonly Region[]): Verdict | null {
  const view = readers.find((reader) => planner.isView(reader));
  if (view === undefined) return null;
  const [value, shown] = [producer.outputs[0]!, view.outputs[0]!];
  const [source, seen] = pairOf(planner.graph, value, shown);
  return no("L_ROOT", [value, shown], `${capital(seen)} is a view of ${source} in memory, so that has to be stored.`, {
    numbers: { bytes: bytesOf(node(planner.graph, value).type) },
    remedy: `Leave views of ${source} out of the results.`,
  });
}

/** One region of several, storing what others still need, under the identity of `id`. */
export function mergedRegion(planner: Planner, group: readonly Region[], id: RegionId): Region {
  const ids = new Set(group.map((region) => region.id));
  const outputs = group.flatMap((region) => region.outputs.filter((value) => neededOutside(planner, value, ids)));
  return {
    id,
    members: unionOf(planner, group),
    outputs: [...new Set(outputs)].toSorted((a, b) => planner.position(a) - planner.position(b)),
  };
}

/** Regions that the group leaves without a reader: those that have a reader in it compute the values themselves. */
export function unreadBeside(planner: Planner, group: readonly Region[]): Region[] {
  const ids = new Set(group.map(({ id }) => id));
  const isUnread = (home: RegionId | null): boolean => {
    if (home === null || ids.has(home)) return false;
    const { outputs } = planner.region(home);
    let isRead = false;
    for (const output of outputs) {
      if (planner.isOutput(output)) return false;
      for (const reader of planner.regionsReading(output)) {
        if (reader === home) continue;
        if (!ids.has(reader)) return false;
        isRead = true;
      }
    }
    return isRead && outputs.some((id) => group.some(({ members }) => members.includes(id)));
  };
  // Each of them is read by the group: where the group stands in the plan, its few inputs are asked instead of its many members.
  const stand = group.every((region) => planner.regions.get(region.id) === region);
  const inputs = stand ? group.flatMap(planner.inputsOf) : null;
  if (inputs && !inputs.some((input) => isUnread(planner.homeOf(input)))) return [];
  const homes = new Set(group.flatMap(({ members }) => members.flatMap((id) => planner.homeOf(id) ?? [])));
  return [...homes].filter(isUnread).map(planner.region);
}

/** A candidate that makes one kernel of several regions; values that others read are stored as further outputs. */
export function mergeCandidate(
  planner: Planner,
  rule: string,
  regions: readonly Region[],
  about: { readonly edges: readonly EdgeId[]; readonly nodes: readonly NodeId[]; readonly id: RegionId },
): Candidate {
  const group = [...regions, ...unreadBeside(planner, regions)];
  return {
    rule,
    kind: "fuse",
    edges: about.edges,
    nodes: about.nodes,
    remove: group,
    add: [mergedRegion(planner, group, about.id)],
    into: about.id,
    merged: group.map(({ id }) => id),
  };
}

/** Producers, then consumers, of some edges; each once. */
export function nodesOf(edges: readonly EdgeId[], producer: Region): NodeId[] {
  const ends = edges.map((edge) => parseEdgeId(edge)!);
  const found = new Set<NodeId>([...ends.map((end) => end.producer), ...ends.map((end) => end.consumer)]);
  return found.size > 0 ? [...found] : [...producer.outputs];
}

/** A pass whose rewrite also joins kernels: judged, priced and made on the graph as rewritten. */
export const joiningRewrite: Pick<FusionPass, "legal" | "cost" | "apply"> = {
  legal: (planner, candidate) =>
    planner.supposing(patchOf(candidate), () => {
      const verdict = legalMerge(planner, candidate);
      return verdict.ok ? candidate.rewrite!.verdict : verdict;
    }),
  cost: (planner, candidate) => planner.supposing(patchOf(candidate), () => costOf(planner, candidate)),
  apply: (_planner, candidate) => patchOf(candidate),
};

/** Pins, paths that return, one kernel's form, bindings and workgroup memory: in this order. Null where nothing stands against it. */
export const refusedMerge = (planner: Planner, candidate: Candidate, derives = false): Verdict | null =>
  pinned(planner, candidate) ??
  crossPhase(planner, candidate) ??
  returning(planner, candidate) ??
  outOfForm(planner, candidate, derives) ??
  overLimits(planner, candidate);

/** The same with what is said where it is legal. */
export const legalMerge = (planner: Planner, candidate: Candidate, derives = false): Verdict =>
  refusedMerge(planner, candidate, derives) ?? oneLoop(planner, candidate);

const FORBIDDEN_BECAUSE: Readonly<Record<ForbidReason, string>> = {
  often: "it is read often",
  expensive: "it is expensive to recompute",
  backward: "the backward pass needs it",
  device: "another device needs it",
  inspect: "you want to look at it or restart from it",
};

function whyForbidden({ options }: Planner, edge: EdgeId): string {
  const reason = options.kept?.find((each) => each.edge === edge)?.reason;
  return reason ? `: ${FORBIDDEN_BECAUSE[reason]}` : "";
}

type EdgeEnds = NonNullable<ReturnType<typeof parseEdgeId>>;

const knownBoundaries = new WeakMap<readonly EdgeId[], ReadonlyMap<EdgeId, EdgeEnds>>();

/** What boundaries that a person drew lie between, read once for all candidates. */
function boundariesOf(forbidden: readonly EdgeId[]): ReadonlyMap<EdgeId, EdgeEnds> {
  const known = knownBoundaries.get(forbidden);
  if (known) return known;
  const found = new Map<EdgeId, EdgeEnds>();
  for (const edge of forbidden) {
    const ends = parseEdgeId(edge);
    if (ends) found.set(edge, ends);
  }
  knownBoundaries.set(forbidden, found);
  return found;
}

function pinned(planner: Planner, { add, remove }: Candidate): Verdict | null {
  const { forbidden } = planner.options;
  if (forbidden.length === 0) return null;
  const joins = ({ members }: Region, a: NodeId, b: NodeId): boolean => members.includes(a) && members.includes(b);
  for (const [edge, { producer, consumer }] of boundariesOf(forbidden)) {
    const together = add.some((region) => joins(region, producer, consumer));
    if (!together || remove.some((region) => joins(region, producer, consumer))) continue;
    return no(
      "U_USER_BARRIER",
      [producer, consumer],
      `You drew a boundary between ${nameOf(planner.graph, producer)} and ${nameOf(planner.graph, consumer)}, so ${nameOf(planner.graph, producer)} goes through memory${whyForbidden(planner, edge)}.`,
      {
        remedy: "Remove the boundary on that edge.",
        remedyOptions: { forbidden: forbidden.filter((other) => other !== edge) },
      },
    );
  }
  return null;
}

function returning(planner: Planner, { merged, nodes }: Candidate): Verdict | null {
  if (merged.length < 2) return null;
  const path = planner.order.returns(merged);
  if (!path.found) return null;
  const via = planner.region(path.via).outputs[0]!;
  const about = [nodes[0]!, via, nodes.at(-1)!];
  const [from, through, to] = toldApart(planner.graph, about);
  return no(
    "L_CYCLE",
    about,
    `A path leaves ${from}, runs through ${through} and comes back to ${to}: the merged kernel would wait for itself.`,
    {
      remedy:
        opDef(node(planner.graph, via).op).kind === "opaque"
          ? `Nothing while ${nameOf(planner.graph, via)} is read here: it is opaque and cannot be part of a kernel.`
          : `${capital(nameOf(planner.graph, via))} would have to be part of the same kernel.`,
    },
  );
}

function outOfForm(planner: Planner, { add, remove }: Candidate, derives: boolean): Verdict | null {
  for (const region of add) {
    const facts = planner.facts(region);
    if (isRefusal(facts)) return facts;
    const reordered = inOtherOrder(planner, region, remove);
    if (reordered) return reordered;
    // Folding rows while they are made is algebra: only its own passes introduce it; others may extend what is there.
    if (derives || !isDerived(figuresIn(facts)) || remove.some((part) => isDerived(planner.figuresOf(part)))) continue;
    const plain = classifyPlain(planner.graph, region.members, region.outputs);
    if (!plain.ok) return plain.verdict;
  }
  return null;
}

const isDerived = ({ form }: Figures): boolean => form !== null && isOnline(form.template);

/** Stored inputs and outputs, one buffer where an output is written over an input, and what chunks leave: of each fold of rows, of each product, of runs with their indices. */
function boundBy(facts: RegionFacts): number {
  const { form, traffic, schedule } = figuresIn(facts);
  const { temporaries } = schedule;
  // What folds of columns leave is bound where their results are not.
  const folds = form !== null && form.orders.length === 0 && form.columnFolds.length === 0;
  const parts = form?.contraction
    ? (temporaries ?? 1)
    : folds
      ? temporaries || 1
      : (form?.orders.length ?? 0) > 0
        ? 2
        : 1;
  // Each launch of a loop binds its own few.
  if (schedule.handed) return 0;
  const shared = schedule.inPlace?.length ?? 0;
  // Launches may read parts of one value.
  const reads = schedule.dispatches > 1 ? new Set(valuesReadBy(facts)).size : traffic.reads.length;
  return reads + traffic.writes.length - shared + (traffic.temporaryBytes > 0 ? parts : 0);
}

const isInPlace = ({ schedule }: RegionFacts, value: NodeId): boolean =>
  schedule.inPlace?.some(({ input }) => input === value) ?? false;

/** Small parameters that a region binds as uniforms, because it would bind too many buffers otherwise. */
function uniformsIn({ graph, profile }: Planner, facts: RegionFacts): number {
  const bound = boundBy(facts);
  if (bound <= profile.maxBindings) return 0;
  const reads = [...new Set(valuesReadBy(facts))].filter((value) => !isInPlace(facts, value));
  return uniformsOf(graph, reads, bound, profile.maxBindings).size;
}

/** Storage bindings of a region: distinct stored inputs and outputs, without what is bound as uniforms. */
export const bindingsOf = (planner: Planner, facts: RegionFacts): number => boundBy(facts) - uniformsIn(planner, facts);

/** A region binds no fewer buffers, however it is scheduled: what is known of it before it is classified. */
export function leastBindings({ graph, profile, boundOf }: Planner, region: Region): number {
  const { reads, buffers } = boundOf(region);
  return buffers - uniformsOf(graph, reads, buffers, profile.maxBindings).size;
}

const besideUniforms = (count: number): string =>
  count === 0 ? "" : ` beside ${countOf(count, "small parameter")} as ${count === 1 ? "a uniform" : "uniforms"}`;

function overLimits(planner: Planner, { add, remove }: Candidate): Verdict | null {
  const { maxBindings, workgroupBytes } = planner.profile;
  const before = remove.map((region) => planner.factsOf(region));
  for (const region of add) {
    const facts = planner.factsOf(region);
    const bindings = bindingsOf(planner, facts);
    const { schedule, traffic } = figuresIn(facts);
    if (bindings > maxBindings && before.every((part) => bindingsOf(planner, part) < bindings)) {
      return no(
        "L_BINDINGS",
        region.outputs,
        `One kernel for ${namesOf(planner.graph, region.outputs)} would bind ${bindings} buffers (${bindings - traffic.writes.length} to read, ${traffic.writes.length} to write)${besideUniforms(uniformsIn(planner, facts))}, and the device allows ${maxBindings}.`,
        {
          numbers: { bindings, limit: maxBindings },
          limit: { what: "buffers", value: bindings, limit: maxBindings, unit: "" },
          remedy: "Fewer inputs and results in one kernel, or a device that binds more buffers.",
        },
      );
    }
    if (schedule.workgroupBytes > workgroupBytes) {
      return no(
        "L_WGMEM",
        region.outputs,
        `The merged kernel needs ${showBytes(schedule.workgroupBytes)} of workgroup memory and the device has ${showBytes(workgroupBytes)}.`,
        {
          numbers: { bytes: schedule.workgroupBytes, limit: workgroupBytes },
          limit: {
            what: "workgroup memory",
            value: schedule.workgroupBytes,
            limit: workgroupBytes,
            unit: "B",
          },
          remedy: "Shorter rows, or a device with more workgroup memory.",
        },
      );
    }
  }
  return null;
}

/** The legal yes, and what it takes to bind everything. */
function oneLoop(planner: Planner, candidate: Candidate): Verdict {
  const verdict = inItsForm(planner, candidate);
  const uniforms = uniformsIn(planner, planner.factsOf(candidate.add[0]!));
  if (uniforms === 0) return verdict;
  const many = `${capital(countOf(uniforms, "small parameter"))} ${uniforms === 1 ? "is bound as a uniform" : "are bound as uniforms"}, which the device counts apart from its ${planner.profile.maxBindings} buffers.`;
  return { ...verdict, text: `${verdict.text} ${many}`, numbers: { ...verdict.numbers, uniforms } };
}

/** In the words of the form that the merged kernel takes. */
function inItsForm(planner: Planner, candidate: Candidate): Verdict {
  const region = candidate.add[0]!;
  const facts = planner.factsOf(region);
  const subject = (one: string, many: string): string => capital(subjectOf(planner.graph, candidate.nodes, one, many));
  const { form } = facts;
  const say = (text: string): Verdict => yes("A_PATTERN", candidate.nodes, text);
  if (form === null || form.template === "pointwise") {
    const sizes = bySize(planner.graph, region.outputs).map(({ which }) => region.outputs[which[0]!]!);
    if (sizes.length > 1)
      return say(
        `${subject("is", "are")} computed element by element: one launch has workgroups for each of ${sizes.map((id) => showShape(node(planner.graph, id).type.shape)).join(", ")}.`,
      );
    return say(
      `${subject("is", "are")} computed element by element: one loop over ${showShape(form?.space ?? [])} computes everything.`,
    );
  }
  const products = productsOf(planner.graph, region.members);
  if (products.length > 1 && form.template === "matmul") {
    const left = nameOf(planner.graph, node(planner.graph, products[0]!).inputs[0]!);
    return say(
      `${capital(namesOf(planner.graph, products))} multiply the same ${left}: one kernel loads each of its tiles once for ${bothOf(products.length)}.`,
    );
  }
  if (form.contraction !== null) {
    return say(
      `${nameOf(planner.graph, form.contraction)} has each result of a tile in a register, where the other ops of the kernel use it.`,
    );
  }
  if (form.columnFolds.length > 0) {
    return say(
      `${subject("reduces", "reduce")} rows and columns of the same ${showShape(form.space)}: each band of rows is read once, and a second kernel combines the partial results of ${namesOf(planner.graph, form.columnFolds)}.`,
    );
  }
  const rows = countOf(form.rows, "row");
  return say(
    `${subject("works", "work")} on the same ${rows} of ${form.columns} values: one kernel finishes each row.`,
  );
}

/** Work of the regions apart and together; numbers only. */
export function costOf(planner: Planner, { remove, add }: Candidate): CostDelta {
  const apart = remove.map((region) => planner.factsOf(region));
  const fused = add.map((region) => planner.factsOf(region));
  const flops = (facts: readonly RegionFacts[]): number => facts.reduce((total, each) => total + each.flops, 0);
  const most = (of: (each: RegionFacts) => number): number => fused.reduce((top, each) => Math.max(top, of(each)), 0);
  return {
    apart: workOf(planner, remove),
    fused: workOf(planner, add),
    flopsAdded: flops(fused) - flops(apart),
    registers: most((facts) => figuresIn(facts).schedule.registers),
  };
}

/** The priority of a candidate: predicted µs that the candidate saves, launches included. */
export function priorityOf(planner: Planner, { remove, add }: Candidate): number {
  const work = (regions: readonly Region[]): number =>
    regions.reduce((total, region) => total + planner.figuresOf(region).time.workMicros, 0);
  const launches = (regions: readonly Region[]): number =>
    regions.reduce((total, region) => total + planner.figuresOf(region).schedule.dispatches, 0);
  return priority(work(remove), work(add), launches(remove) - launches(add), planner.profile);
}

const NO_NODES: readonly Node[] = [];

/** The patch of a candidate that only says why not. */
export const NOTHING: Patch = { removedNodes: [], addedNodes: [], removedRegions: [], addedRegions: [], outputs: null };

export const patchOf = ({ remove, add, rewrite }: Candidate): Patch =>
  rewrite?.patch ?? {
    removedNodes: NO_NODES,
    addedNodes: NO_NODES,
    removedRegions: remove,
    addedRegions: add,
    outputs: null,
  };

/** Of a region that is a kernel. */
export const walksRows = (planner: Planner, region: Region): boolean => {
  const { form } = planner.figuresOf(region);
  return form !== null && form.reductions.length + form.scans.length + form.orders.length > 0;
};
export const hasContraction = (planner: Planner, region: Region): boolean =>
  (planner.figuresOf(region).form?.contraction ?? null) !== null;

/** The backward pass runs later: what it reads of the forward pass goes through memory. Null where nothing is mixed. */
function crossPhase({ graph, options }: Planner, { add, remove }: Candidate): Verdict | null {
  if (options.savedValues?.apart !== true) return null;
  const late = (id: NodeId): boolean => isLate(node(graph, id));
  // While nodes are supposed to be rewritten, the regions that go still name those that were.
  const isMixed = ({ members }: Region): boolean => {
    const there = members.filter((id) => graph.nodes.has(id));
    return there.some(late) && !there.every(late);
  };
  const mixed = add.find(isMixed);
  if (!mixed || remove.some(isMixed)) return null;
  const { members } = mixed;
  for (const reader of members.filter(late)) {
    const value = node(graph, reader).inputs.find((input) => members.includes(input) && !late(input));
    if (value === undefined) continue;
    const bytes = bytesOf(node(graph, value).type);
    const text = `${nameOf(graph, reader)} reads ${nameOf(graph, value)} in the backward pass, which runs later: its ${showBytes(bytes)} have to be saved until then.`;
    return no("L_SAVED", [value, reader], text, { numbers: { bytes }, ...oneGraph(options) });
  }
  const [early, other] = [members.find((id) => !late(id))!, members.find(late)!];
  const [first, second] = pairOf(graph, early, other);
  const text = `${capital(first)} belongs to the forward pass and ${second} to the backward pass, which runs later.`;
  return no("L_SAVED", [early, other], text, oneGraph(options));
}

/** Planned together, values cross between the passes in registers. */
const oneGraph = ({ savedValues }: PlanOptions): Pick<Verdict, "remedy" | "remedyOptions"> => ({
  remedy: "Options, Saved values: plan both passes as one graph.",
  remedyOptions: { savedValues: { choices: {}, ...savedValues, apart: false } },
});
