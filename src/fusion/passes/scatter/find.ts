/**
 * @file Folds that compare every target with every update, where each update names one target: sums, counts and the last update of each
 * target, and, the other way round, the one value that an index names.
 * @about sum, max, where, eq, cast, expand: what an op that scatters, and the derivative of a load at an index, is made of.
 */
import { literalOf, node, type DType, type Graph, type Node, type NodeId, type Shape } from "../../ir";
import { chosenUpdate, countsAlong, largestOf, opDef, smallestOf } from "../../ops";
import { isFreeView } from "../../kernel";

/** What is compared: an axis of targets beside one of updates. */
interface Compared {
  /** The fold that makes all comparisons. */
  readonly total: Node;
  /** All targets beside all updates, and the axes that number them. */
  readonly space: Shape;
  readonly targets: number;
  readonly updates: number;
  /** With 1 along the targets. */
  readonly index: Node;
}

/** Of each target, something of the updates that name it. */
export interface Scatter extends Compared {
  readonly takes: "fold" | "count" | "last";
  /** What is folded, with 1 along the targets; null where no value is. */
  readonly value: Node | null;
  /** Counted: what each update counts for. */
  readonly each: number;
  /** What the fold takes of an update that names another target. */
  readonly nothing: number;
}

/** Of each update, the value of the target that it names, or its own; 0 where there is none. */
export interface Picked extends Compared {
  readonly takes: "value";
  readonly value: Node;
}

/** `shape` with ones before it. */
export const aligned = (shape: Shape, rank: number): Shape => [
  ...Array.from({ length: rank - shape.length }, () => 1),
  ...shape,
];

export const withoutAxis = (shape: Shape, axis: number): Shape => shape.filter((_, at) => at !== axis);

/** The folds that may take updates one by one, and whether a value changes nothing in them. */
const NOTHING: ReadonlyMap<string, (value: number, dtype: DType) => boolean> = new Map([
  ["sum", (value) => value === 0],
  ["prod", (value) => value === 1],
  ["max", (value, dtype) => value <= smallestOf(dtype)],
  ["min", (value, dtype) => value >= largestOf(dtype)],
]);

/** What a value repeats along axes. */
const unexpanded = (graph: Graph, value: Node): Node =>
  value.op === "expand" ? unexpanded(graph, node(graph, value.inputs[0]!)) : value;

/** The literal that each element of a value is, through copies along axes and views; null if it has several or none. */
const eachOf = (graph: Graph, value: Node): number | null =>
  value.op === "expand" || isFreeView(value)
    ? eachOf(graph, node(graph, value.inputs[0]!))
    : literalOf(graph, value.id);

/** The scatter or the pick that a fold is, or null. */
export function comparedBy(graph: Graph, total: Node): Scatter | Picked | null {
  const isNothing = NOTHING.get(total.op);
  if (!isNothing) return null;
  const of = (id: NodeId): Node => node(graph, id);
  const operand = of(total.inputs[0]!);
  const space = operand.type.shape;
  const folded = opDef(total.op).reduce!.axes(total.attrs, space);
  if (folded.length !== 1) return null;
  const nothing = operand.op === "where" ? literalOf(graph, operand.inputs[2]!) : 0;
  const found = nothing === null ? null : chosenUpdate(of, operand.id, total.op, () => true);
  if (nothing === null || !found || found.match.type.shape.length !== space.length) return null;
  const value = found.value === null ? null : unexpanded(graph, of(found.value));
  const along = ({ type }: Node, axis: number): number => aligned(type.shape, space.length)[axis]!;
  const { inputs } = found.match;
  for (const [counted, other] of [inputs, inputs.toReversed()] as (readonly [NodeId, NodeId])[]) {
    const index = of(other);
    const targets = space.findIndex((extent, axis) => extent > 1 && countsAlong(of, counted, axis, extent, 1));
    if (targets < 0 || index.type.dtype !== "i32" || along(index, targets) !== 1) continue;
    const parts = { total, space, targets, index };
    if (targets === folded[0]) {
      // A value of their own for each update and target is read once by the comparison, too.
      const shared = (axis: number): boolean =>
        along(index, axis) > 1 && value !== null && (along(value, axis) === 1 || along(value, targets) === 1);
      const updates = space.findIndex((_, axis) => axis !== targets && shared(axis));
      return total.op === "sum" && nothing === 0 && value && updates >= 0
        ? { ...parts, updates, takes: "value", value }
        : null;
    }
    const scatter = { ...parts, updates: folded[0]!, nothing, each: 1 };
    if (value === null) return { ...scatter, takes: "count", value };
    const same = total.op === "sum" && nothing === 0 ? eachOf(graph, value) : null;
    if (same !== null) return { ...scatter, takes: "count", value: null, each: same };
    if (along(value, targets) !== 1) return null;
    if (isNothing(nothing, operand.type.dtype)) return { ...scatter, takes: "fold", value };
    const last = total.op === "max" && nothing === -1 && countsAlong(of, value.id, folded[0]!, space[folded[0]!]!, 1);
    return last ? { ...scatter, takes: "last", value: null } : null;
  }
  return null;
}

/** The fold with what it is made of, up to the indices and the values, in the order of the graph. */
export function membersOf(graph: Graph, { total, index, value }: Scatter | Picked): readonly NodeId[] {
  const members = new Set<NodeId>([total.id]);
  for (const id of members)
    for (const input of node(graph, id).inputs)
      if (input !== index.id && input !== value?.id && compares(node(graph, input))) members.add(input);
  return [...graph.nodes.keys()].filter((id) => members.has(id));
}

const compares = ({ op }: Node): boolean =>
  op === "iota" || op === "where" || op === "eq" || op === "cast" || opDef(op).kind === "movement";

/** Indices, each of them once: the value that holds them, and the axes of the comparison along which they differ, in their order. */
export interface Named {
  readonly index: Node;
  readonly axes: readonly number[];
}

/** The indices without what only repeats them: views and copies along other axes lead from the smallest value that holds them all. */
export function namedBy(graph: Graph, { index, space }: Pick<Compared, "index" | "space">): Named {
  const missing = space.length - index.type.shape.length;
  let axes: readonly (number | null)[] = index.type.shape.map((extent, i) => (extent === 1 ? null : i + missing));
  const named = (): number[] => axes.filter((axis) => axis !== null);
  let found: Named = { index, axes: named() };
  for (let current = index; current.inputs.length === 1; found = { index: current, axes: named() }) {
    const from = node(graph, current.inputs[0]!);
    const { shape } = from.type;
    if (current.op === "expand") {
      const own = axes.slice(axes.length - shape.length);
      axes = shape.map((extent, i) => (extent === 1 ? null : own[i]!));
    } else if (isFreeView(current)) {
      const long = (of: Shape): string => of.filter((extent) => extent > 1).join();
      if (long(shape) !== long(current.type.shape)) return found;
      const rest = named();
      axes = shape.map((extent) => (extent === 1 ? null : rest.shift()!));
    } else return found;
    current = from;
  }
  return found;
}

/** The list of indices, where they are the same for all else than the updates; null where they are not. */
export function listed(graph: Graph, found: Scatter | Picked): Node | null {
  const { index, axes } = namedBy(graph, found);
  return axes.length === 1 && axes[0] === found.updates ? index : null;
}
