/**
 * @file P3c: a row of a product summed under weights that were multiplied before: Σⱼ (A·Bᵀ)ᵢⱼ wᵢⱼ = Σ_d Aᵢ_d (w·B)ᵢ_d, and w·B is at hand.
 * In the derivative of attention this is the row term D = rowsum(dO ∘ O) (Dao et al. 2022).
 * @about sum: it is written anew over other products.
 */
import { node, sameShape, type Node, type NodeId } from "../../ir";
import { algebraOf, isNegation, isDivision, isMultiplication, opDef } from "../../ops";
import { areTransposed, orderedFrom } from "../../kernel";
import type { Planner } from "../driver/planner";
import type { NodeChange, Rewriter } from "../driver/rewriter";
import { rule, type Site } from "../driver/rule";
import { NodeFactory } from "../saved/node-factory";
import { nameOf, namesOf } from "../driver/sentences";

/** A product of more factors than this is left alone. */
const MAX_FACTORS = 16;

/** A term of the sum, taken apart: `wide` factors, and factors of the whole row, each multiplied or divided by. */
interface Factors {
  readonly wide: readonly NodeId[];
  readonly row: readonly { readonly id: NodeId; readonly op: "mul" | "div" }[];
  readonly negative: boolean;
}

/** The sum over a row through the product that its weights have made already. */
export const rowOfProduct = rule({
  name: "row-of-product",
  match({ planner, rewriter, graph, n }): Found | null {
    const term = n.op === "sum" ? node(graph, n.inputs[0]!) : null;
    if (!term || !isMultiplication(algebraOf(term.op)) || term.type.dtype !== "f32") return null;
    const axes = opDef("sum").reduce!.axes(n.attrs, term.type.shape);
    if (axes.length !== 1 || axes[0] !== term.type.shape.length - 1) return null;
    const product = factorsOf(planner, term, new Set())
      ?.wide.map((id) => undropped(planner, id))
      .find(({ op }) => opDef(op).kind === "contraction");
    if (!product) return null;
    for (const made of alike(planner, rewriter, product)) {
      const weights = node(graph, made.inputs[0]!);
      const factors = factorsOf(planner, term, new Set([product.id, weights.id, undropped(planner, weights.id).id]));
      if (factors && meets(planner, factors, product, weights))
        return { term, product, made, factors, nodes: [product.id, n.id, made.id] };
    }
    return null;
  },
  replace: (site, found) => throughProduct(site, found),
  because({ graph, n }, found) {
    const { product, made } = found;
    const { before, after } = terms(found);
    return `${nameOf(graph, n.id)} adds ${before} products of ${nameOf(graph, product.id)} with weights that ${nameOf(graph, made.id)} has multiplied by the same matrix: Σ (A·Bᵀ)·w = Σ A·(w·B), so ${after} products of ${namesOf(graph, [product.inputs[0]!, made.id])} give the same.`;
  },
  numbers: (_, found) => terms(found),
});

/** Terms of the sum before and after. */
const terms = ({ term, made }: Found): { before: number; after: number } => ({
  before: term.type.shape.at(-1)!,
  after: made.type.shape.at(-1)!,
});

/** What a dropout was applied to, else the node itself. */
function undropped({ graph }: Planner, id: NodeId): Node {
  const n = node(graph, id);
  return opDef(n.op).kind === "random" ? node(graph, n.inputs[0]!) : n;
}

/** Products w·B of the same B, in the shape of A. */
function alike({ graph }: Planner, rewriter: Rewriter, { inputs: [left, right] }: Node): Node[] {
  const shown = new Set([orderedFrom(graph, right!).source]);
  for (const id of shown)
    for (const reader of rewriter.readersOf(id)) if (orderedFrom(graph, reader).source !== reader) shown.add(reader);
  const bases = [...shown].filter((id) => areTransposed(graph, id, right!));
  const { shape } = node(graph, left!).type;
  return bases.flatMap((base) =>
    [...rewriter.readersOf(base)]
      .map((id) => node(graph, id))
      .filter(
        ({ op, inputs, type }) =>
          opDef(op).kind === "contraction" && inputs[1] === base && sameShape(type.shape, shape),
      ),
  );
}

/** `term` as a product; what is in `whole` is not taken apart. Null where it has too many factors. */
function factorsOf({ graph }: Planner, term: Node, whole: ReadonlySet<NodeId>): Factors | null {
  const isRow = (id: NodeId): boolean => (node(graph, id).type.shape.at(-1) ?? 1) === 1;
  const wide: NodeId[] = [];
  const row: { id: NodeId; op: "mul" | "div" }[] = [];
  let negative = false;
  const open = [term.id];
  for (let taken = 0; open.length > 0; taken++) {
    if (taken > MAX_FACTORS) return null;
    const { id, op, inputs } = node(graph, open.pop()!);
    const algebra = algebraOf(op);
    if (isRow(id)) row.push({ id, op: "mul" });
    else if (whole.has(id)) wide.push(id);
    else if (isMultiplication(algebra)) open.push(...inputs);
    else if (isNegation(algebra)) {
      negative = !negative;
      open.push(inputs[0]!);
    } else if (isDivision(algebra) && isRow(inputs[1]!)) {
      row.push({ id: inputs[1]!, op: "div" });
      open.push(inputs[0]!);
    } else wide.push(id);
  }
  return { wide, row, negative };
}

/** Exactly the product and the weights; a dropout may have been applied to either, as it does the same to both. */
function meets({ graph }: Planner, { wide }: Factors, product: Node, weights: Node): boolean {
  if (wide.length !== 2) return false;
  const other = wide.find((id) => id !== product.id);
  if (wide.includes(product.id)) return other === weights.id;
  const dropped = wide.map((id) => node(graph, id)).find(({ inputs }) => inputs[0] === product.id);
  const base = wide.find((id) => id !== dropped?.id);
  return (
    dropped?.op === weights.op &&
    opDef(weights.op).kind === "random" &&
    weights.inputs[0] === base &&
    JSON.stringify(dropped.attrs) === JSON.stringify(weights.attrs)
  );
}

interface Found {
  readonly nodes: readonly NodeId[];
  readonly term: Node;
  readonly product: Node;
  /** The weights' own product. */
  readonly made: Node;
  readonly factors: Factors;
}

function throughProduct({ graph, rewriter, n }: Site, { term, product, made, factors }: Found): NodeChange {
  const late = n.phase === "backward";
  const factory = new NodeFactory(graph, n.id, "row");
  const products = factory.call("mul", [product.inputs[0]!, made.id], {}, term, late);
  const axes = [made.type.shape.length - 1];
  let row = factory.call("sum", [products], { axes, keepdims: true }, n, late);
  for (const { id, op } of factors.row) row = factory.call(op, [row, id], {}, n, late);
  if (factors.negative) row = factory.call("neg", [row], {}, n, late);
  if (n.type.shape.length < term.type.shape.length) factory.call("reshape", [row], { shape: n.type.shape }, n, late);
  const top = factory.made.pop()!;
  const last: Node = {
    ...n,
    op: top.op,
    inputs: top.inputs,
    attrs: top.attrs,
    origins: [...new Set([...n.origins, ...term.origins])],
  };
  return { ...rewriter.replaced([], [...factory.made, last]), ownRegions: factory.computed() };
}
