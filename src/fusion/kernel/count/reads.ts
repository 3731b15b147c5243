/** @file What a region reads: every stored value with its distinct elements, and whether the inner loop walks it with a stride. */
import { dtypeBytes, node, sizeOf, stridesOf, type Graph, type Node, type NodeId, type Shape } from "../../ir";
import { opDef, ownShape, rankAround, readAt, rowLoopOf, rowsRead } from "../../ops";
import {
  ALL,
  count,
  rowsOf,
  throughBroadcast,
  throughGather,
  throughIndex,
  throughMovement,
  throughReduce,
  union,
  type Footprint,
} from "../indices/footprint";
import { sourceOf } from "../indices/affine";
import { endsPass, walkedAxes, walksRows } from "../shapes/fold/rows/row-ops";
import type { RegionForm, RegionRead } from "../types";
import { pointAfter, type LayoutStep } from "../indices/row-layout";
import { isFreeView, isInlined, storedInputs } from "../indices/views";
import { WayBack } from "./way-back";

export const shapesOf = (graph: Graph, n: Node): Shape[] => n.inputs.map((input) => node(graph, input).type.shape);

/** What a loop along rows asks of an operand: all of it, or the rows that its iterations read. */
function demandOfLoop(n: Node, shape: Shape, operand: number): Footprint {
  const loop = rowLoopOf(n)!;
  const param = loop.body.params[operand]!;
  const { walk } = param;
  if (!walk) return ALL;
  const [first, last] = rowsRead(loop, walk);
  return rowsOf(shape, rankAround(shape, param) + loop.axis, first, last);
}

/** Demand on one operand of a member. */
function demandOn(graph: Graph, n: Node, operand: number, demand: Footprint): Footprint {
  const inputs = shapesOf(graph, n);
  const def = opDef(n.op);
  if (def.kind === "movement") return throughMovement(demand, n, inputs, operand);
  const walked = walkedAxes(graph, n);
  if (walked) return throughReduce(demand, n.type.shape, inputs[operand]!, walked);
  if (def.kind === "contraction") return ALL;
  if (def.kind === "loop") return demandOfLoop(n, inputs[operand]!, operand);
  if (def.kind === "gather") {
    if (operand === 0) return throughGather(demand, n.type.shape, inputs[0]!);
    return throughIndex(demand, n.type.shape, inputs[1]!, def.gather!.axis(n.attrs, inputs[0]!));
  }
  if (def.kind === "search" && operand === 0) return ALL;
  if (def.kind === "ranges" || def.kind === "groups") return ALL;
  return throughBroadcast(demand, n.type.shape, inputs[operand]!);
}

/** What is asked of an operand; null for what its op asks. */
export type Asked = (n: Node, operand: number) => Footprint | null;

/**
 * Distinct elements of every stored value that the members touch when the outputs are computed in full; an output may be stored itself.
 * Exact as far as a few hundred disjoint boxes name them; everything where that is not enough.
 * @param asked what a kernel reads of an operand where that is less than the op needs
 */
