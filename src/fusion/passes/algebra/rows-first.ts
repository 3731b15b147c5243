/**
 * @file A slice of a product's rows is a product of fewer rows: they are left out before it, and what is not wanted is never computed.
 * @about slice: it is moved before the matmul.
 */
import { madeFor, node, sameShape, showShape, type Node, type Shape } from "../../ir";
import { opDef, sliceAxes, withDefaults } from "../../ops";
import { LONG_K, THIN } from "../../region";
import type { Planner } from "../planner";
import type { Rewriter } from "../rewriter";
import { rule } from "../rule";
import { nameOf, no, STRICT_OFF } from "../sentences";
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
  replace({ planner, rewriter, n }, { axes, tree, product, a, w }) {
    const owner = planner.isOutput(n.id) && tree.ops.length === 0 ? n : product;
    const wanted: Node = {
      ...owner,
      ...madeFor(owner, "rows"),
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
