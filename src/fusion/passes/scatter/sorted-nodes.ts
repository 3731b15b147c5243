/**
 * @file The nodes that put updates in the order of their indices, so that each target has a range of them, and those that load the
 * value which an index names.
 */
import {
  isLiteral,
  node,
  sameShape,
  sizeOf,
  stridesOf,
  usesOf,
  type DeviceProfile,
  type Graph,
  type NaiveChoice,
  type Node,
  type NodeId,
  type Shape,
} from "../../ir";
import { opDef } from "../../ops";
import { isFreeView } from "../../kernel";
import { NodeFactory } from "../saved/node-factory";
import { aligned, listed, namedBy, withoutAxis, type Named, type Picked, type Scatter } from "./find";

/** What its elements are, in their order: the same for views of one value, and for what is computed alike of them. */
function elementsOf(graph: Graph, n: Node): string {
  const { op, inputs, attrs, type } = n;
  if (isFreeView(n)) return elementsOf(graph, node(graph, inputs[0]!));
  if (isLiteral(n) || opDef(op).kind !== "elementwise") return isLiteral(n) ? JSON.stringify(attrs) : n.id;
  const operands = inputs.map((id) => node(graph, id));
  const moving = operands.filter((each) => !isLiteral(each));
  if (moving.length !== 1 || sizeOf(moving[0]!.type.shape) !== sizeOf(type.shape)) return n.id;
  return `${op}(${operands.map((each) => elementsOf(graph, each)).join()})${JSON.stringify(attrs)}${type.dtype}`;
}

/** Threads that keep a multiprocessor busy, and parts of a range at most. */
const THREADS = 2048;
const MAX_PARTS = 64;
/** Updates of a part, on average, at least. */
const MIN_UPDATES = 16;

/** In how many parts each range is added up, so that few targets with many updates still fill the machine. */
function partsOf(profile: DeviceProfile, results: number, targets: number, updates: number): number {
  const wanted = (profile.multiprocessors * THREADS) / Math.max(1, results);
  const most = Math.min(MAX_PARTS, wanted, updates / targets / MIN_UPDATES);
  return most < 2 ? 1 : 2 ** Math.floor(Math.log2(most));
}

/** How updates of one index become neighbours: by their order, or by counting how many each index has. Or they are only counted, or the last one is noted. */
type Way = Exclude<NaiveChoice["way"], "loaded">;

/** The ways to a scatter without comparisons. */
export const waysTo = ({ takes }: Scatter): readonly Way[] => WAYS[takes];
const WAYS: Readonly<Record<Scatter["takes"], readonly Way[]>> = {
  fold: ["grouped", "sorted"],
  count: ["counted", "grouped", "sorted"],
  last: ["latest"],
};

/** Values that kernels of their own leave, and one that the next of them begins with. */
interface Left {
  readonly left: readonly NodeId[];
  readonly begins: NodeId | null;
}

/** Updates of one index side by side: which update comes when, where those of each target start and stop, and what is stored on the way. */
export interface Ranges extends Left {
  readonly order: NodeId;
  readonly starts: NodeId;
  readonly stops: NodeId;
}

/** Nodes that compute a fold in another way; the last one stands for it, under its own id. */
export interface Lowered {
  readonly nodes: readonly Node[];
  /** What is computed, a list a call. */
  readonly calls: readonly (readonly NodeId[])[];
  /** Ranges under a key that scatters by the same indices share. */
  readonly ranges: readonly [string, Ranges] | null;
}

const lowered = (make: NodeFactory, total: Node, ranges: Lowered["ranges"], left?: Left): Lowered => {
  const { op, inputs, attrs } = make.made.pop()!;
  const nodes = [...make.made, { ...total, op, inputs, attrs }];
  return { nodes, calls: callsIn(nodes, left ?? ranges?.[1]), ranges };
};

/** Each step a call of its own; keys are bounded where they are sorted, so that the sort knows how many digits they have. */
function callsIn(nodes: readonly Node[], stored: Left | undefined): NodeId[][] {
  const calls: NodeId[][] = [[]];
  for (const n of nodes) {
    const { id } = n;
    const { kind, ranges: folded } = opDef(n.op);
    if (isLiteral(n)) continue;
    const ended = stored?.left.includes(calls.at(-1)!.at(-1)!);
    if (ended || folded || kind === "reduce" || id === stored?.begins) calls.push([]);
    calls.at(-1)!.push(id);
  }
  return calls.filter((call) => call.length > 0);
}

