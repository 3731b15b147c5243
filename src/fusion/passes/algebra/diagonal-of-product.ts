/**
 * @file P3c: a diagonal of a product is a dot product for each of its elements: (A·B)ᵢᵢ = Σₖ Aᵢₖ Bₖᵢ. The rest is never computed. A
 * trace is the sum of these.
 * @about slice, reshape, transpose, mul, sum: a diagonal is a strided slice of the flattened rows, and it is written anew.
 */
import { node, sameShape, showShape, sizeOf, type Node, type NodeId, type Shape } from "../../ir";
import { opDef, permOf, sliceAxes } from "../../ops";
import type { NodeChange } from "../driver/rewriter";
import { operandOf, readOnce, rule, type Site } from "../driver/rule";
import { nameOf } from "../driver/sentences";
import { NodeFactory } from "../saved/node-factory";
import { treeBelow, type Tree } from "./tree-below";

/** Element `t` of a walk along an axis stands at `start + t · step`. */
interface Walk {
  readonly start: number;
  readonly step: number;
}

interface Diagonal {
  readonly nodes: readonly NodeId[];
  readonly product: Node;
  readonly rows: Walk;
  readonly columns: Walk;
  readonly count: number;
  /** Elementwise ops between the product and the diagonal. */
  readonly tree: Tree;
  /** A sum that alone reads the diagonal, over these of its axes: it adds up all products. */
  readonly sum: { readonly fold: Node; readonly axes: readonly number[] } | null;
}

export const diagonalOfProduct = rule({
  name: "diagonal-of-product",
  match(site): Diagonal | null {
    const { planner, rewriter, graph, n } = site;
    if (n.op !== "slice" || n.type.dtype !== "f32" || n.type.shape.includes(0)) return null;
    const flat = operandOf(site);
    if (flat.op !== "reshape" || !readOnce(site, flat)) return null;
    const full = node(graph, flat.inputs[0]!).type.shape;
    const walks = walksOf(n, flat.type.shape, full);
    const isInside = ({ op, type }: Node): boolean => opDef(op).kind === "elementwise" && sameShape(type.shape, full);
    const tree = walks && treeBelow(planner, rewriter, flat.inputs[0]!, isInside);
    const product = tree && productIn(site, tree, full);
    if (!product) return null;
    const sum = tree.ops.length === 0 ? sumOf(site) : null;
    return { nodes: [n.id, product.id], product, ...walks, count: n.type.shape.at(-1)!, tree, sum };
  },
  replace: (site, found) => asDots(site, found),
  because: ({ graph, n }, { product }) =>
    `Of the ${showShape(product.type.shape)} values of ${nameOf(graph, product.id)} only ${showShape(n.type.shape)} are wanted. Each is the dot product of a row and a column, and the others are never computed.`,
});

/** Which rows and columns the slice of the flattened rows takes, where both go on evenly; null elsewhere. */
function walksOf(slice: Node, flat: Shape, full: Shape): { readonly rows: Walk; readonly columns: Walk } | null {
  const [rows, columns] = full.slice(-2);
  if (rows === undefined || columns === undefined || flat.at(-1) !== rows * columns) return null;
  if (!sameShape(flat.slice(0, -1), full.slice(0, -2))) return null;
  const axes = sliceAxes(slice.attrs, flat);
  if (axes.slice(0, -1).some(({ start, step, count }, i) => start !== 0 || step !== 1 || count !== flat[i]))
    return null;
  const { start, step, count } = axes.at(-1)!;
  const [row, column] = [Math.floor(start / columns), start % columns];
  const right = ((step % columns) + columns) % columns;
  for (const by of [right, right - columns]) {
    const last = column + by * (count - 1);
    if (last < 0 || last >= columns) continue;
    return { rows: { start: row, step: (step - by) / columns }, columns: { start: column, step: by } };
  }
  return null;
}

