/**
 * @file Where a value of a row group stands: with the elements, with the rows, or on its own. Movement inside rows, which takes every
 * element from its own row, leaves it with them.
 */
import { node, sameShape, type Graph, type Node, type NodeId, type Shape } from "../../../../ir";
import { opDef, type IndexAlgebra } from "../../../../ops";
import { isScan, walksRows } from "./row-ops";
import { layoutOf, type Layout } from "../../../indices/row-layout";

/**
 * `free`: does not depend on a reduction of the region; it is computed at whatever index is asked for.
 * `full`: one value per element of the space, after a reduction; in any shape that views and permutations give it.
 * `part`: elements of the own row at other indices, or some of them: known with the row, at whatever index is asked for.
 * `row`: one value per row. `column`: one value per column, folded over all rows.
 * `first`: the first few of each row, once it is in order.
 */
export type Role = "free" | "full" | "part" | "row" | "column" | "first";

export interface RowDomain {
  /** Shape that every reduction of the region reads. */
  readonly space: Shape;
  /** Axes they fold. */
  readonly axes: readonly number[];
  /** `space` with the folded axes as 1: the shape of one value per row. */
  readonly rowShape: Shape;
  /** Elements of the space that are followed to tell two orders apart, and the row of each. */
  readonly samples: readonly number[];
  readonly sampleRows: readonly number[];
}

export interface RowRole {
  readonly role: Role;
  /** Passes over the row that must be finished before this value is known. */
  readonly stage: number;
  /** Of `full` values. */
  readonly lie?: Layout;
}

/** An index as far as it matters here: a coordinate of the result as it is, a number, or anything else. */
interface Term {
  readonly axis?: number;
  readonly value?: number;
}
const OTHER: Term = {};

const terms: IndexAlgebra<Term, true> = {
  int: (value) => ({ value }),
  add: (a, b) => (a.value === 0 ? b : b.value === 0 ? a : OTHER),
  mul: (a, by) => (by === 1 ? a : OTHER),
  div: (a, by) => (by === 1 ? a : OTHER),
  mod: () => OTHER,
  less: () => true,
  atLeast: () => true,
  and: () => true,
};

/** Do the elements that movement `n` takes from these operands keep all coordinates but those along `axes`? */
function staysInRows(
  n: Node,
  inputs: readonly Shape[],
  operands: ReadonlySet<number>,
  axes: readonly number[],
): boolean {
  const { shape } = n.type;
  const out = shape.map((_, axis): Term => ({ axis }));
  const cases = opDef(n.op).movement!.source(out, { inputs, output: shape, attrs: n.attrs }, terms);
  return cases.every(
    ({ operand, index }) =>
      !operands.has(operand) ||
      index.every(
        ({ axis, value }, i) =>
          axes.includes(i) || axis === i || (value === 0 && inputs[operand]![i] === 1 && shape[i] === 1),
      ),
  );
}

/** Shapes whose rows are the space's, of whatever length: only the folded axes may differ. */
const hasRows = (shape: Shape, { space, axes }: RowDomain): boolean =>
  shape.length === space.length && shape.every((extent, axis) => axes.includes(axis) || extent === space[axis]);

/** Does the value have its own row's elements in the row's own coordinates? */
function standsInRows(shape: Shape, { role, lie }: RowRole, domain: RowDomain): boolean {
  if (role === "part") return true;
  if (role === "row") return sameShape(shape, domain.rowShape);
  return role === "full" && sameShape(shape, domain.space) && lie!.indices.every((at, i) => at === domain.samples[i]);
}

/**
 * The role of movement or elementwise work `n` on parts of rows; null where an element would come from another row, or the result has
 * other rows. A result in the space's own shape is a whole row again.
 */
export function roleWithinRows(
  graph: Graph,
  n: Node,
  bound: readonly NodeId[],
  roles: ReadonlyMap<NodeId, RowRole>,
  domain: RowDomain,
  stage: number,
): RowRole | null {
  const { shape } = n.type;
  const shapeOf = (id: NodeId): Shape => node(graph, id).type.shape;
  if (!hasRows(shape, domain)) return null;
  if (bound.some((id) => !standsInRows(shapeOf(id), roles.get(id)!, domain))) return null;
  if (opDef(n.op).kind === "movement") {
    const from = new Set(n.inputs.flatMap((id, operand) => (bound.includes(id) ? [operand] : [])));
    if (!staysInRows(n, n.inputs.map(shapeOf), from, domain.axes)) return null;
    if (bound.some((id) => followsScan(graph, id, roles))) return null;
  }
  if (!sameShape(shape, domain.space)) return { role: "part", stage };
  return { role: "full", stage, lie: layoutOf(domain.space, shape, domain.samples) };
}

/** Is the value known only where a scan passes by? Then no other element of its row can be asked for. */
function followsScan(graph: Graph, id: NodeId, roles: ReadonlyMap<NodeId, RowRole>): boolean {
  const seen = new Set([id]);
  for (const at of seen) {
    const n = node(graph, at);
    if (isScan(n)) return true;
    if (walksRows(n)) continue;
    for (const input of n.inputs) if (roles.get(input)?.role === "full") seen.add(input);
  }
  return false;
}
