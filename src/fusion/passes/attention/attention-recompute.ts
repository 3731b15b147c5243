/**
 * @file The backward pass of attention reads the shares of each row again. They are not saved: the matmuls are computed again inside
 * the kernels that need them, tile by tile, and the row's maximum and sum, which the forward pass keeps, turn scores into shares at once.
 */
import { bytesOf, isSource, node, type NodeId, type Patch, type Region, type Verdict, type Work } from "../../ir";
import { isRefusal } from "../../cost";
import { classifyOnline } from "../../kernel";
import type { Answer, Candidate, FusionPass } from "../driver/define";
import { costOf, legalMerge, patchOf } from "../driver/merge";
import { onlineProfitability, regionsOf } from "../profitability/online-profitability";
import { overBudgetAs } from "../profitability/memory-limits";
import { storedApart } from "../profitability/stored-apart";
import { workOf } from "../profitability/weigh";
import { oneKernelWork } from "./attention";
import { between } from "./attention-parts";
import type { Planner } from "../driver/planner";
import { openRewriter, type Rewriter } from "../driver/rewriter";
import { isLate } from "../saved/partition";
import { rewriteCandidate } from "../driver/rewriting";
import { recomputedNodes, type RecomputedNodes } from "./attention-recompute-nodes";
import { findRecomputations, type Recomputation } from "./attention-recompute-match";
import { nameOf, namesOf, showBytes, subjectOf, yes } from "../driver/sentences";
import { policyOnContraction } from "../profitability/profitability";
import { titled } from "../catalogue";

export const attentionRecompute: FusionPass = {
  ...titled("tiles-again"),
  *match(planner) {
    const rewriter = openRewriter(planner);
    for (const recomputation of findRecomputations(planner, rewriter))
      yield* recompute(planner, rewriter, recomputation);
  },
  legal: (planner, candidate) =>
    rewritten(planner, candidate, () => {
      for (const region of candidate.add) {
        const facts = planner.facts(region);
        if (!isRefusal(facts)) continue;
        const form = classifyOnline(planner.graph, region.members, region.outputs);
        return form.ok ? facts : form.verdict;
      }
      const legal = legalMerge(planner, candidate, true);
      return legal.ok ? candidate.rewrite!.verdict : legal;
    }),
  cost(planner, candidate) {
    const { apart, alone } = forwards.get(candidate)!;
    const delta = rewritten(planner, candidate, () => costOf(planner, candidate));
    return { ...delta, apart: together(delta.apart, apart), fused: together(delta.fused, alone) };
  },
  profitability(planner, candidate, delta) {
    const [scores, ...sinks] = candidate.nodes;
    const doing = `Recomputing ${nameOf(planner.graph, scores!)} inside the kernels of ${namesOf(planner.graph, sinks)}`;
    const policy = policyOnContraction(planner, candidate);
    const stored = forwards.get(candidate)?.stored ?? null;
    const asRewritten = <T>(ask: () => T): T => rewritten(planner, candidate, ask);
    const opinion = policy ?? asRewritten(() => onlineProfitability(planner, candidate, delta, doing, stored));
    return (opinion.ok ? overBudgetAs(planner, candidate, asRewritten) : null) ?? opinion;
  },
  apply: (_planner, candidate) => patchOf(candidate),
};

const rewritten = <T>(planner: Planner, candidate: Candidate, ask: () => T): T =>
  planner.supposing(patchOf(candidate), ask);

/** The forward pass of the same attention: what is saved for the backward pass decides how it may be computed, too. */
interface Forward {
  /** As it is, and where nothing but numbers of a row are saved of it: in one kernel, or with its scores stored. */
  readonly apart: Work;
  readonly alone: Work;
  /** The least that both passes take where the scores are stored; null where no kernels can be merged. */
  readonly stored: Work | null;
}

const forwards = new WeakMap<Candidate, Forward>();

