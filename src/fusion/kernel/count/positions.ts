/**
 * @file At how many positions a kernel computes and loads each value for one element of its results: a value that is read through
 * shifted views (a stencil, the taps of a window) is computed anew for each of them.
 */
import { node, stridesOf, type Graph, type Node, type NodeId, type Shape } from "../../ir";
import { opDef } from "../../ops";
import { sourceOf } from "../indices/affine";
import { isFreeView, resolveView } from "../indices/views";
import { endsPass } from "../shapes/fold/rows/row-ops";
import { shapesOf } from "./reads";

/** Positions that are told apart: with more, a kernel is too long to be built. */
const MAX_POSITIONS = 4096;

/** Multiples of it, without their whole part, lie evenly apart between 0 and 1. */
const GOLDEN = (Math.sqrt(5) - 1) / 2;

type Point = readonly number[];

/** Positions of one value: indices in its own shape, by the linear one. */
type Positions = Map<number, Point>;

/** Where values are needed for one element of the results, as linear indices; only those that are needed at several. */
export interface Needed {
  readonly computed: ReadonlyMap<NodeId, readonly number[]>;
  /** Values of other kernels. */
  readonly loaded: ReadonlyMap<NodeId, readonly number[]>;
}

const ONCE: Needed = { computed: new Map(), loaded: new Map() };

interface Asked extends Needed {
  readonly graph: Graph;
  readonly members: readonly NodeId[];
  readonly outputs: readonly NodeId[];
}

/** The kernel that was last asked about: its arithmetic and its loads are counted one after the other. */
let last: Asked | null = null;

/** The same where all that is named by data has one index: how far apart such elements are, nobody knows. */
export const positionsAlike = (graph: Graph, members: readonly NodeId[], outputs: readonly NodeId[]): Needed =>
  readThroughSeveralViews(graph, members) ? followed(graph, members, outputs, () => 0) : ONCE;

/** What an index names is another element for each index: they are spread along the axis. */
function spreadAlong(): NamedBy {
  const named = new Map<string, number>();
  return (key, extent) => {
    const order = named.get(key) ?? named.size + 1;
    named.set(key, order);
    return Math.floor(((order * GOLDEN) % 1) * extent);
  };
}

/** The element of an axis of this extent that is taken for the one that an index names. */
type NamedBy = (key: string, extent: number) => number;

/**
 * Follows one element from the middle of each result, and of what each fold and contraction takes, back to the loads.
 * Results of one shape are asked for the same element, so that they share what they have in common.
 * @param members in topological order
 */
export function positionsOf(graph: Graph, members: readonly NodeId[], outputs: readonly NodeId[]): Needed {
  if (!readThroughSeveralViews(graph, members)) return ONCE;
  if (last?.graph !== graph || last.members !== members || last.outputs !== outputs)
    last = { graph, members, outputs, ...followed(graph, members, outputs) };
  return last;
}

function followed(
  graph: Graph,
  members: readonly NodeId[],
  outputs: readonly NodeId[],
  namedBy: NamedBy = spreadAlong(),
): Needed {
  const positions = new Map<NodeId, Positions>();
  let found = 0;
  const ask = (id: NodeId, point: Point): void => {
    const { shape } = node(graph, id).type;
    const strides = stridesOf(shape);
    const linear = point.reduce((sum, value, axis) => sum + value * strides[axis]!, 0);
    let known = positions.get(id);
    if (!known) positions.set(id, (known = new Map()));
    if (known.has(linear) || found >= MAX_POSITIONS) return;
    known.set(linear, point);
    found++;
  };
  for (const id of outputs) ask(id, middleOf(node(graph, id).type.shape));
  for (let at = members.length - 1; at >= 0; at--) {
    const n = node(graph, members[at]!);
    const inputs = shapesOf(graph, n);
    const def = opDef(n.op);
    const pointwise = def.kind === "elementwise" && !endsPass(n);
    for (const point of positions.get(n.id)?.values() ?? []) {
      if (def.kind === "movement") {
        const from = sourceOf(n, inputs, point);
        if (from) ask(n.inputs[from.operand]!, from.index);
      } else if (def.gather) {
        const [data, index] = n.inputs as readonly [NodeId, NodeId];
        const axis = def.gather.axis(n.attrs, inputs[0]!);
        const end = axis + inputs[1]!.length;
        const asked = point.slice(axis, end);
        const at = namedBy(`${index} ${asked.join()}`, inputs[0]![axis]!);
        ask(index, asked);
        ask(data, [...point.slice(0, axis), at, ...point.slice(end)]);
      } else n.inputs.forEach((id, i) => ask(id, pointwise ? broadcast(point, inputs[i]!) : middleOf(inputs[i]!)));
    }
  }
  const inside = new Set(members);
  const [computed, loaded] = [new Map<NodeId, readonly number[]>(), new Map<NodeId, readonly number[]>()];
  for (const [id, at] of positions)
    if (at.size > 1)
      (inside.has(id) ? computed : loaded).set(
        id,
        [...at.keys()].toSorted((a, b) => a - b),
      );
  return { computed, loaded };
}

