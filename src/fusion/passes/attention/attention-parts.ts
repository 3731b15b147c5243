/**
 * @file Finds product → row fold → product by data flow: what lies between two contractions, and a row factor that can wait.
 * @about where, is_nan, exp, sum, max, sub, div: a guard against NaN that exporters write, and the softmax whose shares are numbers.
 */
import { type Graph, node, type Node, type NodeId, valueOfLiteral, madeFor, standingOf } from "../../ir";
import { algebraOf, isDivision, isMultiplication, isProduct, linearGroups, opDef } from "../../ops";
import type { Planner } from "../driver/planner";
import type { NodeChange, Rewriter } from "../driver/rewriter";
import { SEARCH_LIMIT } from "../driver/use-def";

export interface Between {
  readonly scores: NodeId;
  readonly values: NodeId;
  /** Elementwise work on the scores before any fold. */
  readonly mods: readonly NodeId[];
  /** Folds of the row, what follows from them, and what else folds the same values. */
  readonly core: readonly NodeId[];
  /** `share = weight / row`: a factor of the whole row inside the second product's left operand. */
  readonly factor: RowFactor | null;
}

interface RowFactor {
  readonly share: NodeId;
  readonly weight: NodeId;
  readonly row: NodeId;
  /** What stands between the second product and the share, the last first: each with the operand that leads to the share. */
  readonly path: readonly (readonly [NodeId, number])[];
  /** `where(is_nan(share), 0, share)`, which says the same of all shares of a row. */
  readonly guard: { readonly test: NodeId; readonly choice: NodeId } | null;
  /** The 0 that the path puts instead of some shares. */
  readonly zero: NodeId | null;
}

/** What lies between `values` and the contraction behind its left operand, with a fold among it; null where there is none. */
export function between(planner: Planner, rewriter: Rewriter, values: NodeId): Between | null {
  const { graph } = planner;
  const behind = walkBack(planner, node(graph, values).inputs[0]!);
  if (!behind) return null;
  const products = behind.filter((id) => opDef(node(graph, id).op).kind === "contraction");
  const scores = products.at(-1);
  if (scores === undefined || products.length > 1) return null;
  const fromScores = dependents(planner, behind, new Set([scores]));
  const folds = new Set([...fromScores].filter((id) => opDef(node(graph, id).op).kind === "reduce"));
  if (folds.size === 0) return null;
  // What the shares multiply is known before them: shares that multiply themselves are no attention.
  if (walkBack(planner, node(graph, values).inputs[1]!)?.some((id) => fromScores.has(id))) return null;
  const folded = dependents(planner, behind, folds);
  // A sum of the same weights that only the result divides by is folded along.
  for (const id of [...folded, ...fromScores]) {
    for (const reader of rewriter.readersOf(id))
      if (opDef(node(graph, reader).op).kind === "reduce") folded.add(reader);
  }
  const inOrder = (ids: Iterable<NodeId>): NodeId[] =>
    [...ids].toSorted((a, b) => planner.position(a) - planner.position(b));
  return {
    scores,
    values,
    mods: inOrder([...fromScores].filter((id) => id !== scores && !folded.has(id))),
    core: inOrder(folded),
    factor: rowFactor(planner, rewriter, values, folded),
  };
}

/** Nodes behind `from` up to contractions and memory, in text order; null when there are too many. */
function walkBack(planner: Planner, from: NodeId): NodeId[] | null {
  const { graph } = planner;
  const found = new Set<NodeId>();
  const open = [from];
  while (open.length > 0) {
    const id = open.pop()!;
    const n = node(graph, id);
    const { kind } = opDef(n.op);
    if (found.has(id) || kind === "source") continue;
    found.add(id);
    if (found.size > SEARCH_LIMIT) return null;
    if (kind === "elementwise" || kind === "random" || kind === "reduce" || kind === "movement") open.push(...n.inputs);
  }
  return [...found].toSorted((a, b) => planner.position(a) - planner.position(b));
}

/** Of `among`, what depends on `roots`, themselves included. */
function dependents(planner: Planner, among: readonly NodeId[], roots: ReadonlySet<NodeId>): Set<NodeId> {
  const found = new Set(among.filter((id) => roots.has(id)));
  for (const id of among) if (node(planner.graph, id).inputs.some((input) => found.has(input))) found.add(id);
  return found;
}

const isZero = (n: Node): boolean => valueOfLiteral(n) === 0;

function rowFactor(
  planner: Planner,
  rewriter: Rewriter,
  values: NodeId,
  folded: ReadonlySet<NodeId>,
): RowFactor | null {
  const { graph } = planner;
  const path: [NodeId, number][] = [];
  let zero: NodeId | null = null;
  let n = node(graph, node(graph, values).inputs[0]!);
  for (let operand = across(graph, n, folded); operand !== null; operand = across(graph, n, folded)) {
    path.push([n.id, operand]);
    if (n.op === "where") zero = n.inputs[3 - operand]!;
    n = node(graph, n.inputs[operand]!);
  }
  const guard = guardOf(graph, n);
  if (guard) n = node(graph, guard.share);
  if (!isProduct(algebraOf(n.op))) return null;
  const [a, b] = [n.inputs[0]!, n.inputs[1]!];
  const isRow = (id: NodeId): boolean => folded.has(id) && isRowOf(graph, id, n);
  if (guard || zero !== null) {
    const alone = !guard || (rewriter.readersOf(guard.test).size === 1 && !planner.isOutput(guard.test));
    return alone && isRow(b) && sharesAreNumbers(graph, n)
      ? { share: n.id, weight: a, row: b, path, guard, zero }
      : null;
  }
  if (isRow(b)) return { share: n.id, weight: a, row: b, path, guard, zero };
  return isMultiplication(algebraOf(n.op)) && isRow(a) ? { share: n.id, weight: b, row: a, path, guard, zero } : null;
}