export function touchedElements(
  graph: Graph,
  members: readonly NodeId[],
  outputs: readonly NodeId[],
  asked: Asked = () => null,
): Map<NodeId, number> {
  const way = new WayBack(members);
  const demands = new Map<NodeId, Footprint>(outputs.map((id) => [id, ALL]));
  const outside = new Set(outputs.filter((id) => !way.ask(id)));
  for (let id = way.next(); id !== null; id = way.next()) {
    const n = node(graph, id);
    const demand = demands.get(id)!;
    n.inputs.forEach((input, operand) => {
      const own = asked(n, operand) ?? demandOn(graph, n, operand, demand);
      const known = demands.get(input);
      demands.set(input, known ? union(known, own, node(graph, input).type.shape) : own);
      if (!way.ask(input)) outside.add(input);
    });
  }
  const touched = new Map<NodeId, Footprint>();
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

/** Points of a value, followed together. */
export type Points = readonly (readonly number[])[];
/** A value read at many different offsets in one kernel needs no more probes than this to show its strides. */
const PROBES_FOR_STRIDES = 4;
/** So many show everywhere that it is read: with more, a kernel is too long to be built. */
export const ALL_PROBES = 4096;

const dropped = (index: readonly number[], skip: number, shape: Shape): number[] =>
  index.slice(skip).map((value, i) => (shape[i] === 1 ? 0 : value));

/**
 * Follows points from `roots` back to the loads: where each stored value is loaded for them, once for each way there.
 * Reductions stop the walk, and so does a movement that takes the points from several operands.
 * @param most ways to each value that are followed
 */
export function offsetsAt(
  graph: Graph,
  members: readonly NodeId[],
  roots: readonly { readonly id: NodeId; readonly points: Points }[],
  most = PROBES_FOR_STRIDES,
): Map<NodeId, (readonly number[])[]> {
  const way = new WayBack(members);
  const probes = new Map<NodeId, Map<string, Points>>();
  const ask = (id: NodeId, points: Points): void => {
    let known = probes.get(id);
    if (!known) probes.set(id, (known = new Map()));
    if (known.size < most) known.set(points.join(";"), points);
  };
  const offsets = new Map<NodeId, (readonly number[])[]>();
  const arrive = (id: NodeId, points: Points): void => {
    let current = node(graph, id);
    let at: Points | null = points;
    while (at && isFreeView(current)) {
      const source = node(graph, current.inputs[0]!);
      at = mapPoints(current, [source.type.shape], at, 0);
      current = source;
    }
    if (!at || isInlined(current)) return;
    const strides = stridesOf(current.type.shape);
    const linear = at.map((point) => point.reduce((sum, value, axis) => sum + value * strides[axis]!, 0));
    offsets.set(current.id, [...(offsets.get(current.id) ?? []), linear]);
  };
  const visit = (id: NodeId, points: Points): void => (way.ask(id) ? ask(id, points) : arrive(id, points));
  for (const { id, points } of roots) visit(id, points);
  for (let id = way.next(); id !== null; id = way.next()) {
    const n = node(graph, id);
    const kind = opDef(n.op).kind;
    if (endsPass(n) || kind === "contraction" || kind === "groups") continue;
    const inputs = shapesOf(graph, n);
    for (const points of probes.get(id)?.values() ?? []) {
      n.inputs.forEach((input, operand) => {
        const mapped =
          kind === "movement"
            ? mapPoints(n, inputs, points, operand)
            : kind === "gather"
              ? gatherPoints(n, inputs, points, operand)
              : kind === "loop"
                ? loopPoints(n, inputs, points, operand)
                : kind === "search" || kind === "ranges"
                  ? dataPoints(n, inputs, points, operand)
                  : broadcastPoints(points, n.type.shape, inputs[operand]!);
        if (mapped) visit(input, mapped);
      });
    }
  }
  return offsets;
}

/** How far apart neighbours along an axis of a value lie in what is stored behind its index maps; null where that is not one distance. */
export function distanceBehind(graph: Graph, id: NodeId, axis: number): number | null {
  const moves: NodeId[] = [];
  for (let n = node(graph, id); opDef(n.op).kind === "movement" && n.inputs.length === 1;) {
    moves.unshift(n.id);
    n = node(graph, n.inputs[0]!);
  }
  const { shape } = node(graph, id).type;
  if (shape.at(axis)! < 2) return null;
  const middle = shape.map((extent) => Math.floor((extent - 1) / 2));
  const found = offsetsAt(graph, moves, [{ id, points: [middle, middle.with(axis, middle.at(axis)! + 1)] }]);
  const [offsets] = [...found.values()].flat();
  return offsets ? offsets[1]! - offsets[0]! : null;
}

/** Strides from the first to the second of each pair of neighbours. */
export function strideProbe(
  graph: Graph,
  members: readonly NodeId[],
  roots: readonly { readonly id: NodeId; readonly pair: Pair }[],
): Strides {
  const offsets = offsetsAt(
    graph,
    members,
    roots.map(({ id, pair }) => ({ id, points: pair })),
  );
  return new Map([...offsets].map(([id, linear]) => [id, new Set(linear.map(([from, to]) => to! - from!))]));
}

const broadcastPoints = (points: Points, out: Shape, shape: Shape): Points =>
  points.map((at) => dropped(at, out.length - shape.length, shape));

/** Neighbours of the index lie anywhere in the data: two apart stands for that. */
function gatherPoints(n: Node, [data, index]: readonly Shape[], points: Points, operand: number): Points {
  const axis = opDef(n.op).gather!.axis(n.attrs, data!);
  const rank = index!.length;
  const asked = points.map((at) => at.slice(axis, axis + rank));
  if (operand === 1) return asked;
  const far = Math.min(2, data![axis]! - 1);
  return points.map((at, i) => [
    ...at.slice(0, axis),
    asked[i]!.join() === asked[0]!.join() ? 0 : far,
    ...at.slice(axis + rank),
  ]);
}

/** Where searches and ranges load: any key, the ends of the own range, any row of the list, of it the own elements. */
function dataPoints(n: Node, inputs: readonly Shape[], points: Points, operand: number): Points | null {
  const { kind, ranges } = opDef(n.op);
  if (kind === "search") return operand === 1 ? points : null;
  const axis = ranges!.axis(n.attrs, inputs[0]!);
  if (operand > 1) return points.map((at) => [at[axis]!]);
  if (operand === 1) return null;
  return points.map((at) => at.map((value, i) => (i === axis ? 0 : value)));
}

/** Where a loop along rows loads an operand for its results; of all rows, the first stands for those of a last value. */
function loopPoints(n: Node, inputs: readonly Shape[], points: Points, operand: number): Points {
  const loop = rowLoopOf(n)!;
  const param = loop.body.params[operand]!;
  const { walk } = param;
  return points.map((at) => {
    const isLast = loop.result.kind === "last";
    const around = at.slice(0, at.length - loop.own.length);
    const outer = isLast ? around : around.toSpliced(loop.rowAxis, 1);
    // Neighbours of one run of the body are neighbours in what it reads, as far as that goes.
    const own = at.slice(around.length);
    const inside = ownShape(param).map((extent, i, all) => {
      const from = own.length - all.length + i;
      return from < 0 ? 0 : Math.min(own[from]!, extent - 1);
    });
    const row = walk ? walk.start + (isLast ? 0 : (walk.backwards ? -1 : 1) * at[loop.rowAxis]!) : null;
    return readAt(loop, param, inputs[operand]!, outer, row, 0, inside);
  });
}

function mapPoints(n: Node, inputs: readonly Shape[], points: Points, operand: number): Points | null {
  const found: (readonly number[])[] = [];
  for (const point of points) {
    const from = sourceOf(n, inputs, point);
    if (from?.operand !== operand) return null;
    found.push(from.index);
  }
  return found;
}

/** Two neighbours, or twice the same point. */
export type Pair = readonly [readonly number[], readonly number[]];

/** Two neighbouring points of `shape` along `axis`; null when the axis is too short. */
export function neighbours(shape: Shape, axis: number): Pair | null {
  if (axis < 0 || shape[axis]! < 2) return null;
  const zero = shape.map(() => 0);
  return [zero, zero.map((_, i) => (i === axis ? 1 : 0))];
}

/** Innermost axis with more than one element, or −1. */
export const innermost = (shape: Shape): number => shape.findLastIndex((extent) => extent > 1);

/** Bytes that memory hands out at once, neighbours that run in step, and short rows: what a thread walks of them is loaded at about the same time. */
export const SECTOR_BYTES = 32;
export const IN_STEP = 32;
export const SHORT_ROW = 8;
/** More than this share of what was fetched is never lost: the rest of a sector waits in the cache for whoever comes next. */
const MOST_WASTE = 4;

/** The first points of `shape` along some of its axes, in order; the last of these axes runs fastest. */
export function pointsAlong(shape: Shape, axes: readonly number[], most: number): number[][] {
  const count = Math.min(
    most,
    axes.reduce((size, axis) => size * shape[axis]!, 1),
  );
  return Array.from({ length: count }, (_, at) => {
    const point = shape.map(() => 0);
    let left = at;
    for (const axis of axes.toReversed()) {
      point[axis] = left % shape[axis]!;
      left = Math.floor(left / shape[axis]!);
    }
    return point;
  });
}

/** What is fetched for each byte that is used, where the loads of threads in step fall on these offsets. */
export function wasteOf(offsets: readonly number[], bytes: number): number {
  const used = new Set(offsets);
  const sectors = new Set([...used].map((offset) => Math.floor((offset * bytes) / SECTOR_BYTES)));
  return Math.min(MOST_WASTE, Math.max(1, (sectors.size * SECTOR_BYTES) / (used.size * bytes)));
}

/** Points of `shape` that threads in step meet: neighbours along the walk, and of short rows all that a thread walks. */
export function pointsInStep(shape: Shape, form: RegionForm, along: "columns" | "rows"): Points {
  const all = [...shape.keys()];
  const inSpace = shape.length === form.space.length && form.reducedAxes.length > 0;
  const isAlong = (axis: number): boolean =>
    shape[axis]! > 1 && form.reducedAxes.includes(axis) === (along === "columns");
  const axes = inSpace ? all.filter(isAlong) : all;
  const rest = all.filter((axis) => !axes.includes(axis));
  const short = along === "rows" && form.columns <= SHORT_ROW;
  const row = pointsAlong(shape, short ? rest : [], SHORT_ROW);
  return pointsAlong(shape, along === "rows" ? axes : [...rest, ...axes], IN_STEP).flatMap((point) =>
    row.map((column) => point.map((at, axis) => at + column[axis]!)),
  );
}

/**
 * Stored values that the region walks with neither stride 0 nor 1, and how much is fetched for each byte that is used. Neighbours that
 * load the odd and the even elements, or the four numbers of a box, use all of what they fetch together.
 */
export function stridedReads(
  graph: Graph,
  members: readonly NodeId[],
  outputs: readonly NodeId[],
  form: RegionForm,
  along: "columns" | "rows",
  layoutOf: ReadonlyMap<NodeId, readonly LayoutStep[]> = new Map(),
): Map<NodeId, number> {
  if (form.contraction !== null) return new Map();
  const isAlong = (extent: number, axis: number): boolean =>
    extent > 1 && form.reducedAxes.includes(axis) === (along === "columns");
  /** Neighbouring points as the loop over the region's space meets them: two, or as many as run in step. */
  const pointsOf = (id: NodeId, inStep: boolean): Points | null => {
    const layout = layoutOf.get(id) ?? [];
    const walk = (shape: Shape, last: number): Points | null =>
      inStep ? pointsInStep(shape, form, along) : neighbours(shape, last);
    const inSpace = layout.length > 0 ? walk(form.space, form.space.findLastIndex(isAlong)) : null;
    if (inSpace) return inSpace.map((point) => pointAfter(layout, point));
    const shape = node(graph, id).type.shape;
    return walk(
      shape,
      form.reducedAxes.length === 0 || shape.length !== form.space.length
        ? innermost(shape)
        : shape.findLastIndex(isAlong),
    );
  };
  const roots = rootsOf(graph, members, outputs, form).map(({ id }) => id);
  const isWide = (id: NodeId): boolean => sizeOf(node(graph, id).type.shape) >= sizeOf(form.space);
  const offsetsOf = (ids: readonly NodeId[], inStep: boolean): Map<NodeId, (readonly number[])[]> =>
    offsetsAt(
      graph,
      members,
      ids.flatMap((id) => {
        const points = pointsOf(id, inStep);
        return points ? [{ id, points }] : [];
      }),
    );
  // What the loop over whole rows reads is walked as that loop walks, whatever one more element per row costs.
  const waste = new Map<NodeId, number>();
  const seen = new Set<NodeId>();
  for (const ids of [roots.filter(isWide), roots.filter((id) => !isWide(id))]) {
    const pairs = [...offsetsOf(ids, false)].filter(([value]) => !seen.has(value));
    const stepping = pairs.filter(([, offsets]) => offsets.some(([a, b]) => b! - a! !== 0 && b! - a! !== 1));
    const met = stepping.length > 0 ? offsetsOf(ids, true) : null;
    for (const [value] of pairs) seen.add(value);
    for (const [value, offsets] of stepping) {
      const all = met!.get(value) ?? offsets;
      waste.set(value, wasteOf(all.flat(), dtypeBytes(node(graph, value).type.dtype)));
    }
  }
  return waste;
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
    ...[...form.reductions, ...form.orders].map(({ node: id, stage }) => ({ id: node(graph, id).inputs[0]!, stage })),
    ...form.columnFolds.map((id) => ({ id: node(graph, id).inputs[0]!, stage: last })),
    ...outputs.filter((id) => !endsPass(node(graph, id)) && members.includes(id)).map((id) => ({ id, stage: last })),
  ];
}

