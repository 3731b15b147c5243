/**
 * @file Scattered sums in time proportional to the updates: comparing every target with every update is replaced by putting the updates
 * in the order of their indices, so that each target adds up a range of them.
 * @about sum, where, eq, expand: a scattered sum is a sum over all updates of those whose index equals the target.
 */
import {
  literalOf,
  node,
  regionId,
  sameShape,
  sizeOf,
  stridesOf,
  type Graph,
  type Node,
  type NodeId,
  type Shape,
  type Work,
} from "../../ir";
import { isRefusal } from "../../cost";
import { countsAlong, opDef } from "../../ops";
import { isFreeView } from "../../kernel";
import { titled } from "../catalogue";
import type { FusionPass } from "../driver/define";
import type { Proposal } from "../driver/rule";
import type { Planner } from "../driver/planner";
import { forcing } from "../profitability/profitability";
import { openRewriter, type Rewriter } from "../driver/rewriter";
import { outlasts, propose, rewritingPass } from "../driver/rewriting";
import { NodeFactory } from "../saved/node-factory";
import { nameOf, no, showCount, yes } from "../driver/sentences";
import { timeOf, weigh } from "../profitability/weigh";

const rewriting = rewritingPass({
  ...titled("sorted-scatter"),
  *match(planner) {
    const rewriter = openRewriter(planner);
    const ranges = new Map<string, Ranges>();
    for (const n of planner.graph.nodes.values()) {
      const scatter = scatterOf(planner, n);
      if (!scatter || !outlasts(planner, rewriter, scatter.total.id, MIN_LAUNCHES)) continue;
      const { key, own, proposal } = proposalFor(planner, rewriter, scatter, ranges);
      if (!(yield* propose(planner, rewriter, proposal))) continue;
      planner.reorder();
      ranges.set(key, own);
    }
  },
});

export const sortedScatter: FusionPass = {
  ...rewriting,
  profitability(planner, candidate, delta) {
    const { nodes } = candidate;
    const name = nameOf(planner.graph, nodes[0]!);
    const apart = compared(planner, node(planner.graph, nodes[0]!)) ?? delta.apart;
    const ways = [
      { what: "compared in one kernel", ...apart },
      { what: "sorted", ...delta.fused },
    ];
    const weighed = weigh("time", ways);
    const time = timeOf(delta.fused, apart);
    const numbers = {
      bytesSaved: apart.bytes - delta.fused.bytes,
      launchesSaved: apart.launches - delta.fused.launches,
    };
    if (weighed.alternatives[1]!.chosen)
      return yes("A_PATTERN", nodes, `Putting the updates of ${name} in order, so that each is read once: ${time}.`, {
        numbers,
        weighed,
      });
    const text = `Putting the updates of ${name} in order takes longer than one kernel that compares all of them: ${time}.`;
    return no("C_NEGATIVE", nodes, text, {
      numbers,
      weighed,
      ...forcing(planner, candidate, "More updates, or more indices."),
    });
  },
};

/** What one kernel takes that makes every comparison, as later passes may leave it; null where none can. */
function compared(planner: Planner, total: Node): Work | null {
  const { graph } = planner;
  const members = new Set<NodeId>([total.id]);
  for (const id of members)
    for (const input of node(graph, id).inputs) {
      const { op } = node(graph, input);
      const { kind } = opDef(op);
      if (op === "where" || op === "eq" || kind === "movement") members.add(input);
    }
  const sorted = [...members].toSorted((a, b) => planner.position(a) - planner.position(b));
  const facts = planner.facts({ id: regionId(`k:${total.id}`), members: sorted, outputs: [total.id] });
  if (isRefusal(facts)) return null;
  const { time, traffic, schedule } = facts;
  return { micros: time.micros, bytes: traffic.bytes, launches: schedule.dispatches };
}

/** Σ over the updates of where(index = target, value, 0). */
interface Scatter {
  readonly total: Node;
  /** All targets beside all updates, and the axes that number them. */
  readonly space: Shape;
  readonly targets: number;
  readonly updates: number;
  /** Both with 1 along the targets. */
  readonly index: Node;
  readonly value: Node;
}

