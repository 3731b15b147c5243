/** @file P4: a product that is only folded along one of its sides is folded tile by tile while it is made, and never stored. */
import { node, sizeOf, type Graph, type NodeId, type Verdict } from "../ir";
import { opDef } from "../ops";
import { classifyOnline, isFreeView } from "../region";
import type { Answer, Candidate, FusionPass } from "./define";
import { costOf, edgesOf, legalMerge, mergeCandidate, patchOf } from "./merge";
import { onlineWorth, regionsOf } from "./online-worth";
import type { Planner } from "./planner";
import { openRewriter, type Rewriter } from "./rewriter";
import { nameOf, namesOf, no } from "./words";
import { policyOnContraction } from "./worth";

export const contractReduce: FusionPass = {
  name: "contract-reduce",
  title: "Folding a product while it is made",
  teaches: "contract-reduce",
  summary: "Takes maxima and sums of a product tile by tile, so that the product itself is never stored.",
  numerics: "bitwise",
  *match(planner) {
    const rewriter = openRewriter(planner);
    const products = [...planner.graph.nodes.values()].filter(({ op }) => opDef(op).kind === "contraction");
    for (const { id } of products.toSorted((a, b) => planner.position(a.id) - planner.position(b.id))) {
      const folded = foldsOf(planner, rewriter, id);
      if (folded) yield* foldTiles(planner, rewriter, id, folded);
    }
  },
  legal(planner, candidate) {
    const whole = candidate.add[0]!;
    const form = classifyOnline(planner.graph, whole.members, whole.outputs);
    if (!form.ok) return form.verdict;
    const summed = candidate.nodes.slice(1).find((id) => !KEEPS_ROUNDING.has(node(planner.graph, id).op));
    if (planner.options.strict && summed !== undefined) return reordered(planner, candidate, summed);
    const verdict = legalMerge(planner, candidate, true);
    return verdict.ok ? { ...verdict, text: atTheBoard(planner, candidate) } : verdict;
  },
  cost: costOf,
  worth(planner, candidate, delta) {
    const [product, ...folds] = candidate.nodes;
    const doing = `Folding each tile of ${nameOf(planner.graph, product!)} into ${namesOf(planner.graph, folds)} at once`;
    return policyOnContraction(planner, candidate) ?? onlineWorth(planner, candidate, delta, doing);
  },
  apply: (_planner, candidate) => patchOf(candidate),
};

/** Folds that give the same result in any order. */
const KEEPS_ROUNDING: ReadonlySet<string> = new Set(["max", "min", "any", "all"]);

const reordered = ({ graph }: Planner, { nodes }: Candidate, summed: NodeId): Verdict =>
  no(
    "L_STRICT",
    nodes,
    `${nameOf(graph, summed)} would add the tiles of ${nameOf(graph, nodes[0]!)} in another order, which may change the last bits, and strict mode keeps it.`,
    { wayOut: "Switch strict mode off." },
  );

function atTheBoard(planner: Planner, { nodes }: Candidate): string {
  const [product, ...folds] = nodes;
  const shape = node(planner.graph, product!).type.shape.join("×");
  return `Maxima and sums may be taken in any order: a tile of ${nameOf(planner.graph, product!)} goes into ${namesOf(planner.graph, folds)} while it is in registers, and the ${shape} values need not exist.`;
}

function* foldTiles(
  planner: Planner,
  rewriter: Rewriter,
  product: NodeId,
  folded: readonly NodeId[],
): Generator<Candidate, void, Answer> {
  const group = regionsOf(planner, rewriter, [product, ...folded]);
  const folds = folded.filter((id) => opDef(node(planner.graph, id).op).kind === "reduce");
  const id = rewriter.regionsOf(folds.at(-1)!)[0]!;
  if (group.length < 2 || !group.some((region) => region.id === id)) return;
  const about = { edges: edgesOf(planner, [product, ...folded]), nodes: [product, ...folds], id };
  const candidate = mergeCandidate(planner, "fold-tiles", group, about);
  const rowsOnly = candidate.add[0]!.outputs.every((output) => folds.some((fold) => sizeAt(planner.graph, output) === sizeAt(planner.graph, fold))); // prettier-ignore
  if (!rowsOnly) return;
  if ((yield candidate).accepted) rewriter.applied(patchOf(candidate));
}

const sizeAt = (graph: Graph, id: NodeId): number => sizeOf(node(graph, id).type.shape);

/** A walk further than this leads elsewhere. */
const FURTHEST = 64;

/** What lies between a product and the folds of it, folds included, in text order; null where it is not folded. */
function foldsOf(planner: Planner, rewriter: Rewriter, product: NodeId): NodeId[] | null {
  const { graph } = planner;
  const found = new Set<NodeId>();
  const open = [...rewriter.readersOf(product)];
  const passesOn = ({ op, id }: { op: string; id: NodeId }): boolean => {
    const { kind } = opDef(op);
    return kind === "elementwise" || kind === "random" || kind === "reduce" || isFreeView(node(graph, id));
  };
  while (open.length > 0 && found.size <= FURTHEST) {
    const n = node(graph, open.pop()!);
    if (found.has(n.id) || !passesOn(n)) continue;
    found.add(n.id);
    if (opDef(n.op).kind !== "reduce" || hasOnlineReader(graph, rewriter, n.id)) open.push(...rewriter.readersOf(n.id));
  }
  // Only what a fold needs: everything else that reads the product stays where it is.
  const inOrder = [...found].toSorted((a, b) => planner.position(a) - planner.position(b));
  const needed = new Set<NodeId>();
  for (const id of inOrder.toReversed()) {
    const n = node(graph, id);
    const isFold = opDef(n.op).kind === "reduce";
    if (!isFold && !needed.has(id)) continue;
    needed.add(id);
    for (const input of n.inputs) if (found.has(input)) needed.add(input);
  }
  return needed.size === 0 ? null : inOrder.filter((id) => needed.has(id));
}

/** A maximum that is taken out of the values it was folded from: the walk goes on behind it. */
function hasOnlineReader(graph: Graph, rewriter: Rewriter, fold: NodeId): boolean {
  return [...rewriter.readersOf(fold)].some((reader) => {
    const n = node(graph, reader);
    return isFreeView(n) || (n.op === "sub" && sizeAt(graph, reader) > sizeAt(graph, fold));
  });
}