/** Plain reads, in first-use order: no rereads yet (the schedule knows them). */
export function readsOf(
  graph: Graph,
  members: readonly NodeId[],
  outputs: readonly NodeId[],
  strided: ReadonlyMap<NodeId, number> = new Map(),
  asked?: Asked,
): RegionRead[] {
  // A row is folded whether or not what comes of it is stored in the end.
  const folded = members.filter((id) => walksRows(node(graph, id)) && !outputs.includes(id));
  const touched = touchedElements(graph, members, [...outputs, ...folded], asked);
  return storedInputs(graph, members)
    .filter((value) => (touched.get(value) ?? 0) > 0 || sizeOf(node(graph, value).type.shape) === 0)
    .map((value) => ({ value, elements: touched.get(value) ?? 0, waste: strided.get(value) ?? 1, rereads: 0 }));
}

/**
 * Reads of launches one after another, of which each touches so many elements of a value: it is read again by each that touches all that
 * any of them does; parts of it are reads of their own, in the order of the launches.
 */
export function readsOfLaunches(
  reads: readonly RegionRead[],
  touched: readonly ReadonlyMap<NodeId, number>[],
): RegionRead[] {
  return reads.flatMap((read) => {
    const found: RegionRead[] = [];
    for (const launch of touched) {
      const elements = launch.get(read.value);
      const last = found.at(-1);
      if (elements === undefined) continue;
      if (last && elements === read.elements && last.elements === elements)
        found[found.length - 1] = { ...last, rereads: last.rereads + 1 };
      else found.push({ ...read, elements, rereads: 0 });
    }
    return found.length > 0 ? found : [read];
  });
}
