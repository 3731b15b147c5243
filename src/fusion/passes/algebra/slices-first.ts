/**
 * @file A slice of a product's rows is a product of fewer rows, and one of a convolution a convolution of fewer windows: what is not
 * wanted is never computed. A causal convolution is written so: padded on both sides, and the end cut off.
 * A diagonal of a product, a strided slice of its flattened rows, is a dot product for each element: (A·B)ᵢᵢ = Σₖ Aᵢₖ Bₖᵢ.
 * @about slice, window, reshape, transpose, sum: the first goes into the operand of the matmul, or into the padding of the second; a
 * sum that reads a diagonal adds up all its products.
 */
import { madeFor, node, sameShape, showShape, sizeOf, type Node, type NodeId, type Shape, standingOf } from "../../ir";
import { opDef, permOf, reachOf, sliceAxes, windowAxes, withDefaults } from "../../ops";
import { LONG_K, THIN } from "../../kernel";
import type { Planner } from "../driver/planner";
import type { NodeChange, Rewriter } from "../driver/rewriter";
import { operandOf, readOnce, rule, type Site } from "../driver/rule";
import { nameOf, no, STRICT_OFF } from "../driver/sentences";
import { NodeFactory } from "../saved/node-factory";
import { treeBelow, withTop, type Tree } from "./tree-below";

/** slice(f(a @ w)) = f(slice(a) @ w), where only rows of `a` are left out and nobody reads the others. */
export const rowsFirst = rule({
  name: "rows-first",
  code: "A_VIEW",
  match({ planner, rewriter, graph, n }) {
    if (n.op !== "slice") return null;
    const full = node(graph, n.inputs[0]!).type.shape;
    const axes = sliceAxes(n.attrs, full);
    const cut = full.map((extent, axis) => axes[axis]!.count !== extent || axes[axis]!.step !== 1);
    const tree = treeBelow(
      planner,
      rewriter,
      n.inputs[0]!,
      ({ op, type }) => opDef(op).kind === "elementwise" && sameShape(type.shape, full),
    );
    const product = tree && productOf(planner, rewriter, tree, full, cut);
    if (!product || n.type.shape.includes(0)) return null;
    const [a, w] = product.inputs.map((id) => node(graph, id)) as [Node, Node];
    const nodes = [n.id, product.id, ...tree.ops.map(({ id }) => id)];
    return { full, axes, tree, product, a, w, nodes };
  },
  refuse({ planner, graph, n }, { a, product }) {
    if (!planner.options.strict || !mayShare(a.type.shape.at(-1)!, n.type.shape)) return null;
    const text = `With the few rows that ${nameOf(graph, n.id)} leaves, several threads would share each sum of ${nameOf(graph, product.id)}, which may change the last bits, and strict mode keeps them.`;
    return no("L_STRICT", [n.id, product.id], text, STRICT_OFF);
  },
  replace({ planner, rewriter, graph, n }, { axes, tree, product, a, w }) {
    const owner = planner.isOutput(n.id) && tree.ops.length === 0 ? n : product;
    const wanted: Node = {
      ...owner,
      ...madeFor(standingOf(graph, owner), "rows"),
      op: "slice",
      inputs: [a.id],
      attrs: withDefaults(opDef("slice"), rowsOf(axes, a.type.shape)),
      type: { ...a.type, shape: [...n.type.shape.slice(0, -1), a.type.shape.at(-1)!] },
      label: n.label,
    };
    const fewer = (op: Node): Node => ({ ...op, type: { ...op.type, shape: n.type.shape } });
    const ops = [{ ...fewer(product), inputs: [wanted.id, w.id] }, ...tree.ops.map(fewer)];
    return withTop(planner, rewriter, n, ops, [{ made: wanted, beside: owner.id }], []);
  },
  because: ({ graph, n }, { full, product, a }) =>
    `Of the ${showShape(full)} values of ${nameOf(graph, product.id)} only ${showShape(n.type.shape)} are wanted. ${nameOf(graph, n.id)} takes its rows from ${nameOf(graph, a.id)} instead, and the others are never computed.`,
});

/** The only leaf that the slice concerns, if that is a product of rows with one matrix. */
function productOf(
  planner: Planner,
  rewriter: Rewriter,
  { leaves }: Tree,
  full: Shape,
  cut: readonly boolean[],
): Node | null {
  const { graph } = planner;
  let found: Node | null = null;
  for (const id of leaves) {
    const leaf = node(graph, id);
    if (opDef(leaf.op).kind !== "contraction") {
      if (!isSameAlong(leaf.type.shape, full, cut)) return null;
    } else if (found) return null;
    else found = leaf;
  }
  if (!found || cut.at(-1) === true || !cut.includes(true)) return null;
  const [a, w] = found.inputs.map((id) => node(graph, id).type.shape) as [Shape, Shape];
  const alone = rewriter.readersOf(found.id).size === 1 && !planner.isOutput(found.id);
  return alone && w.length === 2 && a.length === full.length && found.type.shape.join() === full.join() ? found : null;
}

/** Values that are broadcast along every axis that is cut stay as they are. */
const isSameAlong = (shape: Shape, full: Shape, cut: readonly boolean[]): boolean =>
  shape.length <= full.length &&
  full.every((_, axis) => !cut[axis] || (shape[axis - full.length + shape.length] ?? 1) === 1);

/** The same rows of an operand with other columns. */
function rowsOf(axes: ReturnType<typeof sliceAxes>, shape: Shape): Record<string, number[]> {
  const rows = axes.slice(0, -1);
  // A walk backwards that takes in the first row stops before it: as far below 0 as no negative index means.
  const stop = ({ start, step, count }: (typeof rows)[number], axis: number): number => {
    const end = start + step * (count - 1) + Math.sign(step);
    return end < 0 ? -shape[axis]! - 1 : end;
  };
  return { start: rows.map(({ start }) => start), stop: rows.map(stop), step: rows.map(({ step }) => step) };
}

