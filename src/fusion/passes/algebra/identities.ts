/**
 * @file Exact laws of single ops: neutral operands, double negations, views of views, constants.
 * @about transpose, where: two transposes are one, and a choice by what is not so is the other choice.
 */
import {
  madeFor,
  type Graph,
  isLiteral,
  literalOf,
  node,
  type Node,
  type NodeId,
  sameShape,
  sizeOf,
  standingOf,
} from "../../ir";
import { algebraOf, isNegation, opDef, permOf } from "../../ops";
import { affineView, isFreeView } from "../../kernel";
import type { Rewriter } from "../driver/rewriter";
import { type AnyRule, firstFitting, operandOf, type Proposal, replacedBy, rule, type Site } from "../driver/rule";
import { nameOf, namesOf, no, STRICT_OFF } from "../driver/sentences";

const sameType = (a: Node, b: Node): boolean => a.type.dtype === b.type.dtype && sameShape(a.type.shape, b.type.shape);

/** x + 0, x · 1 … */
const neutral = rule({
  name: "neutral",
  match({ graph, n }) {
    const law = opDef(n.op).scalar?.neutral;
    if (!law || n.inputs.length !== 2) return null;
    const [a, b] = [n.inputs[0]!, n.inputs[1]!];
    const { value } = law;
    const x = literalOf(graph, b) === value ? a : law.operands.includes(0) && literalOf(graph, a) === value ? b : null;
    return x !== null && sameType(node(graph, x), n) ? { law, x, nodes: [n.id, x] } : null;
  },
  refuse({ planner, graph, n }, { law, x, nodes }) {
    if (!law.changesZero || !planner.options.strict || n.type.dtype === "i32") return null;
    const text = `${nameOf(graph, n.id)} ${law.says} ${nameOf(graph, x)}: −0 + 0 is +0, so this is not ${nameOf(graph, x)} bit for bit, and strict mode keeps the addition.`;
    return no("L_STRICT", nodes, text, STRICT_OFF);
  },
  replace: (site, { x }) => replacedBy(site, x),
  because({ graph, n }, { law, x: id }) {
    const x = nameOf(graph, id);
    const said = law.says.endsWith("1") ? `${law.says.replace(/ by 1$/, "")} ${x} by 1` : `${law.says} ${x}`;
    return `${nameOf(graph, n.id)} ${said}. That is ${x} itself, so the op is gone.`;
  },
});

/** f(f(x)) is x, or f(x). */
const doubled = rule({
  name: "double",
  match(site) {
    const { graph, n } = site;
    const inner = n.inputs.length === 1 ? operandOf(site) : null;
    const { involution, idempotent } = opDef(n.op).algebra ?? {};
    if (inner?.op !== n.op || !(involution || idempotent)) return null;
    const x = involution ? inner.inputs[0]! : inner.id;
    const [outer, first, left] = [n.id, inner.id, x].map((id) => nameOf(graph, id));
    const text = involution
      ? `${outer} undoes ${first}: both are gone and ${left} is left.`
      : `${first} is ${idempotent} already, so a second ${n.op} changes nothing.`;
    return { x, text, nodes: [n.id, x] };
  },
  replace: (site, { x }) => replacedBy(site, x),
  because: (_, { text }) => text,
});

/** (−a) · (−b) is a · b, (−a) / (−b) is a / b, (−a)² is a²: where a power is even, the sign is gone. */
const signsCancel = rule({
  name: "signs-cancel",
  match(site) {
    const { graph, n } = site;
    const { powers } = algebraOf(n.op);
    // −(−2³¹) is −2³¹: a quotient of whole numbers may need its sign.
    if (!powers || n.type.dtype === "i32") return null;
    const negated = n.inputs.map((_, at) => isNegation(algebraOf(operandOf(site, at).op)));
    const power = powers.reduce((sum, each, at) => sum + (negated[at] ? each : 0), 0);
    if (!negated.includes(true) || power % 2 !== 0) return null;
    const signs = [...new Set(n.inputs.filter((_, at) => negated[at]))];
    const inputs = n.inputs.map((input, at) => (negated[at] ? node(graph, input).inputs[0]! : input));
    return { signs, inputs, nodes: [n.id, ...signs] };
  },
  replace: ({ rewriter, n }, { inputs }) => rewriter.become({ ...n, inputs }),
  because: ({ graph, n }, { signs, inputs }) =>
    `The ${signs.length === 1 ? "sign" : "signs"} of ${namesOf(graph, signs)} cancel in ${nameOf(graph, n.id)}, so it reads ${namesOf(graph, inputs)} directly.`,
});

