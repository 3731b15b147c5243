/**
 * @file Transposes move through elementwise ops until they meet and cancel, a border becomes the window's own padding, and a slice of a product is cut from its operand.
 * @about transpose, window, pad: it removes the first and joins the other two.
 */
import { madeFor, node, sameShape, sizeOf, type Attrs, type Graph, type Node, type NodeId, standingOf } from "../../ir";
import { numberOf, numbersOf, opDef, permOf, withDefaults } from "../../ops";
import type { Planner } from "../driver/planner";
import { rulesPass } from "../driver/rewriting";
import { operandOf, rule } from "../driver/rule";
import { inWords, nameOf, namesOf, no, STRICT_OFF } from "../driver/sentences";
import { rounds } from "../driver/strict-order";
import { fewerWindows, rowsFirst } from "./slices-first";
import { treeBelow, withTop, type Beside, type Tree } from "./tree-below";
import { titled } from "../catalogue";

/** transpose(f(transpose(a), b)) = f(a', b'), when fewer transposes are left; f may fold and scan axes that it keeps. */
const transposesMeet = rule({
  name: "transposes-meet",
  code: "A_VIEW",
  match({ planner, rewriter, graph, n }) {
    if (n.op !== "transpose") return null;
    const { shape } = node(graph, n.inputs[0]!).type;
    const tree = treeBelow(
      planner,
      rewriter,
      n.inputs[0]!,
      (op) => op.type.shape.length === shape.length && keepsAxes(op, shape.length),
    );
    if (!tree || tree.ops.length === 0) return null;
    const perm = permOf(n.attrs, shape.length);
    const transposed = new Map<NodeId, NodeId>();
    const made: Beside[] = [];
    const cancelled: NodeId[] = [];
    const undone: NodeId[] = [];
    for (const leaf of tree.leaves) {
      const l = node(graph, leaf);
      const wide = l.type.shape.filter((extent) => extent > 1).length;
      if (sizeOf(l.type.shape) === 1 && l.type.shape.length <= shape.length) transposed.set(leaf, leaf);
      else if (l.op === "transpose" && cancels(graph.nodes, l, perm) && sameShape(l.type.shape, shape)) {
        transposed.set(leaf, l.inputs[0]!);
        if (
          [...rewriter.readersOf(leaf)].every((reader) => tree.ops.some(({ id }) => id === reader)) &&
          !planner.isOutput(leaf)
        )
          undone.push(leaf);
        cancelled.push(leaf);
      } else if (wide === 1) {
        const reader = firstReader(planner, tree, leaf);
        const view = standing(graph, reader, l, perm, made);
        made.push({ made: view, beside: reader.id });
        transposed.set(leaf, view.id);
      } else return null;
    }
    const through = tree.ops.map(({ id }) => id);
    const nodes = [n.id, ...cancelled, ...through];
    return cancelled.length === 0 ? null : { tree, perm, transposed, made, cancelled, undone, through, nodes };
  },
  refuse({ planner, graph, n }, { through }) {
    const folds = planner.options.strict ? through.filter((id) => rounds(graph, id)) : [];
    if (folds.length === 0) return null;
    const text = `Along another axis of memory ${namesOf(graph, folds)} may be added up in another order, which may change the last bits, and strict mode keeps them.`;
    return no("L_STRICT", [n.id, ...folds], text, STRICT_OFF);
  },
  replace({ planner, rewriter, n }, { tree, perm, transposed, made, undone }) {
    const ops = tree.ops.map((op): Node => ({
      ...op,
      inputs: op.inputs.map((input) => transposed.get(input) ?? input),
      attrs: { ...op.attrs, ...axesMoved(op, perm) },
      type: { ...op.type, shape: perm.map((axis) => op.type.shape[axis]!) },
    }));
    return withTop(planner, rewriter, n, ops, made, undone);
  },
  because({ graph, n }, { tree, through, cancelled }) {
    const alone = tree.ops.every(({ op }) => opDef(op).kind === "elementwise");
    const how = alone ? "element by element" : "along any axis";
    return `${nameOf(graph, n.id)} undoes what ${namesOf(graph, cancelled)} transposed, and ${namesOf(graph, through)} in between ${through.length === 1 ? "works" : "work"} ${how}: ${inWords(cancelled.length + 1)} transposes fewer.`;
  },
});

/** The result has all axes of the operands, so that the op can work on them in another order. */
function keepsAxes({ op, attrs }: Node, rank: number): boolean {
  const { kind, reduce } = opDef(op);
  if (kind === "elementwise" || kind === "scan") return true;
  if (!reduce || attrs["keepdims"] !== true) return false;
  // In another order of several axes their elements are counted otherwise.
  const shape = Array.from({ length: rank }, () => 1);
  return !reduce.arg || reduce.axes(attrs, shape).length === 1;
}

