/** @file Which values of a region belong to a whole row, which to every element: the alignment rules of row groups. */
import {
  node,
  sameShape,
  showShape,
  sizeOf,
  stridesOf,
  type Graph,
  type Node,
  type NodeId,
  type Shape,
  type Verdict,
  nodeName,
} from "../../../../ir";
import { opDef } from "../../../../ops";
import { samplesOf } from "../../../indices/alignment";
import { refusal } from "../../../refusal";
import { isOrder, isScan, walkedAxes, walksRows } from "./row-ops";
import { roleWithinRows, type RowRole, type RowDomain } from "./row-role";
import { layoutOf, movedLayout, unravelled, type Layout } from "../../../indices/row-layout";

/** Rows shorter than this are no band's work: their columns are folded apart. */
const LEAST_COLUMNS = 32;

/** Whether rows lie contiguously in memory: the axes walked are the last ones. */
export function isTrailing(space: Shape, axes: readonly number[]): boolean {
  const first = axes.find((axis) => space[axis] !== 1);
  return first === undefined || space.every((extent, axis) => extent === 1 || axes.includes(axis) === axis >= first);
}

/** Does `n` fold over all rows what passes by element after element, so that each column keeps one value? */
function foldsColumns(n: Node, axes: readonly number[], { space, axes: walked }: RowDomain): boolean {
  const { reduce } = opDef(n.op);
  if (!reduce || reduce.arg || !isTrailing(space, walked)) return false;
  const columns = sizeOf(walked.map((axis) => space[axis]!));
  const across = space.every((extent, axis) => extent === 1 || axes.includes(axis) !== walked.includes(axis));
  return across && columns >= LEAST_COLUMNS && columns < sizeOf(space);
}

export function domainOf(space: Shape, axes: readonly number[]): RowDomain {
  const rowShape = space.map((extent, axis) => (axes.includes(axis) ? 1 : extent));
  const samples = sizeOf(space) > 0 ? samplesOf(space) : [];
  const strides = stridesOf(rowShape);
  const rowOf = (at: number): number =>
    unravelled(at, space).reduce((sum, value, axis) => sum + (axes.includes(axis) ? 0 : value * strides[axis]!), 0);
  return { space, axes, rowShape, samples, sampleRows: samples.map(rowOf) };
}

const padLeft = (shape: Shape, rank: number): Shape => [
  ...Array.from({ length: Math.max(0, rank - shape.length) }, () => 1),
  ...shape,
];
const withoutOnes = (shape: Shape): Shape => shape.filter((extent) => extent !== 1);

/** One value per row: that shape, or any free re-writing of it (`[R]`, `[R, 1]` …). */
export const isRowShape = (shape: Shape, domain: RowDomain): boolean =>
  sameShape(withoutOnes(shape), withoutOnes(domain.rowShape));

const isOnePerRow = (shape: Shape, { rowShape, space }: RowDomain): boolean =>
  sizeOf(shape) === sizeOf(rowShape) && sizeOf(rowShape) < sizeOf(space);

/** A row value of `shape` broadcasts to `out` so that every element, lying at its index, meets its own row. */
function meetsItsRow(shape: Shape, out: Shape, { indices }: Layout, { sampleRows }: RowDomain): boolean {
  const strides = stridesOf(shape);
  const skip = out.length - shape.length;
  const broadcasts = shape.every((extent, axis) => extent === 1 || extent === out[skip + axis]);
  return (
    broadcasts &&
    indices.every((index, i) => {
      const at = unravelled(index, out).slice(skip);
      return (
        sampleRows[i] === shape.reduce((sum, extent, axis) => sum + (extent === 1 ? 0 : at[axis]! * strides[axis]!), 0)
      );
    })
  );
}

