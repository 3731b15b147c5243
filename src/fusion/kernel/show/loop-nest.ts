/** @file What the loops of a kernel go through, and what each of its values is called there. */
import { isLiteral, node, sizeOf, type Graph, type Node, type NodeId, type Region } from "../../ir";
import { opDef } from "../../ops";
import { isTrailing } from "../shapes/fold/rows/roles";
import { alignedNames, at, inlinedOf, kindOf, movementOf, sourcesOf } from "./loop-operands";

const AXES = Array.from({ length: 16 }, (_, axis) => ["i", "j", "k", "l", "m", "n"][axis] ?? `i${axis}`);
/** The loops of one kernel and the values in them. */
export interface Nest {
  readonly graph: Graph;
  readonly members: readonly Node[];
  readonly inside: ReadonlySet<NodeId>;
  readonly outputs: ReadonlySet<NodeId>;
  /** Extents of the loops and which of them reductions fold. */
  readonly space: readonly number[];
  readonly reduced: ReadonlySet<number>;
  /** What each loop counts with. */
  readonly names: readonly string[];
  /** Members that a matmul's loop computes for itself. */
  readonly inlined: ReadonlySet<NodeId>;
  /** A matmul whose terms are the elements of the row, and what follows from it: its own columns, which the row's loop doesn't go through. */
  readonly across: ReadonlySet<NodeId>;
  /** Where a value is asked for in another shape than its own: at what index. */
  readonly asked: ReadonlyMap<NodeId, readonly string[]>;
  /** Members that an earlier loop over the row has computed, one value for each of its elements. */
  readonly earlier: ReadonlySet<NodeId>;
}

function reducedAxes(reduction: Node, input: Node): number[] {
  const [from, to] = [input.type.shape, reduction.type.shape];
  const { scan, order } = opDef(reduction.op);
  const walk = scan ?? order;
  if (walk) return [walk.axis(reduction.attrs, from)];
  if (from.length === to.length) return from.flatMap((extent, axis) => (extent !== to[axis] ? [axis] : []));
  const given = reduction.attrs["dim"] ?? reduction.attrs["axes"] ?? reduction.attrs["axis"];
  const axes = typeof given === "number" ? [given] : Array.isArray(given) ? (given as number[]) : from.map((_, i) => i);
  return axes.map((axis) => (axis < 0 ? axis + from.length : axis));
}

/** Rows that lie contiguously are walked; columns of the same values are folded on the way. */
const contiguity = ({ each, input }: { readonly each: Node; readonly input: Node }): number =>
  Number(isTrailing(input.type.shape, reducedAxes(each, input)));

/** A fold over what the loops go through outside: each column keeps its own. */
export function foldsColumns({ graph, reduced }: Nest, found: Node): boolean {
  if (kindOf(found) !== "reduce" || reduced.size === 0) return false;
  const input = node(graph, found.inputs[0]!);
  return reducedAxes(found, input).some((axis) => input.type.shape[axis]! > 1 && !reduced.has(axis));
}

/** The widest thing that the kernel walks: what its first reduction reads, else its largest result. */
export function nestOf(graph: Graph, region: Pick<Region, "members" | "outputs">): Nest {
  const all = region.members.map((id) => node(graph, id)).filter((each) => !isLiteral(each));
  const outputs = new Set(region.outputs);
  const inlined = inlinedOf(all, outputs);
  const members = all.filter(({ id }) => !inlined.has(id));
  const reductions = members.filter((each) => ["reduce", "scan", "order"].includes(kindOf(each)));
  const widest = reductions
    .map((each) => ({ each, input: node(graph, each.inputs[0]!) }))
    .toSorted((a, b) => sizeOf(b.input.type.shape) - sizeOf(a.input.type.shape) || contiguity(b) - contiguity(a))[0];
  const largest = members
    .filter(({ id }) => outputs.has(id))
    .toSorted((a, b) => sizeOf(b.type.shape) - sizeOf(a.type.shape))[0];
  const space = widest ? widest.input.type.shape : (largest?.type.shape ?? []);
  const reduced = new Set(widest ? reducedAxes(widest.each, widest.input) : []);
  const nest: Nest = {
    graph,
    members,
    inside: new Set(all.map(({ id }) => id)),
    outputs,
    space,
    reduced,
    names: AXES,
    inlined,
    across: acrossOf(graph, members, space, reduced),
    asked: new Map(),
    earlier: new Set(),
  };
  return { ...nest, asked: askedOf(nest) };
}