/** The only product below the slice, which nobody else reads; beside it the ops know single numbers. */
function productIn(site: Site, { leaves }: Tree, full: Shape): Node | null {
  const wide = [...leaves].map((id) => node(site.graph, id)).filter(({ type }) => sizeOf(type.shape) > 1);
  const [product] = wide;
  if (wide.length !== 1 || !product || opDef(product.op).kind !== "contraction") return null;
  const isMatrix = (id: NodeId): boolean => {
    const { shape, dtype } = node(site.graph, id).type;
    return shape.length >= 2 && dtype === "f32";
  };
  return readOnce(site, product) && sameShape(product.type.shape, full) && product.inputs.every(isMatrix)
    ? product
    : null;
}

function sumOf({ planner, rewriter, graph, n }: Site): Diagonal["sum"] {
  const [reader] = rewriter.readersOf(n.id);
  const fold = reader === undefined ? null : node(graph, reader);
  if (fold?.op !== "sum" || !readOnce({ planner, rewriter, graph, n: fold }, n)) return null;
  const axes = opDef("sum").reduce!.axes(fold.attrs, n.type.shape);
  return fold.type.shape.length === n.type.shape.length - axes.length ? { fold, axes } : null;
}

function asDots({ graph, rewriter, n }: Site, { product, rows, columns, count, tree, sum }: Diagonal): NodeChange {
  const late = n.phase === "backward";
  const factory = new NodeFactory(graph, n.id, "term");
  const [left, right] = product.inputs.map((id) => node(graph, id)) as [Node, Node];
  /** The rows of a matrix that the walk meets; one row where it stays. */
  const along = (id: NodeId, { shape }: Node["type"], { start, step }: Walk): NodeId => {
    const axis = shape.length - 2;
    const extent = shape[axis]!;
    if (start === 0 && step === 1 && count === extent) return id;
    const [by, times] = step === 0 ? [1, 1] : [step, count];
    const end = start + by * (times - 1) + Math.sign(by);
    const stop = end < 0 ? -extent - 1 : end;
    return factory.call("slice", [id], { start: [start], stop: [stop], step: [by], axes: [axis] }, n, late);
  };
  const [turned, type] = swapped(right)
    ? [right.inputs[0]!, node(graph, right.inputs[0]!).type]
    : [factory.call("transpose", [right.id], { perm: lastSwapped(right.type.shape.length) }, right, late), null];
  const { shape } = right.type;
  const standing = type ?? { ...right.type, shape: [...shape.slice(0, -2), shape.at(-1)!, shape.at(-2)!] };
  const operands = [along(left.id, left.type, rows), along(turned, standing, columns)];
  const products = factory.call("mul", operands, {}, product, late);
  const originsOf = (top: Node): Node["origins"] => [...new Set([...top.origins, ...n.origins, ...product.origins])];
  if (sum) {
    const { fold, axes } = sum;
    const attrs = { ...fold.attrs, axes: [...axes, n.type.shape.length] };
    const all: Node = { ...fold, inputs: [products], attrs, origins: originsOf(fold) };
    return {
      ...rewriter.replaced([n.id], [...factory.made, all]),
      inserted: factory.computed().map((id) => [id, fold.id]),
    };
  }
  const made = new Map([[product.id, factory.call("sum", [products], { axes: [-1], keepdims: false }, product, late)]]);
  for (const op of tree.ops.toReversed()) {
    const inputs = op.inputs.map((input) => made.get(input) ?? input);
    made.set(op.id, factory.call(op.op, inputs, op.attrs, op, late));
  }
  const last = factory.made.pop()!;
  const result: Node = { ...n, op: last.op, inputs: last.inputs, attrs: last.attrs, origins: originsOf(n) };
  return { ...rewriter.replaced([], [...factory.made, result]), inserted: factory.computed().map((id) => [id, n.id]) };
}

const lastSwapped = (rank: number): number[] => [...Array.from({ length: rank - 2 }, (_, i) => i), rank - 1, rank - 2];

/** Whether the matrix is another one with rows and columns in each other's place. */
function swapped({ op, attrs, type }: Node): boolean {
  const rank = type.shape.length;
  return op === "transpose" && permOf(attrs, rank).join() === lastSwapped(rank).join();
}
