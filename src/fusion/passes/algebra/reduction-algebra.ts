/** @file P3c: what does not vary along a folded axis is applied to the result, and two folds in a row become one. */
import { node, sameShape, sizeOf, type Node, type NodeId, type Shape, madeFor, standingOf } from "../../ir";
import { algebraOf, isLinearFold, isNegation, isProduct, opDef, withDefaults } from "../../ops";
import type { Planner } from "../driver/planner";
import type { NodeChange } from "../driver/rewriter";
import { rulesPass } from "../driver/rewriting";
import { operandOf, readOnce, rule, type Site } from "../driver/rule";
import { inWords, nameOf } from "../driver/sentences";
import { axisByAxis } from "./axis-by-axis";
import { fewProducts, fewTerms } from "./few-terms";
import { phases } from "./phases";
import { rowOfProduct } from "./row-of-product";
import { diagonalOfProduct } from "./slices-first";
import { windowsAdded } from "./windows-added";
import { titled } from "../catalogue";

const axesOf = (planner: Planner, { op, attrs, inputs }: Node): readonly number[] =>
  opDef(op).reduce!.axes(attrs, node(planner.graph, inputs[0]!).type.shape);

const aligned = (shape: Shape, rank: number): Shape => [
  ...Array.from({ length: rank - shape.length }, () => 1),
  ...shape,
];

/** The operand, where nothing else reads it. */
function privateOperand(site: Site): Node | null {
  const inner = operandOf(site);
  return readOnce(site, inner) ? inner : null;
}

/** Σ c·x = c·Σ x: what does not vary along the folded axes is applied to the result. */
const factorOut = rule({
  name: "factor",
  match(site) {
    const { planner, graph, n } = site;
    if (!isLinearFold(n.op) || n.type.dtype !== "f32") return null;
    const scaled = privateOperand(site);
    const { powers } = algebraOf(scaled?.op ?? n.op);
    const negates = scaled !== null && isNegation(algebraOf(scaled.op));
    if (!scaled || !(negates || isProduct(algebraOf(scaled.op)))) return null;
    const folded = axesOf(planner, n);
    const still = (id: NodeId): boolean => {
      const shape = aligned(node(graph, id).type.shape, scaled.type.shape.length);
      return folded.every((axis) => shape[axis] === 1);
    };
    const whole = (id: NodeId): boolean => {
      const { dtype, shape } = node(graph, id).type;
      return dtype === "f32" && sameShape(shape, scaled.type.shape);
    };
    const at = negates
      ? 1
      : [1, 0].find((i) => still(scaled.inputs[i]!) && whole(scaled.inputs[1 - i]!) && powers?.[1 - i] === 1);
    if (at === undefined || folded.every((axis) => scaled.type.shape[axis] === 1)) return null;
    const factor = scaled.inputs[at] ?? null;
    return { scaled, factor, x: scaled.inputs[1 - at]!, at, folded, nodes: [n.id, scaled.id] };
  },
  replace: ({ planner, n }, found) => outside(planner, n, found),
  because({ graph, n }, { scaled, factor, folded }) {
    const terms = folded.reduce((product, axis) => product * scaled.type.shape[axis]!, 1);
    const what = factor === null ? "the sign" : nameOf(graph, factor);
    return `${nameOf(graph, n.id)} folds ${terms} terms of ${nameOf(graph, scaled.id)}, and ${what} is the same in each: it is applied once to the result, ${sizeOf(n.type.shape)} times instead of ${sizeOf(scaled.type.shape)}.`;
  },
});

interface Factored {
  readonly scaled: Node;
  /** Null: only the sign. */
  readonly factor: NodeId | null;
  readonly x: NodeId;
  /** Which operand the factor is. */
  readonly at: number;
  readonly folded: readonly number[];
}

/** factor · fold(x) under the fold's own name. */
function outside(planner: Planner, n: Node, { scaled, factor, x, at, folded }: Factored): NodeChange {
  const { graph } = planner;
  const fold: Node = { ...n, ...madeFor(standingOf(graph, n), n.op), label: n.op, inputs: [x] };
  const inserted: (readonly [NodeId, NodeId])[] = [[fold.id, n.id]];
  const after: Node[] = [fold];
  const operands = [fold.id];
  if (factor !== null) {
    const { type } = node(graph, factor);
    const rank = scaled.type.shape.length;
    const outer = n.type.shape.length === rank ? type.shape : outerAxes(aligned(type.shape, rank), folded);
    let by = factor;
    if (!sameShape(outer, type.shape)) {
      const standing = madeFor(standingOf(graph, n), "factor");
      by = standing.id;
      const attrs = withDefaults(opDef("reshape"), { shape: outer });
      after.push({
        ...n,
        ...standing,
        op: "reshape",
        inputs: [factor],
        attrs,
        type: { ...type, shape: outer },
        label: "factor",
      });
      inserted.push([by, n.id]);
    }
    operands.splice(at, 0, by);
  }
  after.push({
    ...scaled,
    id: n.id,
    order: n.order,
    label: n.label,
    type: n.type,
    inputs: operands,
    origins: [...new Set([...n.origins, ...scaled.origins])],
    groups: n.groups,
    ...(n.span ? { span: n.span } : {}),
  });
  return { gone: [scaled.id], after, inserted };
}

/** Without the folded axes and without the leading 1s. */
function outerAxes(shape: Shape, folded: readonly number[]): Shape {
  const outer = shape.filter((_, axis) => !folded.includes(axis));
  const first = outer.findIndex((extent) => extent > 1);
  return first < 0 ? [] : outer.slice(first);
}

/** ΣΣ x over one set of axes and then another is Σ x over both. */
const foldOfFold = rule({
  name: "fold-of-fold",
  match(site) {
    const { planner, graph, n } = site;
    if (!algebraOf(n.op).nests) return null;
    const inner = privateOperand(site);
    if (inner?.op !== n.op || inner.type.dtype !== n.type.dtype) return null;
    const x = node(graph, inner.inputs[0]!);
    if (x.type.dtype !== inner.type.dtype) return null;
    const first = axesOf(planner, inner);
    const left = x.type.shape.map((_, axis) => axis).filter((axis) => !first.includes(axis));
    const keeps = inner.type.shape.length === x.type.shape.length;
    const second = axesOf(planner, n).map((axis) => (keeps ? axis : left[axis]!));
    // Outer axes of 1 that the outer fold drops, or the other way round, would change the shape.
    const keepdims = n.type.shape.length === x.type.shape.length;
    const axes = [...new Set([...first, ...second])].toSorted((a, b) => a - b);
    const shape = x.type.shape.flatMap((extent, axis) => (axes.includes(axis) ? (keepdims ? [1] : []) : [extent]));
    return sameShape(shape, n.type.shape) ? { inner, x, axes, keepdims, nodes: [n.id, inner.id] } : null;
  },
  replace: ({ rewriter, n }, { x, axes, keepdims }) =>
    rewriter.become({ ...n, inputs: [x.id], attrs: { ...n.attrs, axes, keepdims } }),
  because: ({ graph, n }, { inner, x, axes }) =>
    `${nameOf(graph, n.id)} folds what ${nameOf(graph, inner.id)} folded: one pass over ${inWords(axes.length)} axes of ${nameOf(graph, x.id)} does both.`,
});

export const reductionAlgebra = rulesPass(titled("reduction-algebra"), [
  diagonalOfProduct,
  rowOfProduct,
  factorOut,
  foldOfFold,
  axisByAxis,
  fewTerms,
  fewProducts,
  phases,
  windowsAdded,
]);
