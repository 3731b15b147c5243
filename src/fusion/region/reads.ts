/** @file What a region reads: every stored value with its distinct elements, and whether the inner loop walks it with a stride. */
import { node, sizeOf, stridesOf, type Graph, type Node, type NodeId, type Shape } from "../ir";
import { opDef } from "../ops";
import {
  ALL,
  count,
  sourceOf,
  throughBroadcast,
  throughGather,
  throughIndex,
  throughMovement,
  throughReduce,
  union,
  type Demand,
} from "./demand";
import type { RegionForm, RegionRead } from "./types";
import { turnPoint, type Turn } from "./turns";
import { isFreeView, isInlined, storedInputs } from "./views";

const shapesOf = (graph: Graph, n: Node): Shape[] => n.inputs.map((input) => node(graph, input).type.shape);

/** Demand on one operand of a member. */
function demandOn(graph: Graph, n: Node, operand: number, demand: Demand): Demand {
  const inputs = shapesOf(graph, n);
  const def = opDef(n.op);
  if (def.kind === "movement") return throughMovement(demand, n, inputs, operand);
  if (def.kind === "reduce")
    return throughReduce(demand, n.type.shape, inputs[operand]!, def.reduce!.axes(n.attrs, inputs[operand]!));
  if (def.kind === "contraction" || def.kind === "opaque") return ALL;
  if (def.kind === "gather") {
    if (operand === 0) return throughGather(demand, n.type.shape, inputs[0]!);
    return throughIndex(demand, n.type.shape, inputs[1]!, def.gather!.axis(n.attrs, inputs[0]!));
  }
  return throughBroadcast(demand, n.type.shape, inputs[operand]!);
}

/**
 * Distinct elements of every stored value that the members touch when the outputs are computed in full.
 * Exact below four million elements; a box that a reshape cuts is taken as everything above that.
 */
export function touchedElements(
  graph: Graph,
  members: readonly NodeId[],
  outputs: readonly NodeId[],
): Map<NodeId, number> {
  const inside = new Set(members);
  const demands = new Map<NodeId, Demand>(outputs.map((id) => [id, ALL]));
  const ask = (id: NodeId, demand: Demand): void => {
    const known = demands.get(id);
    demands.set(id, known ? union(known, demand, node(graph, id).type.shape) : demand);
  };
  const outside = new Set<NodeId>();
  for (const id of members.toReversed()) {
    const demand = demands.get(id);
    if (!demand) continue;
    const n = node(graph, id);
    n.inputs.forEach((input, operand) => {
      ask(input, demandOn(graph, n, operand, demand));
      if (!inside.has(input)) outside.add(input);
    });
  }
  const touched = new Map<NodeId, Demand>();
  for (const id of outside) {
    let current = node(graph, id);
    let demand = demands.get(id)!;
    while (isFreeView(current)) {
      const source = node(graph, current.inputs[0]!);
      demand = throughMovement(demand, current, [source.type.shape], 0);
      current = source;
    }
    if (isInlined(current)) continue;
    const known = touched.get(current.id);
    touched.set(current.id, known ? union(known, demand, current.type.shape) : demand);
  }
  return new Map([...touched].map(([id, demand]) => [id, count(demand, node(graph, id).type.shape)]));
}

/** Linear distance in every stored value between two neighbouring points of the loop; several where it is read several ways. */
export type Strides = ReadonlyMap<NodeId, ReadonlySet<number>>;

type Pair = readonly [readonly number[], readonly number[]];
/** A value read at many different offsets in one kernel needs no more probes than this to show its strides. */
const PAIRS_PER_VALUE = 4;

const dropped = (index: readonly number[], skip: number, shape: Shape): number[] =>
  index.slice(skip).map((value, i) => (shape[i] === 1 ? 0 : value));

/** Follows neighbouring points from `roots` back to the loads. Reductions stop the walk unless `intoReductions` maps a row to points of it. */
export function strideProbe(
  graph: Graph,
  members: readonly NodeId[],
  roots: readonly { readonly id: NodeId; readonly pair: Pair }[],
): Strides {
  const inside = new Set(members);
  const pairs = new Map<NodeId, Pair[]>();
  const ask = (id: NodeId, pair: Pair): void => {
    const list = pairs.get(id) ?? [];
    if (list.length < PAIRS_PER_VALUE) list.push(pair);
    pairs.set(id, list);
  };
  const strides = new Map<NodeId, Set<number>>();
  const arrive = (id: NodeId, pair: Pair): void => {
    let current = node(graph, id);
    let at: Pair | null = pair;
    while (at && isFreeView(current)) {
      const source = node(graph, current.inputs[0]!);
      at = mapPair(current, [source.type.shape], at, 0);
      current = source;
    }
    if (!at || isInlined(current)) return;
    const steps = stridesOf(current.type.shape);
    const far = at[0].reduce((sum, value, axis) => sum + (at[1][axis]! - value) * steps[axis]!, 0);
    const set = strides.get(current.id) ?? new Set<number>();
    strides.set(current.id, set.add(far));
  };
  const visit = (id: NodeId, pair: Pair): void => (inside.has(id) ? ask(id, pair) : arrive(id, pair));
  for (const { id, pair } of roots) visit(id, pair);
  for (const id of members.toReversed()) {
    const n = node(graph, id);
    const kind = opDef(n.op).kind;
    if (kind === "reduce" || kind === "contraction" || kind === "opaque") continue;
    const inputs = shapesOf(graph, n);
    for (const pair of pairs.get(id) ?? []) {
      n.inputs.forEach((input, operand) => {
        const mapped =
          kind === "movement"
            ? mapPair(n, inputs, pair, operand)
            : kind === "gather"
              ? gatherPair(n, inputs, pair, operand)
              : broadcastPair(pair, n.type.shape, inputs[operand]!);
        if (mapped) visit(input, mapped);
      });
    }
  }
  return strides;
}

