/** @file Expressions of weights alone: computed once, before the run. */
import { isInput, node, type Node, type NodeId, sizeOf, madeFor } from "../../ir";
import { opDef } from "../../ops";
import type { Answer, Candidate } from "../define";
import type { Proposal } from "../rule";
import type { Planner } from "../planner";
import type { Rewriter } from "../rewriter";
import { propose } from "../rewriting";
import { nameOf, yes } from "../sentences";
import type { Around } from "./affine";
import { MOST_ELEMENTS } from "./constants";
import { openRecipe } from "./recipe";

/** The largest expressions of weights that something else reads. */
export function* knownExpressions(
  planner: Planner,
  rewriter: Rewriter,
  { constants }: Around,
): Generator<Candidate, void, Answer> {
  for (const id of Array.from(planner.graph.nodes.keys())) {
    const n = planner.graph.nodes.get(id);
    if (!n || n.inputs.length === 0 || planner.isOutput(id) || !constants.known(id)) continue;
    const readers = [...rewriter.readersOf(id)];
    if (readers.every((reader) => constants.known(reader))) continue;
    const proposal = ahead(planner, rewriter, n, readers);
    if (proposal) yield* propose(planner, rewriter, proposal);
  }
}

function ahead(planner: Planner, rewriter: Rewriter, n: Node, readers: readonly NodeId[]): Proposal | null {
  const { graph } = planner;
  const recipe = openRecipe(graph, madeFor(n, "folded").id);
  const value = recipe.take(n.id);
  if (n.type.dtype !== "f32" || sizeOf(n.type.shape) > MOST_ELEMENTS) return null;
  const folded = recipe.folded(value, { ...madeFor(n, "known"), label: n.label, origins: n.origins });
  const computes = folded.recipe!.some(({ op }) => ["elementwise", "reduce"].includes(opDef(op).kind));
  if (!computes || !folded.recipe!.some(isInput)) return null;
  const again = readers.map((id) => {
    const reader = node(graph, id);
    return {
      ...reader,
      inputs: reader.inputs.map((input) => (input === n.id ? folded.id : input)),
    };
  });
  const change = rewriter.replaced([n.id], [folded, ...again]);
  const text = `${nameOf(graph, n.id)} depends on weights alone, so it is computed once, before the run, and every run reads the result.`;
  return { rule: "known", change, verdict: yes("A_PATTERN", [n.id], text), nodes: [n.id, ...readers.slice(0, 3)] };
}