/** The scatter that a sum is, or null. */
function scatterOf({ graph }: Planner, total: Node): Scatter | null {
  if (total.op !== "sum") return null;
  const mine = node(graph, total.inputs[0]!);
  const space = mine.type.shape;
  const axes = opDef(total.op).reduce!.axes(total.attrs, space);
  if (mine.op !== "where" || axes.length !== 1 || literalOf(graph, mine.inputs[2]!) !== 0) return null;
  const match = node(graph, mine.inputs[0]!);
  const value = node(graph, mine.inputs[1]!);
  if (match.op !== "eq" || match.type.shape.join() !== space.join()) return null;
  const updates = axes[0]!;
  for (const [counted, other] of [match.inputs, match.inputs.toReversed()] as (readonly [NodeId, NodeId])[]) {
    const index = node(graph, other);
    const targets = space.findIndex(
      (extent, axis) => axis !== updates && countsAlong((id) => node(graph, id), counted, axis, extent, 1),
    );
    const still = ({ type }: Node): boolean => aligned(type.shape, space.length)[targets] === 1;
    if (targets >= 0 && space[targets]! > 1 && index.type.dtype === "i32" && still(index) && still(value))
      return { total, space, targets, updates, index, value };
  }
  return null;
}

const aligned = (shape: Shape, rank: number): Shape => [
  ...Array.from({ length: rank - shape.length }, () => 1),
  ...shape,
];

/** Launches that the sorted way takes at least: it sorts, searches and adds. */
const MIN_LAUNCHES = 3;

/**
 * The list of indices, where they are the same for all else than the updates: the first value that holds each once. Views and copies
 * along other axes lead to it.
 */
function listed({ graph }: Planner, { index, space, updates }: Scatter): Node | null {
  let current = index;
  let found: Node | null = null;
  let axes: readonly (number | null)[] = aligned(index.type.shape, space.length).flatMap((extent, axis) =>
    axis < space.length - index.type.shape.length ? [] : [extent === 1 ? null : axis],
  );
  for (;;) {
    const named = axes.filter((axis) => axis !== null);
    if (named.length === 1 && named[0] === updates) found = current;
    if (current.inputs.length !== 1) return found;
    const from = node(graph, current.inputs[0]!);
    const { shape } = from.type;
    if (current.op === "expand") {
      const own = axes.slice(axes.length - shape.length);
      axes = shape.map((extent, i) => (extent === 1 ? null : own[i]!));
    } else if (isFreeView(current)) {
      const long = (of: Shape): string => of.filter((extent) => extent > 1).join();
      if (long(shape) !== long(current.type.shape)) return found;
      const rest = [...named];
      axes = shape.map((extent) => (extent === 1 ? null : rest.shift()!));
    } else return found;
    current = from;
  }
}

/** The value whose elements it has, in the same order. */
function viewed(graph: Graph, n: Node): NodeId {
  let current = n;
  while (isFreeView(current)) current = node(graph, current.inputs[0]!);
  return current.id;
}

/** Threads that keep a multiprocessor busy, and parts of a range at most. */
const THREADS = 2048;
const MAX_PARTS = 64;
/** Updates of a part, on average, at least. */
const MIN_UPDATES = 16;

/** In how many parts each range is added up, so that few targets with many updates still fill the machine. */
function partsOf({ profile }: Planner, results: number, targets: number, updates: number): number {
  const wanted = (profile.multiprocessors * THREADS) / Math.max(1, results);
  const most = Math.min(MAX_PARTS, wanted, updates / targets / MIN_UPDATES);
  return most < 2 ? 1 : 2 ** Math.floor(Math.log2(most));
}

/** Indices in their order: what is sorted, which update comes when, and where those of each target start and stop. */
interface Ranges {
  readonly bounded: NodeId;
  readonly order: NodeId;
  readonly starts: NodeId;
  readonly stops: NodeId;
}

/** How one scatter is sorted, and its ranges under a key that scatters by the same indices share. */
interface Sorted {
  readonly key: string;
  readonly own: Ranges;
  readonly proposal: Proposal;
}

/** @param known ranges that earlier scatters have */
function proposalFor(
  planner: Planner,
  rewriter: Rewriter,
  scatter: Scatter,
  known: ReadonlyMap<string, Ranges>,
): Sorted {
  const { graph } = planner;
  const { total, space, targets, updates } = scatter;
  const make = new NodeFactory(graph, total.id, "sorted");
  const call: Call = (op, inputs, attrs = {}) => make.call(op, inputs, attrs, total, total.phase === "backward");
  const list = listed(planner, scatter);
  const whole = list && Math.abs(targets - updates) === 1 ? list : null;
  const rows = whole ? byRows(scatter, call, whole) : byElements(scatter, call);
  const key = whole
    ? `rows by ${whole.id} to ${rows.targets}`
    : `elements by ${viewed(graph, scatter.index)} along ${updates} of ${space.join()}`;
  const ranges = known.get(key) ?? rangesOf(call, rows.keys(), rows.targets);
  const own = make.computed().filter((id) => id !== ranges.bounded);
  sumsOf(planner, scatter, call, { ...rows, ...ranges });
  const top = make.made.pop()!;
  const last: Node = { ...total, op: top.op, inputs: top.inputs, attrs: top.attrs };
  const text = `${nameOf(graph, total.id)} compares each of ${showCount(space[targets]!)} indices with all ${showCount(space[updates]!)} updates. In the order of their indices, the updates of one index are neighbours: after a sort and a search for where they start, each is read once.`;
  const beside = make.computed().filter((id) => !own.includes(id) && id !== ranges.bounded);
  const isNew = ranges !== known.get(key);
  const proposal = {
    rule: "sort-updates",
    change: {
      ...rewriter.replaced([], [...make.made, last]),
      ownRegions: own,
      inserted: [
        ...beside.map((id) => [id, total.id] as const),
        ...(isNew ? [[ranges.bounded, ranges.order] as const] : []),
      ],
    },
    verdict: yes("A_PATTERN", [total.id], text),
    nodes: [total.id],
  };
  return { key, own: ranges, proposal };
}

