/** @file What every pass that rewrites nodes shares: a proposal becomes a candidate, is tried, and stays if nothing travels further for it. */
import { extended, isSource, type NodeId, type Verdict } from "../../ir";
import { isRefusal } from "../../cost";
import type { Answer, Candidate, FusionPass, Rewrite } from "./define";
import { costOf, edgesOf, NOTHING, patchOf } from "./merge";
import type { Planner } from "./planner";
import { openRewriter, type Rewriter } from "./rewriter";
import { type AnyRule, firstFitting, isCost, type Proposal } from "./rule";
import { bothWays, bytesOfWays, movesLess, NO_MICROS, settledBy, timeOf, weigh } from "../profitability/weigh";
import { no, yes } from "./sentences";
import { ordersOf, rewrittenInOtherOrder } from "./strict-order";
import { forcing } from "../profitability/profitability";

type Judged = Omit<FusionPass, "legal" | "cost" | "profitability" | "apply">;

const PROMISES: Record<FusionPass["numerics"], string> = {
  bitwise: "The values stay bit for bit what they were.",
  reassociates: "The same values by algebra; the last bits may differ by rounding.",
};

/** A pass of rewrites: whoever proposes says why, and each is tried on the whole plan before it is made. */
export const rewritingPass = (pass: Judged): FusionPass => ({
  ...pass,
  legal(planner, candidate) {
    const verdict = candidate.rewrite!.verdict;
    if (!verdict.ok && !isCost(verdict)) return verdict;
    const promised = yes("A_PATTERN", candidate.nodes, PROMISES[pass.numerics]);
    return noKernel(planner, candidate) ?? (verdict.ok ? extended(verdict, { text: promised.text }) : promised);
  },
  cost: (planner, candidate) => planner.supposing(patchOf(candidate), () => costOf(planner, candidate)),
  profitability(planner, candidate, delta) {
    const verdict = candidate.rewrite!.verdict;
    if (!verdict.ok) return { ...forcing(planner, candidate), ...verdict };
    const { apart, fused } = delta;
    const numbers = { bytesSaved: apart.bytes - fused.bytes, launchesSaved: apart.launches - fused.launches };
    const ways = bothWays(candidate, delta);
    const bytes = bytesOfWays(fused, apart);
    const { alike = false, timed = false } = candidate.rewrite!;
    if (fused.bytes > apart.bytes && !timed) {
      const text = `${verdict.text} But then the value goes through memory between two kernels: ${bytes}. Computing it where it is needed moves less.`;
      return no("C_NEGATIVE", candidate.nodes, text, {
        numbers,
        weighed: weigh("bytes", ways),
        ...forcing(planner, candidate),
      });
    }
    if (fused.micros > apart.micros + NO_MICROS && !alike) {
      const text = `${verdict.text} But the kernels as rewritten take longer: ${timeOf(fused, apart)}.`;
      return no("C_NEGATIVE", candidate.nodes, text, {
        numbers,
        weighed: weigh("time", ways),
        ...forcing(planner, candidate),
      });
    }
    const less = fused.bytes < apart.bytes;
    const faster = fused.micros < apart.micros - NO_MICROS;
    return extended(verdict, {
      text: movesLess(fused, apart) ? `${verdict.text} The kernels that change move ${bytes}.` : verdict.text,
      numbers,
      weighed: faster ? weigh("time", ways) : less ? weigh("bytes", ways) : settledBy("algebra", ways, true),
    });
  },
  apply: (_planner, candidate) => patchOf(candidate),
});

/** Why what the rewrite leaves of a region is no kernel, or in strict mode not one that adds up as before; null when all are. */
export function noKernel(planner: Planner, { add, remove, rewrite }: Candidate): Verdict | null {
  const orders = planner.options.strict ? ordersOf(planner, remove) : null;
  return planner.supposing(rewrite!.patch, () => {
    for (const region of add) {
      const facts = planner.facts(region);
      if (isRefusal(facts)) return facts;
    }
    return rewrittenInOtherOrder(planner, add, orders);
  });
}

/** A candidate that rewrites nodes, and with them the regions that the patch names; `along`: the path it lights up. */
export function rewriteCandidate(
  planner: Planner,
  rule: string,
  nodes: readonly NodeId[],
  rewrite: Rewrite,
  along = nodes,
): Candidate {
  return {
    rule,
    kind: "graph",
    edges: edgesOf(planner, along),
    nodes,
    remove: rewrite.patch.removedRegions,
    add: rewrite.patch.addedRegions,
    into: null,
    merged: [],
    rewrite,
  };
}

/** Puts a proposal before the driver; answers whether it was made. */
export function* propose(
  planner: Planner,
  rewriter: Rewriter,
  { rule, change, verdict, nodes, alike = false, timed = false }: Proposal,
): Generator<Candidate, boolean, Answer> {
  const patch = change ? rewriter.patchOf(change) : NOTHING;
  const { accepted } = yield rewriteCandidate(planner, rule, nodes, { patch, verdict, alike, timed });
  if (accepted) rewriter.applied(patch);
  return accepted;
}

/** Whether the kernel that computes a node takes longer than so many launches: what takes as many can't pay otherwise. */
export function outlasts(planner: Planner, { regionsOf }: Rewriter, id: NodeId, launches: number): boolean {
  const [region] = regionsOf(id);
  if (region === undefined) return false;
  return planner.factsOf(planner.region(region)).time.micros > launches * planner.profile.launchMicros;
}

/** Rules of single ops, until none fits; a node is looked at again when an operand changed. */
export function* untilNoneFits(
  planner: Planner,
  rewriter: Rewriter,
  rules: readonly AnyRule[],
): Generator<Candidate, void, Answer> {
  const { graph } = planner;
  const queue = [...graph.nodes.keys()];
  const waiting = new Set(queue);
  for (let i = 0; i < queue.length; i++) {
    const id = queue[i]!;
    waiting.delete(id);
    const n = graph.nodes.get(id);
    if (!n || isSource(n)) continue;
    const proposal = firstFitting(rules, { planner, rewriter, graph, n });
    if (!proposal) continue;
    const around = [id, ...rewriter.readersOf(id)];
    if (!(yield* propose(planner, rewriter, proposal))) continue;
    for (const again of around) {
      if (waiting.has(again) || !graph.nodes.has(again)) continue;
      waiting.add(again);
      queue.push(again);
    }
  }
}

/** A pass that is a list of rules. */
export const rulesPass = (pass: Omit<Judged, "match">, rules: readonly AnyRule[]): FusionPass =>
  rewritingPass({
    ...pass,
    match: (planner) => untilNoneFits(planner, openRewriter(planner), rules),
  });