const callsOf =
  (make: NodeFactory, total: Node): Call =>
  (op, inputs, attrs = {}) =>
    make.call(op, inputs, attrs, total, total.phase === "backward");

/** @param known ranges that earlier scatters have */
export function sortedNodes(
  graph: Graph,
  profile: DeviceProfile,
  scatter: Scatter,
  way: Way,
  known: ReadonlyMap<string, Ranges>,
): Lowered {
  const { total, space, updates } = scatter;
  const make = new NodeFactory(graph, total.id, way);
  const call = callsOf(make, total);
  const named = namedBy(graph, scatter);
  const joined = joinedAxes(scatter, named);
  const rows = joined ? byRows(scatter, call, named, joined) : byElements(scatter, call);
  if (way === "counted") {
    const counts = call("count_keys", [rows.keys()], keysOf(rows));
    spreadCounts(scatter, call, rows, counts);
    return lowered(make, total, null, { left: [counts], begins: null });
  }
  if (way === "latest") {
    const last = call("last_keys", [rows.keys()], keysOf(rows));
    spread(total, call, rows, rows.inList(last));
    return lowered(make, total, null, { left: [last], begins: null });
  }
  const key = joined
    ? `${way} rows by ${elementsOf(graph, named.index)} to ${rows.targets} of ${rows.lists}`
    : `${way} elements by ${elementsOf(graph, scatter.index)} along ${updates} of ${space.join()}`;
  const ranges = known.get(key) ?? RANGES[way](call, rows.keys(), rows);
  if (scatter.takes === "fold") foldsOf(profile, scatter, call, { ...rows, ...ranges, values: rows.values() });
  else spreadCounts(scatter, call, rows, call("sub", [ranges.stops, ranges.starts]));
  return lowered(make, total, [key, ranges]);
}

/** How many updates each target has, times what each of them counts for. */
function spreadCounts({ total, each: counted }: Scatter, call: Call, rows: Updates, one: NodeId): void {
  if (counted === 1) return spread(total, call, rows, one);
  const { dtype } = total.type;
  const number = dtype === "i32" ? one : call("cast", [one], { dtype });
  spread(total, call, rows, call("mul", [number, call("const", [], { value: counted, dtype })]), dtype);
}

/** One value of each target for all that has its index. */
function spread(total: Node, call: Call, { shape, axis, targets }: Updates, one: NodeId, dtype = "i32"): void {
  const typed = dtype === total.type.dtype ? one : call("cast", [one], { dtype: total.type.dtype });
  const standing = shape.map((_, i) => (i === axis ? targets : 1));
  const made = shape.map((extent, i) => (i === axis ? targets : extent));
  const stood = shape.length === 1 ? typed : call("reshape", [typed], { shape: standing });
  const filled = sameShape(standing, made) ? stood : call("expand", [stood], { shape: made });
  if (!sameShape(made, total.type.shape)) call("reshape", [filled], { shape: total.type.shape });
}

const RANGES: Readonly<Record<"sorted" | "grouped", (call: Call, keys: NodeId, updates: Updates) => Ranges>> = {
  sorted: sortedRanges,
  grouped: groupedRanges,
};

function sortedRanges(call: Call, keys: NodeId, { targets }: Updates): Ranges {
  // Indices outside lie before the first target or behind the last: what is sorted has as few digits as there are targets.
  const bounded = call("clamp", [keys], { min: -1, max: targets });
  const order = call("sort_indices", [bounded], { axis: 0 });
  const sorted = call("gather", [keys, order], { axis: 0 });
  // Where one target stops the next one starts: one search for both.
  const bounds = call("lower_bound", [sorted, call("iota", [], { start: 0, stop: targets + 1, dtype: "i32" })]);
  const [starts, stops] = [0, 1].map((start) =>
    call("slice", [bounds], { start: [start], stop: [start + targets], axes: [0] }),
  );
  return { order, starts: starts!, stops: stops!, left: [order, sorted, stops!], begins: bounded };
}

/** What is said of keys beside their values. */
const keysOf = ({ targets, lists }: Updates): Node["attrs"] => ({ targets, ...(lists > 1 && { lists }) });