function forwardOf(
  planner: Planner,
  rewriter: Rewriter,
  { scores, values }: Recomputation,
  remove: readonly Region[],
): Forward {
  const found = between(planner, rewriter, values)!;
  const taken = new Set(remove.map(({ id }) => id));
  const regions = regionsOf(planner, rewriter, [scores, ...found.mods, ...found.core, values]);
  const own = regions.filter(({ id }) => !taken.has(id));
  const apart = workOf(planner, own);
  const ways = [oneKernelWork(planner, rewriter, found), storedApart(planner, own) ?? apart];
  const alone = ways.reduce((best, each) => (each && (!best || each.micros < best.micros) ? each : best), null)!;
  return { apart, alone, stored: storedApart(planner, [...own, ...remove]) };
}

const together = (a: Work, b: Work): Work => ({
  micros: a.micros + b.micros,
  bytes: a.bytes + b.bytes,
  launches: a.launches + b.launches,
});

function* recompute(
  planner: Planner,
  rewriter: Rewriter,
  recomputation: Recomputation,
): Generator<Candidate, void, Answer> {
  const made = recomputedNodes(planner, rewriter, recomputation);
  const patch = patchFor(planner, rewriter, made);
  const nodes = [recomputation.scores, ...made.homes];
  const verdict = explain(planner, recomputation);
  const along = recomputation.sinks.flatMap(({ id, chain }) => [...chain.keys(), id]);
  const candidate = rewriteCandidate(planner, "tiles-again", nodes, { patch, verdict }, [...new Set(along)]);
  forwards.set(candidate, forwardOf(planner, rewriter, recomputation, candidate.remove));
  const { accepted } = yield candidate;
  if (!accepted) return;
  rewriter.applied(patch);
  planner.reorder();
}

/** What is made goes into the kernels that read it: a copy for each. */
function patchFor(planner: Planner, rewriter: Rewriter, { made, changed, gone, homes }: RecomputedNodes): Patch {
  const change = rewriter.replaced(gone, [...made, ...changed]);
  const copies = new Map(made.map((n) => [n.id, n]));
  const patch = rewriter.patchOf({ ...change, ownRegions: made.filter((n) => !isSource(n)).map(({ id }) => id) });
  const inputsOf = new Map([...made, ...changed].map(({ id, inputs }) => [id, inputs]));
  const needed = (members: readonly NodeId[]): NodeId[] => {
    const found = new Set(members);
    for (const id of found) for (const input of inputsOf.get(id) ?? []) if (copies.has(input)) found.add(input);
    return [...found].toSorted((a, b) => planner.position(a, copies) - planner.position(b, copies));
  };
  const own = (region: Region): boolean => region.members.every((id) => copies.has(id));
  const addedRegions = patch.addedRegions
    .filter((region) => !own(region))
    .map((region) =>
      homes.some((id) => region.members.includes(id)) ? { ...region, members: needed(region.members) } : region,
    );
  return { ...patch, addedRegions };
}

function explain({ graph }: Planner, { scores, values, sinks }: Recomputation): Verdict {
  const elements = new Set(sinks.flatMap(({ chain }) => [...chain.keys()]));
  const isSaved = (id: NodeId): boolean => !elements.has(id) && !isLate(node(graph, id)) && !isSource(node(graph, id));
  const behind = [...elements].flatMap((id) => (id === scores ? [] : node(graph, id).inputs));
  const products = new Set(sinks.flatMap(({ products: ids }) => ids.flatMap((id) => node(graph, id).inputs)));
  const rows = [...new Set(behind)].filter((id) => isSaved(id) && !products.has(id));
  const bytes = rows.reduce((sum, id) => sum + bytesOf(node(graph, id).type), 0);
  const whole = bytesOf(node(graph, scores).type);
  const saved =
    rows.length === 0
      ? ""
      : ` With ${namesOf(graph, rows)} of each row saved (${showBytes(bytes)}), each element follows from its score alone.`;
  const readers = subjectOf(
    graph,
    sinks.map(({ id }) => id),
    "needs",
    "need",
  );
  const text = `${readers} the elements of ${nameOf(graph, scores)} again, after ${nameOf(graph, values)}.${saved} So each tile can be recomputed where it is multiplied, and no matrix of ${showBytes(whole)} is saved.`;
  const nodes = [scores, ...sinks.map(({ id }) => id)];
  return yes("A_PATTERN", nodes, text, { numbers: { bytes, bytesOfScores: whole } });
}