/** a where c is not true, else b, is b where c is true, else a. */
const otherChoice = rule({
  name: "other-choice",
  match(site) {
    const { graph, n } = site;
    if (n.op !== "where") return null;
    const test = operandOf(site);
    const [c] = test.inputs.map((input) => node(graph, input));
    const isNot = test.inputs.length === 1 && algebraOf(test.op).involution && c!.type.dtype === "bool";
    return isNot && sameType(c!, test) ? { test, c: c!, nodes: [n.id, test.id] } : null;
  },
  replace({ rewriter, n }, { c }) {
    const [, a, b] = n.inputs;
    return rewriter.become({ ...n, inputs: [c.id, b!, a!] });
  },
  because: ({ graph, n }, { test, c }) =>
    `${nameOf(graph, n.id)} chooses by the opposite of ${nameOf(graph, c.id)}: with its two values exchanged it reads ${nameOf(graph, c.id)} itself, without ${nameOf(graph, test.id)}.`,
});

/** Casts to the type it has, reshapes to the shape it has, whole slices, `identity`. */
const nothingMoves = rule({
  name: "no-op",
  code: "A_VIEW",
  match(site) {
    const { graph, n } = site;
    const x = n.inputs.length === 1 ? operandOf(site) : null;
    if (!x || !sameType(x, n)) return null;
    const { movement, algebra } = opDef(n.op);
    const idle = movement ? isFreeView(n) || standsStill(graph, n) : algebra?.sameValue;
    return idle ? { x, moves: movement !== undefined, nodes: [n.id, x.id] } : null;
  },
  replace: (site, { x }) => replacedBy(site, x.id),
  because({ graph, n }, { x, moves }) {
    const what = moves ? "every element stays where it is" : "it has that type and value already";
    return `${nameOf(graph, n.id)} changes nothing about ${nameOf(graph, x.id)}: ${what}.`;
  },
});

/** Each output axis walks the same input axis from 0 in steps of 1: slices of the whole, transposes that keep the order. */
function standsStill(graph: Graph, n: Node): boolean {
  const view = affineView(
    n,
    n.inputs.map((input) => node(graph, input).type.shape),
  );
  const walks = (column: readonly number[], axis: number): boolean =>
    n.type.shape[axis] === 1 || column.every((step, from) => step === (from === axis ? 1 : 0));
  return view !== null && view.base.every((start) => start === 0) && view.columns.every(walks);
}

/** Values that a fold of one element has to leave as they are: an op that squares or counts doesn't. */
const PROBES = [-2.5, 0, 3];

/** Sums, means, maxima … over axes of one element are that element. */
const foldOfOne = rule({
  name: "fold-of-one",
  code: "A_VIEW",
  match(site) {
    const { planner, n } = site;
    const { reduce } = opDef(n.op);
    if (!reduce || reduce.arg || planner.isOutput(n.id)) return null;
    const x = operandOf(site);
    if (x.type.dtype !== n.type.dtype || sizeOf(x.type.shape) !== sizeOf(n.type.shape) || sizeOf(n.type.shape) === 0)
      return null;
    const folded = (value: number): number => {
      const all = reduce.combine.js(reduce.identity(x.type.dtype), reduce.map ? reduce.map.js(value) : value);
      return reduce.finish ? reduce.finish.js(all, 1) : all;
    };
    // A sum of −0 alone is +0.
    const isX =
      PROBES.every((value) => folded(value) === value) && (!planner.options.strict || Object.is(folded(-0), -0));
    return isX ? { x, nodes: [n.id, x.id] } : null;
  },
  replace: ({ rewriter, n }, { x }) =>
    rewriter.become({ ...n, op: "reshape", inputs: [x.id], attrs: { shape: n.type.shape } }),
  because: ({ graph, n }, { x }) =>
    `${nameOf(graph, n.id)} reduces axes of one element: it is ${nameOf(graph, x.id)} in another shape.`,
});

const viewOfView = rule({
  name: "view-of-view",
  code: "A_VIEW",
  match(site) {
    const { graph, n } = site;
    const inner = isFreeView(n) ? operandOf(site) : null;
    if (!inner || !isFreeView(inner)) return null;
    const x = node(graph, inner.inputs[0]!);
    const undone = sameType(x, n);
    return { inner, x, undone, nodes: [n.id, undone ? x.id : inner.id] };
  },
  replace: (site, { x, undone }) =>
    undone
      ? replacedBy(site, x.id)
      : site.rewriter.become({ ...site.n, op: "reshape", inputs: [x.id], attrs: { shape: site.n.type.shape } }),
  because: ({ graph, n }, { inner, x }) =>
    `${nameOf(graph, n.id)} reshapes what ${nameOf(graph, inner.id)} reshaped: one view of ${nameOf(graph, x.id)} does both.`,
});