/** One value a row, where `n` has a row of them. */
function isRowOf(graph: Graph, id: NodeId, n: Node): boolean {
  const { shape } = node(graph, id).type;
  return shape.length >= 2 && shape.at(-1) === 1 && n.type.shape.at(-1) !== 1;
}

/** The operand that a factor of the row may be taken out of, through `n`; null where it ends. */
function across(graph: Graph, n: Node, folded: ReadonlySet<NodeId>): number | null {
  const { kind } = opDef(n.op);
  if (kind !== "elementwise" && kind !== "random") return null;
  const groups = linearGroups(algebraOf(n.op));
  if (n.inputs.length === 1) return groups.length > 0 ? 0 : null;
  const inside = n.inputs.flatMap((id, operand) => (folded.has(id) ? [operand] : []));
  const [only] = inside;
  if (only === undefined || inside.length > 1 || isRowOf(graph, n.inputs[only]!, n)) return null;
  const others = groups.find((group) => group.includes(only))?.filter((operand) => operand !== only);
  return others?.every((operand) => isZero(node(graph, n.inputs[operand]!))) ? only : null;
}

/** `where(is_nan(share), 0, share)`: exporters write it for rows that a mask hides wholly. */
function guardOf(graph: Graph, choice: Node): { test: NodeId; choice: NodeId; share: NodeId } | null {
  if (choice.op !== "where") return null;
  const [test, zero, share] = choice.inputs.map((id) => node(graph, id)) as [Node, Node, Node];
  const guards = test.op === "is_nan" && test.inputs[0] === share.id && isZero(zero);
  return guards ? { test: test.id, choice: choice.id, share: share.id } : null;
}

/**
 * `exp(x − max x) / Σ exp(x − max x)`: one exponential is 1, none is larger, so the sum is at least 1 where it is a number.
 * Then every share is one; where it is none, no share of the row is.
 */
function sharesAreNumbers(graph: Graph, share: Node): boolean {
  const [weight, row] = share.inputs.map((id) => node(graph, id)) as [Node, Node];
  if (share.op !== "div" || weight.op !== "exp" || row.op !== "sum" || row.inputs[0] !== weight.id) return false;
  const shifted = node(graph, weight.inputs[0]!);
  const peak = shifted.op === "sub" ? node(graph, shifted.inputs[1]!) : null;
  return peak?.op === "max" && peak.inputs[0] === shifted.inputs[0];
}

/**
 * Σ (e / l)·v = (Σ e·v) / l: the product takes the weights as they are, the row's factor is applied to its results.
 * What guards the shares asks the row instead and guards the results: a sum of shares that are numbers is at least 1. (Folded
 * beside a running maximum, the sum of a hidden row is 0 where the row as written has none: both are not above 0.)
 */
export function divideLast(planner: Planner, { values, factor }: Between): NodeChange & { readonly product: NodeId } {
  const { graph } = planner;
  const { share, weight, row, guard, path, zero } = factor!;
  const result = node(graph, values);
  const standing = madeFor(standingOf(graph, result), "sum");
  const product = standing.id;
  const divided = node(graph, share);
  const chain = path.map(([id, operand], i) => {
    const n = node(graph, id);
    return i === path.length - 1 ? { ...n, inputs: n.inputs.with(operand, weight) } : n;
  });
  const left = chain[0]?.id ?? weight;
  const origins = [...new Set([...result.origins, ...divided.origins])];
  const sum: Node = {
    ...result,
    ...standing,
    inputs: [left, result.inputs[1]!],
    label: `${result.label}_before_${isDivision(algebraOf(divided.op)) ? "division" : "scaling"}`,
    origins,
  };
  const last: Node = { ...result, op: divided.op, attrs: divided.attrs, inputs: [product, row], origins };
  if (!guard && zero === null)
    return { gone: [share], after: [...chain, sum, last], inserted: [[product, values]], product };
  const none = guard ? node(graph, guard.choice).inputs[1]! : zero!;
  const [asked, unguarded] = [
    madeFor(standingOf(graph, result), "guard"),
    madeFor(standingOf(graph, result), "unguarded"),
  ];
  const test: Node = {
    ...result,
    ...asked,
    op: "gt",
    attrs: {},
    label: "gt",
    inputs: [row, none],
    type: { ...node(graph, row).type, dtype: "bool" },
    origins,
  };
  const quotient: Node = { ...last, ...unguarded, label: `${result.label}_before_its_guard` };
  const guarded: Node = {
    ...result,
    op: "where",
    attrs: {},
    inputs: [asked.id, unguarded.id, guard ? none : product],
    origins,
  };
  return {
    gone: guard ? [share, guard.test, guard.choice] : [share],
    after: [...chain, sum, test, quotient, guarded],
    inserted: [
      [product, values],
      [asked.id, values],
      [unguarded.id, values],
    ],
    product,
  };
}