/** The axes that it works along, where axis `i` of its operand and result becomes the one that stood at `perm[i]`. */
function axesMoved({ op, attrs }: Node, perm: readonly number[]): Attrs {
  const { reduce, scan } = opDef(op);
  const shape = perm.map(() => 1);
  if (reduce) return { axes: reduce.axes(attrs, shape).map((axis) => perm.indexOf(axis)) };
  return scan ? { axis: perm.indexOf(scan.axis(attrs, shape)) } : {};
}

/** The transpose `inner`, then `perm`, leaves everything where it was. */
function cancels(nodes: ReadonlyMap<NodeId, Node>, inner: Node, perm: readonly number[]): boolean {
  const first = permOf(inner.attrs, nodes.get(inner.inputs[0]!)!.type.shape.length);
  return perm.every((axis, i) => first[axis] === i);
}

/** The op of the tree that stands first in the text among the readers of `leaf`. */
const firstReader = (planner: Planner, { ops }: Tree, leaf: NodeId): Node =>
  ops
    .filter(({ inputs }) => inputs.includes(leaf))
    .toSorted((a, b) => planner.position(a.id) - planner.position(b.id))[0]!;

/** A value along one axis, standing along the axis that this one becomes: a view, which may show a view of an earlier transpose. */
function standing(graph: Graph, n: Node, leaf: Node, perm: readonly number[], others: readonly Beside[]): Node {
  const at = standingOf(graph, n);
  const isTaken = (id: NodeId): boolean => graph.nodes.has(id) || others.some(({ made }) => made.id === id);
  let [count, own] = [0, madeFor(at, "view0")];
  while (isTaken(own.id)) own = madeFor(at, `view${++count}`);
  const shape = [...Array.from({ length: perm.length - leaf.type.shape.length }, () => 1), ...leaf.type.shape];
  const transposed = perm.map((axis) => shape[axis]!);
  const attrs = withDefaults(opDef("reshape"), { shape: transposed });
  return {
    ...n,
    ...own,
    op: "reshape",
    inputs: [leaf.id],
    attrs,
    type: { ...leaf.type, shape: transposed },
    label: leaf.label,
  };
}

/** window(pad(x)) is a window with a wider padding of its own. */
const ownPadding = rule({
  name: "own-padding",
  code: "A_VIEW",
  match(site) {
    const { graph, n } = site;
    const border = n.op === "window" ? operandOf(site) : null;
    if (border?.op !== "pad" || (border.attrs["mode"] ?? "constant") !== "constant") return null;
    const x = node(graph, border.inputs[0]!);
    const rank = numbersOf(n.attrs["kernel_size"]).length;
    const lead = x.type.shape.length - rank;
    if (numbersOf(n.attrs["interior"]).some((step) => step > 1)) return null;
    const given = numbersOf(n.attrs["padding"]);
    const own = Array.from({ length: 2 * rank }, (_, i) =>
      given.length === 0 ? 0 : given.length === 1 ? given[0]! : (given[given.length === 2 * rank ? i : i % rank] ?? 0),
    );
    const values = [n, border].map(({ attrs }) => numberOf(attrs["value"], 0));
    if (values[0] !== values[1] && own.some((width) => width !== 0)) return null;
    const pads = numbersOf(border.attrs["pads"]);
    const sides = x.type.shape.map((_, axis) =>
      [0, 1].map((side) => pads[2 * (x.type.shape.length - 1 - axis) + side] ?? 0),
    );
    if (sides.slice(0, lead).some(([before, after]) => before !== 0 || after !== 0)) return null;
    if (sides.flat().some((width) => width < 0) || own.some((width) => width < 0)) return null;
    const padding = [0, 1].flatMap((side) => sides.slice(lead).map((axis, i) => axis[side]! + own[side * rank + i]!));
    return { x, border, padding, value: values[1]!, nodes: [n.id, border.id] };
  },
  replace: ({ rewriter, n }, { x, padding, value }) =>
    rewriter.become({ ...n, inputs: [x.id], attrs: { ...n.attrs, padding, value } }),
  because: ({ graph, n }, { x, border }) =>
    `${nameOf(graph, border.id)} only pads ${nameOf(graph, x.id)}, and ${nameOf(graph, n.id)} can pad while it reads: no padded copy is written.`,
});

export const movementAlgebra = rulesPass(titled("movement-algebra"), [
  transposesMeet,
  ownPadding,
  rowsFirst,
  fewerWindows,
]);