const transposedTwice = rule({
  name: "double-transpose",
  code: "A_VIEW",
  match(site) {
    const { n } = site;
    const inner = n.op === "transpose" ? operandOf(site) : null;
    if (inner?.op !== "transpose") return null;
    const [outer, first] = [n, inner].map(({ attrs, type }) => permOf(attrs, type.shape.length)) as [
      number[],
      number[],
    ];
    const perm = outer.map((axis) => first[axis]!);
    const x = inner.inputs[0]!;
    const undone = perm.every((axis, i) => axis === i);
    return { inner, x, perm, undone, nodes: [n.id, undone ? x : inner.id] };
  },
  replace: (site, { x, perm, undone }) =>
    undone ? replacedBy(site, x) : site.rewriter.become({ ...site.n, inputs: [x], attrs: { perm, dim1: null } }),
  because({ graph, n }, found) {
    const [outer, inner, x] = [n.id, found.inner.id, found.x].map((id) => nameOf(graph, id));
    return found.undone
      ? `${outer} undoes ${inner}: both are removed, and ${x} is read directly.`
      : `${inner === outer ? `Two ${inner}` : `${inner} and ${outer}`} transpose one after the other: one transpose of ${x} does both.`;
  },
});

/** What the op gives of these literals, in f64; null where one is unknown, or the answer is no finite number. */
function computed(n: Node, literals: readonly (number | null)[]): number | null {
  if (!literals.every((each) => each !== null)) return null;
  const value = opDef(n.op).scalar!.js(literals, n.attrs);
  return Number.isFinite(value) ? value : null;
}

const shortened = (value: number): number => Number(value.toPrecision(6));
const isArithmetic = ({ planner, n }: Site): boolean =>
  opDef(n.op).kind === "elementwise" && n.inputs.length > 0 && !planner.isOutput(n.id);

/** Arithmetic on literals alone is done now. */
const constant = rule({
  name: "constant",
  match(site) {
    const { graph, n } = site;
    if (!isArithmetic(site) || n.type.shape.length > 0 || n.type.dtype === "i32") return null;
    const value = computed(
      n,
      n.inputs.map((input) => literalOf(graph, input)),
    );
    return value === null ? null : { value, nodes: [n.id] };
  },
  replace: ({ rewriter, n }, { value }) => rewriter.become({ ...n, op: "const", inputs: [], attrs: { value } }),
  because: ({ graph, n }, { value }) =>
    `${nameOf(graph, n.id)} has only constants as operands, so it is ${shortened(value)} before anything runs.`,
});

/** The literal that every element of a value is a copy of; null where they are no copies of one. */
function copied(graph: Graph, id: NodeId): number | null {
  let n = node(graph, id);
  for (; n.inputs.length === 1; n = node(graph, n.inputs[0]!)) {
    const { movement } = opDef(n.op);
    if (movement === undefined || movement.fill !== undefined) return null;
  }
  return literalOf(graph, n.id);
}

/** Arithmetic on copies of one number each is done once and now: the result is copies of one number as well. */
const constantCopies = rule({
  name: "constant",
  match(site) {
    const { graph, n } = site;
    if (!isArithmetic(site) || n.type.dtype !== "f32") return null;
    if (n.type.shape.length === 0 || sizeOf(n.type.shape) === 0) return null;
    const value = computed(
      n,
      n.inputs.map((input) => copied(graph, input)),
    );
    return value === null ? null : { value, nodes: [n.id] };
  },
  replace({ graph, rewriter, n }, { value }) {
    const type = { dtype: "f32", shape: [] } as const;
    const literal: Node = {
      ...n,
      ...madeFor(standingOf(graph, n), "value"),
      op: "const",
      inputs: [],
      attrs: { value },
      type,
    };
    const copies: Node = { ...n, op: "expand", inputs: [literal.id], attrs: { shape: n.type.shape } };
    return rewriter.replaced([], [literal, copies]);
  },
  because: ({ graph, n }, { value }) =>
    `Every element of ${nameOf(graph, n.id)} has only constants as operands, so it is ${shortened(value)} before anything runs.`,
});

const identities: readonly AnyRule[] = [
  neutral,
  doubled,
  signsCancel,
  otherChoice,
  nothingMoves,
  foldOfOne,
  viewOfView,
  transposedTwice,
  constant,
  constantCopies,
];

/** The first identity that fits. */
export function identity(site: Site): Proposal | null {
  const { planner, rewriter, graph, n } = site;
  const found = firstFitting(identities, site);
  const shown = planner.isOutput(n.id) || isViewed(graph, rewriter, n.id);
  return found?.change && shown && becomesLiteral(graph, n, found) ? null : found;
}

/** Whether a literal would stand where `n` is. */
const becomesLiteral = (graph: Graph, { id, type }: Node, { rule: name, nodes }: Proposal): boolean =>
  type.shape.length === 0 && (name === "constant" || nodes.some((each) => each !== id && isLiteral(node(graph, each))));

/** Whether views look at it: they, like results, show what is in memory, and a literal is not. */
const isViewed = (graph: Graph, { readersOf }: Rewriter, id: NodeId): boolean =>
  [...readersOf(id)].some((reader) => isFreeView(node(graph, reader)));