/** The role of one member, given those of its operands inside the region; a verdict when it can't stand in this domain. */
export function roleOfMember(
  graph: Graph,
  id: NodeId,
  roles: ReadonlyMap<NodeId, RowRole>,
  domain: RowDomain,
): RowRole | Verdict {
  const n = node(graph, id);
  const def = opDef(n.op);
  const bound = n.inputs.filter((input) => (roles.get(input)?.role ?? "free") !== "free");
  const stage = Math.max(0, ...n.inputs.map((input) => roles.get(input)?.stage ?? 0));
  const late = n.inputs.find((input) => roles.get(input)?.role === "column");
  if (late !== undefined) return def.movement?.free ? { role: "column", stage } : tooEarly(graph, late, n, domain);
  if (walksRows(n)) return rowOpRole(graph, id, roles, domain, stage);
  if (bound.length === 0) return { role: "free", stage: 0 };
  const show = (of: NodeId): string => `\`${nodeName(node(graph, of))}\``;
  if (def.kind === "movement") {
    const operand = bound[0]!;
    const { role, lie } = roles.get(operand)!;
    if (role === "row" && def.movement?.free) return { role: "row", stage };
    if (role === "row" && def.movement?.spreads && sizeOf(n.type.shape) === sizeOf(domain.space)) {
      const spread = layoutOf(domain.space, n.type.shape, domain.samples);
      if (meetsItsRow(node(graph, operand).type.shape, n.type.shape, spread, domain))
        return { role: "full", stage, lie: spread };
    }
    const moved = lie && n.inputs.length === 1 ? movedLayout(graph, n, lie) : null;
    if (moved) return { role: "full", stage, lie: moved };
    const within = roleWithinRows(graph, n, bound, roles, domain, stage);
    if (within) return within;
    return refusal(
      "L_INDEX",
      [operand, id],
      `${show(id)} moves ${show(operand)} to other indices, and each row is known only where it was reduced.`,
      "Indices that stay within a row: for any others the value has to be stored, as it is.",
    );
  }
  if (def.kind !== "elementwise" && def.kind !== "random") {
    return refusal(
      "L_REDUCE_REDUCE",
      [bound[0]!, id],
      `${show(id)} reads ${show(bound[0]!)} at many positions, but a row of it is only known after its reduction.`,
      `A reader of the same row: any other needs ${show(bound[0]!)} stored, as it is.`,
    );
  }
  return elementwiseRole(graph, id, bound, roles, domain, stage);
}

/** Operands of the same shape that lie alike, and rows that meet their own elements. */
function elementwiseRole(
  graph: Graph,
  id: NodeId,
  bound: readonly NodeId[],
  roles: ReadonlyMap<NodeId, RowRole>,
  domain: RowDomain,
  stage: number,
): RowRole | Verdict {
  const { shape } = node(graph, id).type;
  const shapeOf = (input: NodeId): Shape => node(graph, input).type.shape;
  if (bound.some((input) => roles.get(input)!.role === "part"))
    return (
      roleWithinRows(graph, node(graph, id), bound, roles, domain, stage) ?? misaligned(graph, id, bound[0]!, domain)
    );
  if (bound.some((input) => roles.get(input)!.role === "first"))
    return firstRole(graph, id, bound, roles, domain, stage);
  const fulls = bound.filter((input) => roles.get(input)!.role === "full");
  const alike = (input: NodeId): boolean =>
    sameShape(padLeft(shapeOf(input), shape.length), padLeft(shape, shapeOf(input).length));
  const inRows = fulls.length === 0 && bound.every(alike);
  // A value a row keeps the order of the rows in whatever shape views show it.
  if (inRows && (isRowShape(shape, domain) || isOnePerRow(shape, domain))) return { role: "row", stage };
  if (sizeOf(shape) !== sizeOf(domain.space)) return misaligned(graph, id, bound[0]!, domain);
  const lie = fulls[0] === undefined ? layoutOf(domain.space, shape, domain.samples) : roles.get(fulls[0])!.lie!;
  for (const input of bound) {
    const own = roles.get(input)!.lie;
    const fits = own
      ? sameShape(shapeOf(input), shape) && own.indices.every((at, i) => at === lie.indices[i])
      : meetsItsRow(shapeOf(input), shape, lie, domain);
    if (!fits) return misaligned(graph, id, input, domain);
  }
  return { role: "full", stage, lie };
}

