/** @file Finds product → row fold → product by data flow: what lies between two contractions, and a row factor that can wait. */
import { node, nodeId, type Graph, type Node, type NodeId } from "../ir";
import { opDef } from "../ops";
import type { Planner } from "./planner";
import type { NodeChange, Rewriter } from "./rewriter";

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
  /** `where(is_nan(share), 0, share)`, which says the same of all shares of a row. */
  readonly guard: { readonly test: NodeId; readonly choice: NodeId } | null;
}

/** A walk further back than this is no attention. */
const FURTHEST = 64;

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
  const folded = dependents(planner, behind, folds);
  // A sum of the same weights that only the result divides by is folded along.
  for (const id of [...folded, ...fromScores]) {
    for (const reader of rewriter.readersOf(id))
      if (opDef(node(graph, reader).op).kind === "reduce") folded.add(reader);
  }
  const inOrder = (ids: Iterable<NodeId>): NodeId[] => [...ids].toSorted((a, b) => planner.position(a) - planner.position(b)); // prettier-ignore
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
    if (found.size > FURTHEST) return null;
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

/** Ops that a factor of the row may be moved across. */
const TRANSPARENT: ReadonlySet<string> = new Set(["dropout", "identity", "neg"]);

function rowFactor(
  planner: Planner,
  rewriter: Rewriter,
  values: NodeId,
  folded: ReadonlySet<NodeId>,
): RowFactor | null {
  const { graph } = planner;
  let n = node(graph, node(graph, values).inputs[0]!);
  while (TRANSPARENT.has(n.op)) n = node(graph, n.inputs[0]!);
  const guard = guardOf(graph, n);
  if (guard) n = node(graph, guard.share);
  if (n.op !== "div" && n.op !== "mul") return null;
  const [a, b] = [n.inputs[0]!, n.inputs[1]!];
  const isRow = (id: NodeId): boolean => {
    const shape = node(graph, id).type.shape;
    return folded.has(id) && shape.length >= 2 && shape.at(-1) === 1 && n.type.shape.at(-1) !== 1;
  };
  if (guard) {
    const alone = rewriter.readersOf(guard.test).size === 1 && !planner.isOutput(guard.test);
    return alone && isRow(b) && sharesAreNumbers(graph, n) ? { share: n.id, weight: a, row: b, guard } : null;
  }
  if (isRow(b)) return { share: n.id, weight: a, row: b, guard };
  return n.op === "mul" && isRow(a) ? { share: n.id, weight: b, row: a, guard } : null;
}

/** `where(is_nan(share), 0, share)`: exporters write it for rows that a mask hides wholly. */
function guardOf(graph: Graph, choice: Node): { test: NodeId; choice: NodeId; share: NodeId } | null {
  if (choice.op !== "where") return null;
  const [test, zero, share] = choice.inputs.map((id) => node(graph, id)) as [Node, Node, Node];
  const guards =
    test.op === "is_nan" && test.inputs[0] === share.id && zero.op === "const" && Number(zero.attrs["value"]) === 0;
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
  const { share, weight, row, guard } = factor!;
  const product = nodeId(`${values}~sum`);
  const result = node(graph, values);
  const divided = node(graph, share);
  const moved = guard?.choice ?? share;
  const chain: Node[] = [];
  let left = result.inputs[0]!;
  for (let id = left; id !== moved; id = node(graph, id).inputs[0]!) {
    const n = node(graph, id);
    chain.push(n.inputs[0] === moved ? { ...n, inputs: [weight, ...n.inputs.slice(1)] } : n);
  }
  if (left === moved) left = weight;
  const origins = [...new Set([...result.origins, ...divided.origins])];
  const sum: Node = { ...result, id: product, inputs: [left, result.inputs[1]!], label: `${result.label} before ${divided.op === "div" ? "division" : "scaling"}`, origins }; // prettier-ignore
  const last: Node = { ...result, op: divided.op, attrs: divided.attrs, inputs: [product, row], origins };
  if (!guard) return { gone: [share], after: [...chain, sum, last], born: [[product, values]], product };
  const unguarded = { ...last, id: nodeId(`${values}~unguarded`), label: `${result.label} before its guard` };
  const [test, choice] = [node(graph, guard.test), node(graph, guard.choice)];
  const zero = choice.inputs[1]!;
  const asked: Node = { ...test, id: nodeId(`${values}~guard`), op: "gt", label: "gt", inputs: [row, zero], type: { ...test.type, shape: node(graph, row).type.shape } }; // prettier-ignore
  const guarded: Node = { ...result, op: choice.op, attrs: choice.attrs, inputs: [asked.id, unguarded.id, zero], origins: [...new Set([...origins, ...choice.origins])] }; // prettier-ignore
  return {
    gone: [share, test.id, choice.id],
    after: [...chain, sum, asked, unguarded, guarded],
    born: [[product, values], [asked.id, values], [unguarded.id, values]], // prettier-ignore
    product,
  };
}
