/** @file Finds what a backward pass needs again of scores that a softmax folds: elements between two products, one for each score. */
import { BETWEEN, dependsOnIndices } from "../driver/with-masks";
import { type Graph, node, type Node, type NodeId, sizeOf } from "../../ir";
import { opDef } from "../../ops";
import { isMatrixTranspose } from "../../kernel";
import { between } from "./attention-parts";
import type { Planner } from "../driver/planner";
import type { Rewriter } from "../driver/rewriter";
import { isLate } from "../saved/partition";
import { SEARCH_LIMIT } from "../driver/use-def";

/** A product of the backward pass that walks over all the scores' elements: by rows of queries, or transposed, by rows of keys. */
export interface Sink {
  readonly id: NodeId;
  /** Which operand has an element for each score. */
  readonly operand: 0 | 1;
  /** Elements between the products and this one, operands first, with whether its rows lie across theirs. */
  readonly chain: ReadonlyMap<NodeId, boolean>;
  /** Contractions that make them. */
  readonly products: readonly NodeId[];
}

/** Scores that a softmax folds on their way to the second product, and who reads them again in the backward pass. */
export interface Recomputation {
  readonly scores: NodeId;
  /** The forward pass's second product. */
  readonly values: NodeId;
  readonly sinks: readonly Sink[];
}

/** All scores whose elements late products read, in text order; each as the graph is when it is asked for. */
export function* findRecomputations(planner: Planner, rewriter: Rewriter): Generator<Recomputation, void> {
  const products = [...planner.graph.nodes.values()].filter(({ op }) => opDef(op).kind === "contraction");
  const inOrder = products.toSorted((a, b) => planner.position(a.id) - planner.position(b.id));
  const walks = new Map(inOrder.filter(isLate).map(({ id }) => [id, walksBack(planner.graph, id)]));
  if (walks.size === 0) return;
  for (const { id } of inOrder) {
    const found = walks.has(id) ? null : between(planner, rewriter, id);
    if (!found) continue;
    const reading = (walk: Sink): boolean => walk.products.includes(found.scores);
    const late = [...walks].filter(([, known]) => known.some(reading));
    // A product whose operands are both made of scores has no rows of its own to walk over.
    const sinks = late
      .map(([each]) => walksBack(planner.graph, each).filter(reading))
      .flatMap((each) => (each.length === 1 ? each : []));
    if (sinks.length > 0) yield { scores: found.scores, values: id, sinks };
  }
}

/** From either operand, as far as the product is still there. */
function walksBack(graph: Graph, id: NodeId): Sink[] {
  const n = graph.nodes.get(id);
  return n ? ([0, 1] as const).flatMap((operand) => walkedBack(graph, n, operand) ?? []) : [];
}

/** Products that make the elements that one more multiplies: a kernel has room for the tiles of so many. */
const MAX_PRODUCTS = 2;

/** What lies between one operand of a late product and the products before it; null where none are, or too many. */
function walkedBack(graph: Graph, { id, inputs }: Node, operand: 0 | 1): Sink | null {
  const top = node(graph, inputs[operand]!);
  const size = sizeOf(top.type.shape);
  if (top.type.shape.length < 2 || top.type.shape.slice(-2).includes(1)) return null;
  const transposes = new Map<NodeId, boolean>();
  const chain: NodeId[] = [];
  const products: NodeId[] = [];
  const open: (readonly [NodeId, boolean])[] = [[top.id, operand === 1]];
  while (open.length > 0) {
    const [at, transposed] = open.pop()!;
    const n = node(graph, at);
    const { kind } = opDef(n.op);
    if (sizeOf(n.type.shape) !== size ? !dependsOnIndices(graph, at) : kind === "source") continue;
    const known = transposes.get(at);
    if ((known !== undefined && known !== transposed) || n.rounded) return null;
    if (known !== undefined) continue;
    if (kind === "contraction") products.push(at);
    else if (BETWEEN.has(kind)) chain.push(at);
    else continue;
    transposes.set(at, transposed);
    if (transposes.size > SEARCH_LIMIT) return null;
    if (kind === "contraction") continue;
    const across = transposed !== (kind === "movement" && isMatrixTranspose(graph, n));
    for (const input of n.inputs) open.push([input, across]);
  }
  if (products.length === 0 || products.length > MAX_PRODUCTS) return null;
  return {
    id,
    operand,
    products,
    chain: new Map([...chain, ...products].map((each) => [each, transposes.get(each)!])),
  };
}