function groupedRanges(call: Call, keys: NodeId, updates: Updates): Ranges {
  const { shape, axis, targets } = updates;
  const count = shape[axis]!;
  const grouped = call("group_indices", [keys], keysOf(updates));
  const part = (start: number, size: number): NodeId =>
    call("slice", [grouped], { start: [start], stop: [start + size], axes: [0] });
  const [order, starts, stops] = [part(0, count), part(count, targets), part(count + targets, targets)];
  return { order, starts, stops, left: [grouped], begins: null };
}

/** Makes a node, of the type that follows. */
type Call = (op: string, inputs: readonly NodeId[], attrs?: Node["attrs"]) => NodeId;

/** Updates along one axis. */
interface Updates {
  /** Makes the values of all, one for each. */
  readonly values: () => NodeId;
  readonly shape: Shape;
  readonly axis: number;
  readonly targets: number;
  /** Equal parts of the updates, one after the other, that have targets of their own. */
  readonly lists: number;
  /** Makes the target of each. */
  readonly keys: () => NodeId;
  /** Makes the number of an update along their axis from that in its list. */
  readonly inList: (at: NodeId) => NodeId;
}

/** Axes without those of the targets, from the first of them to the last: lists of updates, one for each element of all but the last. */
interface Joined {
  readonly first: number;
  readonly last: number;
}

/** The axes of lists that name whole rows: the updates' and those before it along which the indices differ; null where others lie between or behind. */
function joinedAxes({ space, targets, updates }: Scatter, { axes }: Named): Joined | null {
  if (Math.abs(targets - updates) !== 1 || !axes.includes(updates)) return null;
  const without = (axis: number): number => axis - (targets < axis ? 1 : 0);
  const [first, last] = [without(axes[0]!), without(updates)];
  const between = withoutAxis(space, targets).flatMap((extent, at) =>
    first <= at && at <= last && extent > 1 ? [at] : [],
  );
  return between.join() === axes.map(without).join() ? { first, last } : null;
}

/** Whole rows by lists of indices: the axes of the lists become one of targets. */
function byRows(scatter: Scatter, call: Call, { index }: Named, { first, last }: Joined): Updates {
  const { space, targets } = scatter;
  const all = withoutAxis(space, targets);
  const [lists, count] = [sizeOf(all.slice(first, last)), all[last]!];
  const shape = [...all.slice(0, first), lists * count, ...all.slice(last + 1)];
  return {
    values: () => shaped(call, valuesOf(scatter, call, all), all, shape),
    shape,
    axis: first,
    targets: lists * space[targets]!,
    lists,
    keys: () => rowKeys(call, index, lists, count, space[targets]!),
    inList: (at) => at,
  };
}

const shaped = (call: Call, id: NodeId, from: Shape, shape: Shape): NodeId =>
  sameShape(from, shape) ? id : call("reshape", [id], { shape });

/** The rows that lists of indices name, those of each list behind those of the one before; −1 outside. */
function rowKeys(call: Call, index: Node, lists: number, count: number, targets: number): NodeId {
  const shape = [lists, count];
  if (lists === 1) return call("reshape", [index.id], { shape: [count] });
  const int = (value: number): NodeId => call("const", [], { value, dtype: "i32" });
  const own = call("reshape", [index.id], { shape });
  const starts = call("iota", [], { start: 0, stop: lists * targets, step: targets, dtype: "i32" });
  const row = call("add", [own, call("reshape", [starts], { shape: [lists, 1] })]);
  const inside = call("and", [call("ge", [own, int(0)]), call("lt", [own, int(targets)])]);
  return call("reshape", [call("where", [inside, row, int(-1)])], { shape: [lists * count] });
}

/** Each element by an index of its own: all of them are one list, in which targets are numbered as the result lies in memory. */
function byElements(scatter: Scatter, call: Call): Updates {
  const { space, targets, updates } = scatter;
  const result = withoutAxis(space, updates);
  const all = withoutAxis(space, targets);
  const size = sizeOf(all);
  const behind = sizeOf(all.slice(updates + (targets < updates ? 0 : 1)));
  return {
    values: () => call("reshape", [valuesOf(scatter, call, all)], { shape: [size] }),
    shape: [size],
    axis: 0,
    targets: sizeOf(result),
    lists: sizeOf(all.slice(0, updates - (targets < updates ? 1 : 0))),
    keys: () => call("reshape", [linearOf(scatter, call, result, all)], { shape: [size] }),
    inList: (at) => (behind === 1 ? at : call("floor_div", [at, call("const", [], { value: behind, dtype: "i32" })])),
  };
}