/** The first few of each row meet others of their index, and values of their own row. */
function firstRole(
  graph: Graph,
  id: NodeId,
  bound: readonly NodeId[],
  roles: ReadonlyMap<NodeId, RowRole>,
  domain: RowDomain,
  stage: number,
): RowRole | Verdict {
  const { shape } = node(graph, id).type;
  const odd = bound.find((input) => {
    const own = roles.get(input)!.role === "first" ? shape : domain.rowShape;
    return !sameShape(node(graph, input).type.shape, own);
  });
  return odd === undefined ? { role: "first", stage } : misaligned(graph, id, odd, domain);
}

/** A reduction leaves one value a row; a scan a row again, known as soon as its operand passes by. */
function rowOpRole(
  graph: Graph,
  id: NodeId,
  roles: ReadonlyMap<NodeId, RowRole>,
  domain: RowDomain,
  stage: number,
): RowRole | Verdict {
  const n = node(graph, id);
  const input = node(graph, n.inputs[0]!);
  const axes = walkedAxes(graph, n)!;
  const { role, lie } = roles.get(input.id) ?? { role: "free" };
  const inOrder = !lie || lie.indices.every((at, i) => at === domain.samples[i]);
  const aligned = inOrder && sameShape(input.type.shape, domain.space);
  const same = aligned && sameShape(axes, domain.axes);
  if (aligned && role !== "row" && !same && foldsColumns(n, axes, domain)) return { role: "column", stage };
  if (same && (role !== "row" || sameShape(domain.space, domain.rowShape))) {
    const known = isScan(n) ? stage : stage + 1;
    if (!sameShape(n.type.shape, domain.space) || !(isScan(n) || isOrder(n)))
      return { role: isOrder(n) && !sameShape(n.type.shape, domain.rowShape) ? "first" : "row", stage: known };
    const lie = layoutOf(domain.space, n.type.shape, domain.samples);
    return { role: "full", stage: known, lie };
  }
  return refusal(
    "L_REDUCE_REDUCE",
    [input.id, id],
    `\`${nodeName(n)}\` reduces ${showShape(input.type.shape)} over ${axesOf(axes)}; the other rows of this kernel are those of ${showShape(domain.space)} over ${axesOf(domain.axes)}. A kernel works on one kind of row.`,
    "The same shape and the same axes for both.",
  );
}

/** `axis 1`, `axes 0 and 1`. */
const axesOf = (axes: readonly number[]): string =>
  axes.length === 0 ? "no axis" : `${axes.length === 1 ? "axis" : "axes"} ${axes.join(" and ")}`;

const tooEarly = (graph: Graph, fold: NodeId, n: Node, { space, axes }: RowDomain): Verdict =>
  refusal(
    "L_REDUCE_REDUCE",
    [fold, n.id],
    `A kernel that reduces ${showShape(space)} over ${axesOf(axes)} goes from row to row. It knows \`${nodeName(node(graph, fold))}\`, which is folded across the rows, only after the last one, and \`${nodeName(n)}\` needs it in each.`,
    "The same axes for both reductions.",
  );

const misaligned = (graph: Graph, id: NodeId, input: NodeId, domain: RowDomain): Verdict => {
  const [consumer, producer] = [node(graph, id), node(graph, input)];
  return refusal(
    "L_SHAPE",
    [input, id],
    `\`${nodeName(consumer)}\` is ${showShape(consumer.type.shape)} and would meet \`${nodeName(producer)}\` (${showShape(producer.type.shape)}) in another row than the one just reduced: the rows here are those of ${showShape(domain.space)}.`,
    "Keep the reduced axis (keepdim=True), so that every element meets its own row.",
    { elements: sizeOf(consumer.type.shape), otherElements: sizeOf(producer.type.shape) },
  );
};

export const isVerdict = (answer: RowRole | Verdict): answer is Verdict => "ok" in answer;