function rangesOf(call: Call, keys: NodeId, targets: number): Ranges {
  // Indices outside lie before the first target or behind the last: what is sorted has as few digits as there are targets.
  const bounded = call("clamp", [keys], { min: -1, max: targets });
  const order = call("sort_indices", [bounded], { axis: 0 });
  const sorted = call("gather", [keys, order], { axis: 0 });
  // Where one target stops the next one starts: one search for both.
  const bounds = call("lower_bound", [sorted, call("iota", [], { start: 0, stop: targets + 1, dtype: "i32" })]);
  const [starts, stops] = [0, 1].map((start) =>
    call("slice", [bounds], { start: [start], stop: [start + targets], axes: [0] }),
  );
  return { bounded, order, starts: starts!, stops: stops! };
}

/** Makes a node, of the type that follows. */
type Call = (op: string, inputs: readonly NodeId[], attrs?: Node["attrs"]) => NodeId;

/** Updates along one axis. */
interface Updates {
  readonly values: NodeId;
  readonly shape: Shape;
  readonly axis: number;
  readonly targets: number;
  /** Makes the target of each. */
  readonly keys: () => NodeId;
}

/** Whole rows by one list of indices: the axis of the updates becomes that of the targets. */
function byRows(scatter: Scatter, call: Call, list: Node): Updates {
  const { space, targets, updates } = scatter;
  const shape = withoutAxis(space, targets);
  const axis = updates - (targets < updates ? 1 : 0);
  const keys = (): NodeId => call("reshape", [list.id], { shape: [space[updates]!] });
  return { values: valuesOf(scatter, call, shape), shape, axis, targets: space[targets]!, keys };
}

const withoutAxis = (shape: Shape, axis: number): Shape => shape.filter((_, at) => at !== axis);

/** Each element by an index of its own: all of them are one list, in which targets are numbered as the result lies in memory. */
function byElements(scatter: Scatter, call: Call): Updates {
  const { space, targets, updates } = scatter;
  const result = withoutAxis(space, updates);
  const all = withoutAxis(space, targets);
  const size = sizeOf(all);
  return {
    values: call("reshape", [valuesOf(scatter, call, all)], { shape: [size] }),
    shape: [size],
    axis: 0,
    targets: sizeOf(result),
    keys: () => call("reshape", [linearOf(scatter, call, result, all)], { shape: [size] }),
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
function valuesOf({ space, targets, value }: Scatter, call: Call, shape: Shape): NodeId {
  const own = withoutAxis(aligned(value.type.shape, space.length), targets);
  const plain = sameShape(value.type.shape, own) ? value.id : call("reshape", [value.id], { shape: own });
  return sameShape(own, shape) ? plain : call("expand", [plain], { shape });
}

type Ordered = Updates & Ranges;

/** The sum of each target's range; the node made last is the total. */
function sumsOf(planner: Planner, { total }: Scatter, call: Call, rows: Ordered): void {
  const { values, order, starts, stops, shape, axis, targets } = rows;
  const inner = sizeOf(shape.slice(axis + 1));
  const threads = (sizeOf(shape) / shape[axis]!) * targets;
  const parts = partsOf(planner, threads / (inner % 4 === 0 ? 4 : 1), targets, shape[axis]!);
  const [from, to] = parts === 1 ? ([starts, stops] as const) : inParts(call, starts, stops, targets, parts);
  let sums = call("sum_ranges", [values, order, from, to], { axis });
  if (parts > 1) {
    const apart = [...shape.slice(0, axis), targets, parts, ...shape.slice(axis + 1)];
    sums = call("sum", [call("reshape", [sums], { shape: apart })], { axes: [axis + 1], keepdims: false });
  }
  const made = shape.map((extent, i) => (i === axis ? targets : extent));
  if (!sameShape(made, total.type.shape)) call("reshape", [sums], { shape: total.type.shape });
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
