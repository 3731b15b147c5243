/** @file A product that is only folded along one of its sides is folded tile by tile while it is made, and never stored. */
import { node, sizeOf, type Graph, type Node, type NodeId, type Region, type Verdict } from "../ir";
import { opDef } from "../ops";
import { classifyOnline, isFreeView } from "../kernel";
import type { Answer, Candidate, FusionPass } from "./driver/define";
import { costOf, edgesOf, legalMerge, mergeCandidate, NOTHING, patchOf } from "./driver/merge";
import { onlineProfitability, regionsOf } from "./profitability/online-profitability";
import type { Planner } from "./driver/planner";
import { rounds } from "./driver/strict-order";
import { openRewriter, type Rewriter } from "./driver/rewriter";
import { maskedGatherOf } from "./rows/gather-by-mask";
import { distributeSum, type DistributedSum } from "./rows/distribute-sum";
import { joinedBy, mergedRegion } from "./driver/merged-rewrite";
import { nameOf, namesOf, no, STRICT_OFF, yes } from "./driver/sentences";
import { policyOnContraction } from "./profitability/profitability";
import { titled } from "./catalogue";
import { SEARCH_LIMIT } from "./driver/use-def";

export const contractReduce: FusionPass = {
  ...titled("contract-reduce"),
  judgesStrict: true,
  *match(planner) {
    const rewriter = openRewriter(planner);
    const products = [...planner.graph.nodes.values()].filter(({ op }) => opDef(op).kind === "contraction");
    for (const { id } of products.toSorted((a, b) => planner.position(a.id) - planner.position(b.id))) {
      const folded = foldsOf(planner, rewriter, id);
      if (!folded) continue;
      const apart = distributeSum(planner, rewriter, id, folded);
      if (!apart) yield* foldTiles(planner, rewriter, id, folded);
      else yield* rewriteAndFold(planner, rewriter, { product: id, folded, apart });
    }
  },
  legal: (planner, candidate) => withRewrite(planner, candidate, () => legalFold(planner, candidate)),
  cost: (planner, candidate) => withRewrite(planner, candidate, () => costOf(planner, candidate)),
  profitability(planner, candidate, delta) {
    const [product, ...folds] = candidate.nodes;
    const doing = `Reducing each tile of ${nameOf(planner.graph, product!)} into ${namesOf(planner.graph, folds)} in registers`;
    const policy = policyOnContraction(planner, candidate);
    return policy ?? withRewrite(planner, candidate, () => onlineProfitability(planner, candidate, delta, doing));
  },
  apply: (_planner, candidate) => patchOf(candidate),
};

const withRewrite = <T>(planner: Planner, { rewrite }: Candidate, ask: () => T): T =>
  rewrite ? planner.supposing(rewrite.patch, ask) : ask();

function legalFold(planner: Planner, candidate: Candidate): Verdict {
  const { add, rewrite, into, nodes } = candidate;
  const whole = add.find(({ id }) => id === into)!;
  const form = classifyOnline(planner.graph, whole.members, whole.outputs);
  if (!form.ok) return form.verdict;
  const summed = nodes.slice(1).find((id) => rounds(planner.graph, id));
  if (planner.options.strict && summed !== undefined) return reordered(planner, candidate, summed);
  const verdict = legalMerge(planner, candidate, true);
  if (!verdict.ok) return verdict;
  const text = explain(planner, candidate);
  return { ...verdict, text: rewrite ? `${rewrite.verdict.text} ${text}` : text };
}

const reordered = ({ graph }: Planner, { nodes }: Candidate, summed: NodeId): Verdict =>
  no(
    "L_STRICT",
    nodes,
    `${nameOf(graph, summed)} would add the tiles of ${nameOf(graph, nodes[0]!)} in another order, which may change the last bits, and strict mode forbids that.`,
    STRICT_OFF,
  );

function explain(planner: Planner, { nodes }: Candidate): string {
  const [product, ...folds] = nodes;
  const shape = node(planner.graph, product!).type.shape.join("×");
  const order = folds.some((id) => rounds(planner.graph, id))
    ? " The sums are taken in another order, which may change their last bits."
    : " Maxima and minima do not depend on the order.";
  return `Each tile of ${nameOf(planner.graph, product!)} goes into ${namesOf(planner.graph, folds)} while it is in registers, so the ${shape} values are never stored.${order}`;
}

interface Streamed {
  readonly product: NodeId;
  /** What lies between it and the last fold of its rows, in text order. */
  readonly folded: readonly NodeId[];
  readonly apart: DistributedSum;
}