/** Threads share the sums of a product with few rows and a long k. */
const mayShare = (k: number, rows: Shape): boolean => k >= LONG_K && (rows.at(-2) ?? 1) < THIN;

/** slice(f(conv(x))) = f(conv'(x)), where nobody reads the rest. */
export const fewerWindows = rule({
  name: "fewer-windows",
  code: "A_VIEW",
  match(site) {
    const { graph, n } = site;
    if (n.op !== "slice" || n.type.shape.includes(0)) return null;
    const full = node(graph, n.inputs[0]!).type.shape;
    const axes = sliceAxes(n.attrs, full);
    const chain = axes.every(({ step }) => step === 1) ? convolutionAt(site) : null;
    if (!chain) return null;
    const rank = windowAxes(chain.at(-1)!.attrs).length;
    if (axes.some(({ count }, axis) => axis < full.length - rank && count !== full[axis])) return null;
    const wanted = chain.map((op, at) =>
      standsBeside(graph.nodes, op, chain[at + 1], rank, full)
        ? withCounts(op, full.slice(-rank), n.type.shape.slice(-rank))
        : null,
    );
    if (!wanted.every((op) => op !== null)) return null;
    const starts = axes.slice(-rank).map(({ start }) => start);
    return { full, wanted, starts, nodes: [n.id, ...chain.map(({ id }) => id)] };
  },
  replace({ planner, rewriter, graph, n }, { wanted, starts }) {
    const ops = [...wanted.slice(0, -1), narrowed(graph.nodes, wanted.at(-1)!, starts)];
    return withTop(planner, rewriter, n, ops.toReversed(), [], []);
  },
  because: ({ graph, n }, { full, wanted }) =>
    `Of the ${showShape(full)} values of ${nameOf(graph, wanted[0]!.id)} only ${showShape(n.type.shape)} are wanted. ${nameOf(graph, n.id)} becomes part of its padding, and the others are never computed.`,
});

/** What computes a convolution that nothing else reads: ops that know a channel at most beside it, views, the product, the window. */
function convolutionAt({ planner, rewriter, graph, n: slice }: Site): readonly Node[] | null {
  const chain: Node[] = [];
  let products = 0;
  for (let id = slice.inputs[0]!; chain.length < MAX_CHAIN;) {
    const n = node(graph, id);
    if (rewriter.readersOf(id).size !== 1 || planner.isOutput(id)) return null;
    chain.push(n);
    const { kind } = opDef(n.op);
    if (n.op === "window") return products === 1 ? chain : null;
    if (kind === "contraction") {
      products++;
      id = n.inputs[1]!;
    } else if (n.op === "reshape") id = n.inputs[0]!;
    else {
      const wide = n.inputs.filter((input) => (node(graph, input).type.shape.at(-1) ?? 1) > 1);
      if (kind !== "elementwise" || wide.length !== 1) return null;
      id = wide[0]!;
    }
  }
  return null;
}

/** Whether what an elementwise op reads beside the chain is the same in every window. */
function standsBeside(
  nodes: ReadonlyMap<NodeId, Node>,
  op: Node,
  next: Node | undefined,
  rank: number,
  full: Shape,
): boolean {
  const windows = sameShape(op.type.shape.slice(-rank), full.slice(-rank)) ? rank : 1;
  const same = (id: NodeId): boolean =>
    nodes
      .get(id)!
      .type.shape.slice(-windows)
      .every((extent) => extent === 1);
  return opDef(op.op).kind !== "elementwise" || op.inputs.every((id) => id === next!.id || same(id));
}

/** Ops of a chain at most. */
const MAX_CHAIN = 16;

/** The op over so many windows instead, which are its last axes, or all together its last one; null where they are neither. */
function withCounts(op: Node, before: Shape, after: Shape): Node | null {
  const { shape } = op.type;
  const rank = before.length;
  const apart = shape.length > rank && sameShape(shape.slice(-rank), before);
  if (!apart && shape.at(-1) !== sizeOf(before)) return null;
  const counts = apart ? [...shape.slice(0, -rank), ...after] : [...shape.slice(0, -1), sizeOf(after)];
  const attrs = op.op === "reshape" ? { ...op.attrs, shape: counts } : op.attrs;
  return { ...op, attrs, type: { ...op.type, shape: counts } };
}

/** The window of the shape that it already has, from window number `starts` on. */
function narrowed(nodes: ReadonlyMap<NodeId, Node>, window: Node, starts: readonly number[]): Node {
  const axes = windowAxes(window.attrs);
  const rank = axes.length;
  const counts = window.type.shape.slice(-rank);
  const { shape } = nodes.get(window.inputs[0]!)!.type;
  const before = axes.map((axis, i) => axis.before - starts[i]! * axis.stride);
  const after = axes.map((axis, i) => {
    const extent = shape[shape.length - rank + i]!;
    const spread = extent === 0 ? 0 : (extent - 1) * axis.interior + 1;
    return (counts[i]! - 1) * axis.stride + reachOf(axis) - spread - before[i]!;
  });
  return { ...window, attrs: { ...window.attrs, padding: [...before, ...after] } };
}

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

/** Whether the matrix is another one with rows and columns swapped. */
function swapped({ op, attrs, type }: Node): boolean {
  const rank = type.shape.length;
  return op === "transpose" && permOf(attrs, rank).join() === lastSwapped(rank).join();
}