const broadcastPair = (pair: Pair, out: Shape, shape: Shape): Pair => [
  dropped(pair[0], out.length - shape.length, shape),
  dropped(pair[1], out.length - shape.length, shape),
];

/** Neighbours of the index lie anywhere in the data: two apart stands for that. */
function gatherPair(n: Node, [data, index]: readonly Shape[], pair: Pair, operand: number): Pair {
  const axis = opDef(n.op).gather!.axis(n.attrs, data!);
  const rank = index!.length;
  const asked = pair.map((at) => at.slice(axis, axis + rank));
  if (operand === 1) return [asked[0]!, asked[1]!];
  const far = asked[0]!.join() === asked[1]!.join() ? 0 : Math.min(2, data![axis]! - 1);
  const at = (which: 0 | 1, place: number): number[] => [
    ...pair[which].slice(0, axis),
    place,
    ...pair[which].slice(axis + rank),
  ];
  return [at(0, 0), at(1, far)];
}

function mapPair(n: Node, inputs: readonly Shape[], pair: Pair, operand: number): Pair | null {
  const [a, b] = [sourceOf(n, inputs, pair[0]), sourceOf(n, inputs, pair[1])];
  return a && b && a.operand === operand && b.operand === operand ? [a.index, b.index] : null;
}

/** Two neighbouring points of `shape` along `axis`; null when the axis is too short. */
export function neighbours(shape: Shape, axis: number): Pair | null {
  if (axis < 0 || shape[axis]! < 2) return null;
  const zero = shape.map(() => 0);
  return [zero, zero.map((_, i) => (i === axis ? 1 : 0))];
}

/** Innermost axis with more than one element, or −1. */
export const innermost = (shape: Shape): number => shape.findLastIndex((extent) => extent > 1);

/** Stored values that the region walks with neither stride 0 nor 1. */
export function stridedReads(
  graph: Graph,
  members: readonly NodeId[],
  outputs: readonly NodeId[],
  form: RegionForm,
  along: "columns" | "rows",
  turnsOf: ReadonlyMap<NodeId, readonly Turn[]> = new Map(),
): Set<NodeId> {
  if (form.contraction !== null) return new Set();
  const isAlong = (extent: number, axis: number): boolean =>
    extent > 1 && form.reducedAxes.includes(axis) === (along === "columns");
  const pairsOf = (id: NodeId): { id: NodeId; pair: Pair }[] => {
    const turns = turnsOf.get(id) ?? [];
    const inSpace = turns.length > 0 ? neighbours(form.space, form.space.findLastIndex(isAlong)) : null;
    if (inSpace) return [{ id, pair: [turnPoint(turns, inSpace[0]), turnPoint(turns, inSpace[1])] as const }];
    const shape = node(graph, id).type.shape;
    const axis =
      form.reducedAxes.length === 0 || shape.length !== form.space.length
        ? innermost(shape)
        : shape.findLastIndex(isAlong);
    const pair = neighbours(shape, axis);
    return pair ? [{ id, pair }] : [];
  };
  const roots = rootsOf(graph, members, outputs, form).map(({ id }) => id);
  const isWide = (id: NodeId): boolean => sizeOf(node(graph, id).type.shape) >= sizeOf(form.space);
  const wide = strideProbe(graph, members, roots.filter(isWide).flatMap(pairsOf));
  const narrow = strideProbe(graph, members, roots.filter((id) => !isWide(id)).flatMap(pairsOf)); // prettier-ignore
  // What the loop over whole rows reads is walked as that loop walks, whatever one more element per row costs.
  const walks = [...wide, ...[...narrow].filter(([value]) => !wide.has(value))];
  return new Set(
    walks.flatMap(([value, steps]) => ([...steps].some((step) => step !== 0 && step !== 1) ? [value] : [])),
  );
}

/** Where the loops begin to ask: the operand of each reduction, and every output. */
export function rootsOf(
  graph: Graph,
  members: readonly NodeId[],
  outputs: readonly NodeId[],
  form: RegionForm,
): { id: NodeId; stage: number }[] {
  const last = form.reductions.reduce((most, { stage }) => Math.max(most, stage + 1), 0);
  return [
    ...form.reductions.map(({ node: id, stage }) => ({ id: node(graph, id).inputs[0]!, stage })),
    ...outputs
      .filter((id) => opDef(node(graph, id).op).kind !== "reduce" && members.includes(id))
      .map((id) => ({ id, stage: last })),
  ];
}

/** Plain reads, in first-use order: no rereads yet (the schedule knows them). */
export function readsOf(
  graph: Graph,
  members: readonly NodeId[],
  outputs: readonly NodeId[],
  strided: ReadonlySet<NodeId>,
): RegionRead[] {
  const touched = touchedElements(graph, members, outputs);
  return storedInputs(graph, members)
    .filter((value) => (touched.get(value) ?? 0) > 0 || sizeOf(node(graph, value).type.shape) === 0)
    .map((value) => ({ value, elements: touched.get(value) ?? 0, strided: strided.has(value), rereads: 0 }));
}