/** Values of the whole row leave the sums, and the tiles are folded, in one step: between the two, more would be stored. */
function* rewriteAndFold(planner: Planner, rewriter: Rewriter, streamed: Streamed): Generator<Candidate, void, Answer> {
  const { product, folded, apart } = streamed;
  const group = regionsOf(planner, rewriter, [product, ...folded]);
  const id = rewriter.regionsOf(folded.at(-1)!)[0]!;
  if (group.length < 2) return;
  const rewritten = rewriter.patchOf(apart.change);
  const whole = planner.supposing(rewritten, () => mergedRegion(planner, rewriter, group, rewritten, id));
  const nodes = [product, ...folded.filter((fold) => isFold(planner, node(planner.graph, fold), product))];
  const edges = edgesOf(planner, [product, ...folded]);
  const verdict = yes("A_PATTERN", nodes, leaving(planner, apart));
  const candidate: Candidate = {
    rule: "fold-tiles",
    kind: "graph",
    edges,
    nodes,
    ...joinedBy(planner, rewriter, rewritten, group, whole),
    rewrite: { patch: NOTHING, verdict },
  };
  const patch = { ...rewritten, removedRegions: candidate.remove, addedRegions: candidate.add };
  if (!planner.supposing(rewritten, () => ofRowSize(planner, whole, nodes))) return;
  if (candidate.add.some((region) => region.id !== id && storesMore(planner, region))) return;
  if (!(yield { ...candidate, rewrite: { patch, verdict } }).accepted) return;
  rewriter.applied(patch);
  planner.reorder();
}

function leaving({ graph }: Planner, { sums, rows }: DistributedSum): string {
  const [names, known] = [namesOf(graph, sums), namesOf(graph, rows)];
  if (rows.length === 0)
    return `${names} takes one element of each row: a comparison with the index finds it while the row is computed.`;
  const [are, they] = rows.length === 1 ? ["is", "it"] : ["are", "they"];
  return `${known} ${are} the same for a whole row, so ${they} may be taken out of the sum: Σ c·(x − r) = Σ c·x − r·Σ c. What ${names} then adds up needs only the elements, so it can be added tile by tile.`;
}

function* foldTiles(
  planner: Planner,
  rewriter: Rewriter,
  product: NodeId,
  folded: readonly NodeId[],
): Generator<Candidate, void, Answer> {
  const group = regionsOf(planner, rewriter, [product, ...folded]);
  const folds = folded.filter((id) => isFold(planner, node(planner.graph, id), product));
  const id = rewriter.regionsOf(folds.at(-1)!)[0]!;
  if (group.length < 2 || !group.some((region) => region.id === id)) return;
  const about = { edges: edgesOf(planner, [product, ...folded]), nodes: [product, ...folds], id };
  const candidate = mergeCandidate(planner, "fold-tiles", group, about);
  if (!ofRowSize(planner, candidate.add[0]!, folds)) return;
  if ((yield candidate).accepted) rewriter.applied(patchOf(candidate));
}

/** A kernel that goes on, and has to store what only it had read: then the rewrite only moves the traffic. */
function storesMore(planner: Planner, { id, outputs }: Region): boolean {
  const before = planner.regions.get(id)?.outputs;
  return before !== undefined && outputs.some((output) => !before.includes(output));
}

/** Only what has one value a row is stored. */
function ofRowSize({ graph }: Planner, { outputs }: Region, folds: readonly NodeId[]): boolean {
  const sizes = new Set(folds.map((fold) => sizeAt(graph, fold)));
  return outputs.every((output) => sizes.has(sizeAt(graph, output)));
}

const sizeAt = (graph: Graph, id: NodeId): number => sizeOf(node(graph, id).type.shape);

/** What lies between a product and the folds of its rows, folds included, in text order; null where it is not folded. */
function foldsOf(planner: Planner, rewriter: Rewriter, product: NodeId): NodeId[] | null {
  const { graph } = planner;
  const found = new Set<NodeId>();
  const open = [...rewriter.readersOf(product)];
  const passesOn = (n: Node): boolean => {
    const { kind } = opDef(n.op);
    return kind === "elementwise" || kind === "random" || isFreeView(n) || isFold(planner, n, product);
  };
  while (open.length > 0 && found.size <= SEARCH_LIMIT) {
    const n = node(graph, open.pop()!);
    if (found.has(n.id) || !passesOn(n)) continue;
    found.add(n.id);
    open.push(...rewriter.readersOf(n.id));
  }
  // Only what a fold needs: everything else that reads the product stays where it is.
  const inOrder = [...found].toSorted((a, b) => planner.position(a) - planner.position(b));
  const needed = new Set<NodeId>();
  for (const id of inOrder.toReversed()) {
    const n = node(graph, id);
    if (!isFold(planner, n, product) && !needed.has(id)) continue;
    needed.add(id);
    for (const input of n.inputs) if (found.has(input)) needed.add(input);
  }
  return needed.size === 0 ? null : inOrder.filter((id) => needed.has(id));
}

/** Does it fold rows of values as many as the product's, or take one element of each? */
function isFold(planner: Planner, n: Node, product: NodeId): boolean {
  const { kind } = opDef(n.op);
  const whole = (id: NodeId): boolean => sizeAt(planner.graph, id) === sizeAt(planner.graph, product);
  if (kind === "reduce") return whole(n.inputs[0]!);
  const pick = kind === "gather" ? maskedGatherOf(planner, n) : null;
  return pick !== null && whole(pick.rows.id);
}