/** Behind a view that gives the elements another shape, and all that only follows to it. */
function askedOf(nest: Nest): ReadonlyMap<NodeId, readonly string[]> {
  const asked = new Map<NodeId, readonly string[]>();
  for (const each of nest.members.toReversed()) {
    const isView = movementOf(each)?.free === true;
    const names = asked.get(each.id);
    if (!isView && (!names || kindOf(each) !== "elementwise")) continue;
    for (const id of each.inputs) {
      const { shape } = node(nest.graph, id).type;
      const at = names ?? axisNames(nest, each.type.shape);
      if (nest.inside.has(id) && String(shape) !== String(nest.space))
        asked.set(id, isView ? sourcesOf(nest.graph, each, at)[0]!.index : alignedNames(shape, at));
    }
  }
  return asked;
}

/** Matmuls of the whole row, and members of their shape that follow from them. */
function acrossOf(
  graph: Graph,
  members: readonly Node[],
  space: readonly number[],
  reduced: ReadonlySet<number>,
): ReadonlySet<NodeId> {
  const across = new Set<NodeId>();
  const inside = new Set(members.map(({ id }) => id));
  for (const each of members) {
    const [left] = each.inputs;
    const ofRow =
      kindOf(each) === "contraction" &&
      inside.has(left!) &&
      reduced.has(space.length - 1) &&
      String(node(graph, left!).type.shape) === String(space);
    const follows = each.inputs.some((id) => across.has(id)) && kindOf(each) === "elementwise";
    if (ofRow || follows) across.add(each.id);
  }
  return across;
}

/** What counts axis `axis`. */
export const axisName = (axis: number): string => AXES[axis]!;

/** The axes of a value by name: aligned at the right, extents of 1 stand still; a folded value has those that are left. */
export function axisNames({ space, names, reduced }: Nest, shape: readonly number[]): string[] {
  const outer = space.flatMap((extent, axis) => (reduced.has(axis) ? [] : [{ extent, axis }]));
  const isOuter =
    shape.length === outer.length && shape.length < space.length && outer.every((each, i) => each.extent === shape[i]);
  return isOuter
    ? shape.map((extent, i) => (extent === 1 ? "0" : names[outer[i]!.axis]!))
    : alignedNames(shape, names.slice(0, Math.max(space.length, shape.length)));
}

/** A tensor in memory at what the loops count. */
export const indexed = (nest: Nest, name: string, shape: readonly number[]): string => at(name, axisNames(nest, shape));

/** What an op reads: a number, a value in a register, or a tensor in memory. */
export function operand(nest: Nest, id: NodeId, reader?: NodeId): string {
  const found = node(nest.graph, id);
  if (isLiteral(found)) return String(found.attrs["value"]);
  if (nest.across.has(id) && kindOf(found) === "contraction") return at(found.label, [acrossName(nest)]);
  if (nest.inside.has(id)) return nest.earlier.has(id) ? ofElement(nest, found) : found.label;
  const names = reader && nest.asked.get(reader);
  return names ? at(found.label, alignedNames(found.type.shape, names)) : indexed(nest, found.label, found.type.shape);
}

/** `exp[j]`: the value of an element of the row that an earlier loop has computed. */
function ofElement(nest: Nest, { label, type }: Node): string {
  const along = new Set([...nest.reduced].map((axis) => nest.names[axis]!));
  return at(
    label,
    axisNames(nest, type.shape).filter((name) => along.has(name)),
  );
}

/** What counts the columns of a matmul of the whole row. */
export const acrossName = ({ names }: Nest): string => names.at(-1)!;