/** The target of each of `all` updates in the memory of the result; −1 outside. */
function linearOf({ space, targets, updates, index }: Scatter, call: Call, result: Shape, all: Shape): NodeId {
  const int = (value: number): NodeId => call("const", [], { value, dtype: "i32" });
  const strides = stridesOf(result);
  const stride = (axis: number): number => strides[axis - (updates < axis ? 1 : 0)]!;
  const own = call("reshape", [index.id], { shape: withoutAxis(aligned(index.type.shape, space.length), targets) });
  let linear = call("mul", [own, int(stride(targets))]);
  for (const [axis, extent] of all.entries()) {
    const inSpace = axis + (axis >= targets ? 1 : 0);
    if (inSpace === updates || extent === 1) continue;
    const by = stride(inSpace);
    const counted = call("iota", [], { start: 0, stop: extent * by, step: by, dtype: "i32" });
    linear = call("add", [linear, call("reshape", [counted], { shape: all.map((_, i) => (i === axis ? extent : 1)) })]);
  }
  const inside = call("and", [call("ge", [own, int(0)]), call("lt", [own, int(space[targets]!)])]);
  return call("expand", [call("where", [inside, linear, int(-1)])], { shape: all });
}

/** The values of the updates, one for each. */
function valuesOf({ space, targets, value: summed }: Scatter, call: Call, shape: Shape): NodeId {
  const value = summed!;
  const own = withoutAxis(aligned(value.type.shape, space.length), targets);
  const plain = sameShape(value.type.shape, own) ? value.id : call("reshape", [value.id], { shape: own });
  return sameShape(own, shape) ? plain : call("expand", [plain], { shape });
}

type Folded = Omit<Updates & Ranges, "values"> & { readonly values: NodeId };

/** The fold of each target's range. */
function foldOf(
  profile: DeviceProfile,
  { total, nothing }: Pick<Scatter, "total" | "nothing">,
  call: Call,
  rows: Folded,
): NodeId {
  const { values, order, starts, stops, shape, axis, targets } = rows;
  const inner = sizeOf(shape.slice(axis + 1));
  const threads = (sizeOf(shape) / shape[axis]!) * targets;
  const parts = partsOf(profile, threads / (inner % 4 === 0 ? 4 : 1), targets, shape[axis]!);
  const [from, to] = parts === 1 ? ([starts, stops] as const) : inParts(call, starts, stops, targets, parts);
  let folds = call("fold_ranges", [values, order, from, to], { axis, fold: total.op });
  if (parts > 1) {
    const apart = [...shape.slice(0, axis), targets, parts, ...shape.slice(axis + 1)];
    folds = call(total.op, [call("reshape", [folds], { shape: apart })], { axes: [axis + 1], keepdims: false });
  }
  const { reduce } = opDef(total.op);
  if (nothing !== reduce!.identity(total.type.dtype))
    folds = call(reduce!.ofTwo!, [folds, call("const", [], { value: nothing, dtype: total.type.dtype })]);
  return folds;
}

/** The same as the total, which is the node made last. */
function foldsOf(profile: DeviceProfile, scatter: Scatter, call: Call, rows: Folded): void {
  const { total } = scatter;
  const { shape, axis, targets } = rows;
  const folds = foldOf(profile, scatter, call, rows);
  const made = shape.map((extent, i) => (i === axis ? targets : extent));
  if (!sameShape(made, total.type.shape)) call("reshape", [folds], { shape: total.type.shape });
}

/** Each range cut into parts of equal length: where these start, and where they stop. */
function inParts(call: Call, starts: NodeId, stops: NodeId, targets: number, parts: number): readonly [NodeId, NodeId] {
  const int = (value: number): NodeId => call("const", [], { value, dtype: "i32" });
  const from = call("reshape", [starts], { shape: [targets, 1] });
  const length = call("sub", [call("reshape", [stops], { shape: [targets, 1] }), from]);
  const end = (start: number): NodeId => {
    const number = call("iota", [], { start, stop: start + parts, dtype: "i32" });
    const share = call("mul", [length, call("reshape", [number], { shape: [1, parts] })]);
    const at = call("add", [from, call("floor_div", [share, int(parts)])]);
    return call("reshape", [at], { shape: [targets * parts] });
  };
  return [end(0), end(1)];
}