/** Statements of one element of the results, more or less: each value at each position. */
export function statementsAt(graph: Graph, members: readonly NodeId[], outputs: readonly NodeId[]): number {
  const { computed } = positionsOf(graph, members, outputs);
  return members.reduce((sum, id) => sum + (computed.get(id)?.length ?? 1), 0);
}

/** Only a value with two readers, one of which moves it, may be asked for at several positions. */
export function readThroughSeveralViews(graph: Graph, members: readonly NodeId[]): boolean {
  const [read, moved] = [new Map<NodeId, number>(), new Set<NodeId>()];
  for (const id of members) {
    const n = node(graph, id);
    // A free view is read where somebody reads it.
    if (isFreeView(n)) continue;
    const { kind } = opDef(n.op);
    for (const input of n.inputs) {
      const shown = resolveView(graph, input);
      read.set(shown, (read.get(shown) ?? 0) + 1);
      if (kind === "movement" || kind === "gather") moved.add(shown);
    }
  }
  for (const id of moved) if (read.get(id)! > 1) return true;
  return false;
}

const hasFill = ({ op }: Node): boolean => opDef(op).movement?.fill !== undefined;

/** Whether elements are asked for that may not exist, so that something stands in for them. */
export const readsPastEdges = (graph: Graph, members: readonly NodeId[]): boolean =>
  members.some((id) => hasFill(node(graph, id)));

/** Whether values are asked for at several positions behind edges that lie behind one another: branches for each would compute them again and again. */
export function readThroughEdges(graph: Graph, members: readonly NodeId[]): boolean {
  const behind = new Set<NodeId>();
  let isNested = false;
  for (const id of members) {
    const n = node(graph, id);
    const isBehind = n.inputs.some((input) => behind.has(input));
    isNested ||= isBehind && hasFill(n);
    if (isBehind || hasFill(n)) behind.add(id);
  }
  return isNested && readThroughSeveralViews(graph, members);
}

const middleOf = (shape: Shape): Point => shape.map((extent) => Math.floor(extent / 2));

const broadcast = (point: Point, shape: Shape): Point =>
  point.slice(point.length - shape.length).map((value, axis) => (shape[axis] === 1 ? 0 : value));

/** Elements that lie side by side and that a workgroup loads at once: four each of 256 threads. */
const WORKGROUP_SPAN = 1024;

/** Positions that lie side by side: a workgroup finds all but the first of them in its first-level cache. */
export function clustersOf(indices: readonly number[]): number[][] {
  const clusters: number[][] = [];
  for (const index of indices) {
    const last = clusters.at(-1);
    if (last && index - last.at(-1)! <= WORKGROUP_SPAN) last.push(index);
    else clusters.push([index]);
  }
  return clusters;
}

/**
 * Loads of a thread that computes several neighbours: each element that they have behind them once, and four that stand in memory as one
 * where all of them are wanted, or where a position fills them (emit/joined-accesses.ts). A single position is one load, however it lies.
 * @param start an index where four begin; null where rows begin anywhere
 */
export function loadsOf(cluster: readonly number[], width: number, start: number | null): number {
  if (cluster.length === 1) return 1;
  const behind = (positions: readonly number[]): ReadonlySet<number> =>
    new Set(positions.flatMap((index) => Array.from({ length: width }, (_, lane) => index + lane)));
  if (start === null) return behind(cluster).size;
  const fours = new Map<number, number>();
  for (const element of behind(cluster)) {
    const four = Math.floor((element - start) / 4);
    fours.set(four, (fours.get(four) ?? 0) + 1);
  }
  return [...fours].reduce(
    (sum, [four, wanted]) => sum + (wanted === 4 || cluster.includes(4 * four + start) ? 1 : wanted),
    0,
  );
}

/** Where fours begin in a value of `shape`, for a thread whose first neighbour is in the middle of `walked`; null where rows begin anywhere. */
export function fourIn(shape: Shape, walked: Shape): number | null {
  const [row, along] = [shape.at(-1) ?? 1, walked.at(-1) ?? 1];
  return row % 4 === 0 && along % 4 === 0 ? (along / 2) % 4 : null;
}