/** The value that each index names; 0 where it lies outside. */
export function pickedNodes(graph: Graph, pick: Picked): Lowered {
  const { total, space, targets, updates, index, value } = pick;
  const make = new NodeFactory(graph, total.id, "sorted");
  const call = callsOf(make, total);
  const int = (number: number): NodeId => call("const", [], { value: number, dtype: "i32" });
  const rank = space.length;
  const result = withoutAxis(space, targets);
  const own = aligned(value.type.shape, rank);
  const list = listed(graph, pick);
  const whole = list && Math.abs(targets - updates) === 1 && own[updates] === 1 && own[targets]! > 1 ? list : null;
  const at = updates - (targets < updates ? 1 : 0);
  const named = whole
    ? call("reshape", [whole.id], { shape: result.map((extent, axis) => (axis === at ? extent : 1)) })
    : call("reshape", [index.id], { shape: withoutAxis(aligned(index.type.shape, rank), targets) });
  const inside = call("and", [call("ge", [named, int(0)]), call("lt", [named, int(space[targets]!)])]);
  const picked = whole
    ? pickedRows(call, pick, own, call("reshape", [whole.id], { shape: [space[updates]!] }))
    : pickedElements(call, pick, own, named);
  const zero = call("const", [], { value: 0, dtype: value.type.dtype });
  const chosen = call("where", [inside, picked, zero]);
  const filled = sameShape(make.typeOf(chosen).shape, result) ? chosen : call("expand", [chosen], { shape: result });
  if (!sameShape(result, total.type.shape)) call("reshape", [filled], { shape: total.type.shape });
  return lowered(make, total, null);
}

/** Whole rows that one list names: the axis of the targets becomes that of the updates. */
function pickedRows(call: Call, { value, targets, updates }: Picked, own: Shape, list: NodeId): NodeId {
  const rows = call("reshape", [value.id], { shape: withoutAxis(own, updates) });
  return call("gather", [rows, list], { axis: targets - (updates < targets ? 1 : 0) });
}

/** Each element by an index of its own, numbered as the values lie in memory. */
function pickedElements(call: Call, { space, targets, value }: Picked, own: Shape, named: NodeId): NodeId {
  const int = (number: number): NodeId => call("const", [], { value: number, dtype: "i32" });
  const strides = stridesOf(own);
  const result = withoutAxis(space, targets);
  let linear = call("clamp", [named], { min: 0, max: space[targets]! - 1 });
  linear = call("mul", [linear, int(own[targets] === 1 ? 0 : strides[targets]!)]);
  for (const [axis, extent] of own.entries()) {
    if (axis === targets || extent === 1) continue;
    const at = axis - (targets < axis ? 1 : 0);
    const counted = call("iota", [], { start: 0, stop: extent * strides[axis]!, step: strides[axis]!, dtype: "i32" });
    const standing = result.map((_, i) => (i === at ? extent : 1));
    linear = call("add", [linear, call("reshape", [counted], { shape: standing })]);
  }
  return call("gather", [call("reshape", [value.id], { shape: [sizeOf(own)] }), linear], { axis: 0 });
}

/** The same comparisons, by nodes of its own where others read those that are written: what is compared need not be stored for them. */
export function comparedAlone(graph: Graph, total: Node, members: readonly NodeId[]): Lowered {
  const make = new NodeFactory(graph, total.id, "sorted");
  const uses = usesOf(graph);
  const inside = new Set(members);
  // What leads to a value that others read is read for them, too.
  const shared = new Set<NodeId>();
  for (const id of members.slice(0, -1).toReversed())
    if (graph.outputs.includes(id) || uses.get(id)!.some(({ consumer: by }) => !inside.has(by) || shared.has(by)))
      shared.add(id);
  const copies = new Map<NodeId, NodeId>();
  for (const id of members.slice(0, -1)) {
    const n = node(graph, id);
    if (!shared.has(id) && !n.inputs.some((input) => copies.has(input))) continue;
    const inputs = n.inputs.map((input) => copies.get(input) ?? input);
    copies.set(id, make.copy(n, inputs, total.phase === "backward"));
  }
  const nodes = [...make.made, { ...total, inputs: total.inputs.map((input) => copies.get(input) ?? input) }];
  const call = [...members.filter((id) => id !== total.id && !copies.has(id)), ...nodes.map(({ id }) => id)];
  return { nodes, calls: [call], ranges: null };
}
