/**
 * @file Product → softmax → product becomes one kernel, by algebra and not by name: the division by the row's sum waits until
 * the end, the row's maximum and sum run along, and the scores are computed tile by tile where they are needed.
 */
import {
  node,
  sizeOf,
  type Alternative,
  type NodeId,
  type Patch,
  type Region,
  type Verdict,
  type Work,
} from "../../ir";
import { isRefusal } from "../../cost";
import { algebraOf, isDivision, opDef } from "../../ops";
import { classifyOnline, neededBy } from "../../kernel";
import { between, divideLast, type Between } from "./attention-parts";
import { withMasks } from "../driver/with-masks";
import type { Answer, Candidate, CostDelta, FusionPass, Opinion } from "../driver/define";
import { costOf, edgesOf, legalMerge, mergeCandidate, NOTHING, patchOf } from "../driver/merge";
import type { Planner } from "../driver/planner";
import { openRewriter, type Rewriter } from "../driver/rewriter";
import { storedApart } from "../profitability/stored-apart";
import { onlineProfitability, regionsOf } from "../profitability/online-profitability";
import { rewriteCandidate } from "../driver/rewriting";
import { mergedRegion } from "../driver/merged-rewrite";
import { choosing, timeOf, workOf } from "../profitability/weigh";
import { nameOf, namesOf, no, pairOf, showBytes, yes } from "../driver/sentences";
import { forcedAnyway, leftSeparate, policyOnContraction } from "../profitability/profitability";
import { titled } from "../catalogue";

export const attention: FusionPass = {
  ...titled("attention"),
  *match(planner) {
    const rewriter = openRewriter(planner);
    const products = [...planner.graph.nodes.values()].filter(({ op }) => opDef(op).kind === "contraction");
    for (const { id } of products.toSorted((a, b) => planner.position(a.id) - planner.position(b.id))) {
      const found = between(planner, rewriter, id);
      if (found) yield* derive(planner, rewriter, found);
    }
  },
  legal(planner, candidate) {
    const { rewrite } = candidate;
    if (!rewrite) return inWords(planner, candidate, legalMerge(planner, candidate, true));
    if (!rewrite.verdict.ok) return rewrite.verdict.code.startsWith("C_") ? possible(candidate) : rewrite.verdict;
    return planner.supposing(rewrite.patch, () => {
      const refused = candidate.add.map((region) => planner.facts(region)).find(isRefusal);
      return (
        refused ?? {
          ...rewrite.verdict,
          text: "A factor that is the same for a whole row may be taken out of the sum over the row.",
        }
      );
    });
  },
  cost: (planner, candidate) =>
    candidate.rewrite
      ? planner.supposing(candidate.rewrite.patch, () => costOf(planner, candidate))
      : costOf(planner, candidate),
  profitability(planner, candidate, delta) {
    if (candidate.rewrite) return candidate.rewrite.verdict;
    const policy = policyOnContraction(planner, candidate);
    if (policy) return policy;
    const alone = onlineProfitability(planner, candidate, delta, doing(planner, candidate));
    const prospect = promised.get(candidate);
    if (alone.ok || !prospect) return alone;
    return prospect.rest.length === 0 ? prospect.whole : onTheWay(planner, candidate, delta, prospect);
  },
  apply: (_planner, candidate) => patchOf(candidate),
};

interface Prospect {
  /** What the whole derivation gains. */
  readonly whole: Opinion;
  /** Kernels that only the next step merges; none where this step completes the derivation. */
  readonly rest: readonly Region[];
}

/** Noted at the step on the way that may cost something by itself. */
const promised = new WeakMap<Candidate, Prospect>();

/** A step that would not pay alone, taken because the one after it does. */
function onTheWay(planner: Planner, { nodes }: Candidate, { fused }: CostDelta, { whole, rest }: Prospect): Opinion {
  const values = nameOf(planner.graph, nodes.at(-1)!);
  const { criterion, alternatives } = whole.weighed!;
  const [without, withAll] = alternatives as readonly [Alternative, Alternative];
  const besides = workOf(planner, rest);
  const alone = {
    what: "this step alone",
    micros: fused.micros + besides.micros,
    bytes: fused.bytes + besides.bytes,
    launches: fused.launches + besides.launches,
  };
  const text = `A running maximum${ofRow(planner, nodes)} and sum beside ${values} do not pay alone (${timeOf(alone, without)}), but they make room for the next step. ${whole.text}`;
  return yes(whole.code, nodes, text, {
    ...(whole.numbers ? { numbers: whole.numbers } : {}),
    weighed: choosing(criterion, [without, withAll, alone], 1),
  });
}

/** What folds the row first: it begins a softmax. */
const ofRow = ({ graph }: Planner, [first]: readonly NodeId[]): string =>
  opDef(node(graph, first!).op).kind === "reduce" ? ` (${nameOf(graph, first!)})` : "";

function doing(planner: Planner, { rule, nodes }: Candidate, names = endsOf(planner, nodes)): string {
  const [scores, values] = names;
  if (rule === "scores-inline") return `Computing each tile of ${scores} where ${values} needs it`;
  if (rule === "running-softmax") return `Keeping a running maximum${ofRow(planner, nodes)} and sum beside ${values}`;
  return `One kernel from ${scores} to ${values}`;
}

/** The first and the last of some ops. */
const endsOf = ({ graph }: Planner, nodes: readonly NodeId[]): readonly [string, string] =>
  pairOf(graph, nodes[0]!, nodes.at(-1)!);

const possible = ({ nodes }: Candidate): Verdict =>
  yes("A_PATTERN", nodes, "The algebra allows one kernel: the softmax between the matmuls can be computed online.");

/** The sentence of the legal yes. */
function inWords(planner: Planner, { rule, nodes }: Candidate, verdict: Verdict): Verdict {
  if (!verdict.ok) return verdict;
  const [, values] = pairOf(planner.graph, nodes[0]!, nodes.at(-1)!);
  const text =
    rule === "scores-inline"
      ? `A tile of ${nodes.length === 2 ? pairOf(planner.graph, nodes[0]!, nodes[1]!)[0] : namesOf(planner.graph, nodes.slice(0, -1))} needs only its own rows and columns, so it can be computed inside the kernel of ${values}.`
      : `When a later tile raises the maximum, what ${values} has summed so far is multiplied by exp(old − new): the row is never needed as a whole.`;
  return { ...verdict, text };
}

/** Three steps, each a state that runs: the division last, the softmax along, the scores inline. */
function* derive(planner: Planner, rewriter: Rewriter, found: Between): Generator<Candidate, void, Answer> {
  const needed = storedShare(planner, rewriter, found);
  if (needed) {
    yield needed;
    return;
  }
  const change = found.factor ? divideLast(planner, found) : null;
  const patch = change ? rewriter.patchOf(change) : NOTHING;
  const group = regionsOf(planner, rewriter, [found.scores, ...found.mods, ...found.core, found.values]);
  const stored = storedApart(planner, group);
  const names = endsOf(planner, [found.scores, found.values]);
  const whole = planner.supposing(patch, () => prospects(planner, rewriter, { found, names }, patch, stored));
  if ("rule" in whole) {
    yield whole;
    return;
  }
  if (change) {
    if (!(yield divisionStep(planner, found, patch, whole)).accepted) return;
    rewriter.applied(patch);
    planner.reorder();
  }
  const { scores, values, mods } = found;
  const core = found.core.filter((id) => planner.graph.nodes.has(id));
  const id = rewriter.regionsOf(values)[0]!;
  const softmax = {
    edges: edgesOf(planner, [...core, ...(change ? [change.product] : []), values]),
    nodes: [...core, values],
    id,
  };
  const along = regionsOf(planner, rewriter, [...core, values]);
  const running = mergeCandidate(planner, "running-softmax", along, softmax);
  // The merge takes what nobody else reads with it.
  const rest = regionsOf(planner, rewriter, [scores, ...mods]).filter((region) => !running.merged.includes(region.id));
  promised.set(running, { whole, rest });
  if (!(yield running).accepted) return;
  rewriter.applied(patchOf(running));
  const inline = { edges: edgesOf(planner, [scores, ...mods, ...core]), nodes: [scores, ...mods, values], id };
  if (rest.length === 0) return;
  const all = mergeCandidate(planner, "scores-inline", [...rest, planner.region(id)], inline);
  if (whole.code === "U_FORCE") promised.set(all, { whole, rest: [] });
  if ((yield all).accepted) rewriter.applied(patchOf(all));
}

/**
 * What all three steps gain together; a refusal, when the last of them would be refused: then the first is not taken either.
 * Asked while the nodes of `patch` are rewritten.
 * @param before the parts, and what its matmuls are called before those are rewritten
 * @param stored what the kernels take that store the scores, and where these are folded
 */
function prospects(
  planner: Planner,
  rewriter: Rewriter,
  { found, names }: { readonly found: Between; readonly names: readonly [string, string] },
  patch: Patch,
  stored: Work | null,
): Candidate | Opinion {
  const { scores, values, mods, core, factor } = found;
  const nodes = [scores, ...mods, ...core, values];
  const group = regionsOf(planner, rewriter, nodes);
  const joined = mergedRegion(planner, rewriter, group, patch, rewriter.regionsOf(values)[0]!);
  const whole = { ...joined, members: withMasks(planner, joined.members) };
  const merged = {
    rule: "one-kernel",
    kind: "fuse",
    edges: edgesOf(
      planner,
      nodes.filter((id) => planner.graph.nodes.has(id)),
    ),
    nodes: [scores, values],
    remove: group,
    add: [whole],
    into: whole.id,
    merged: group.map(({ id }) => id),
  } as const;
  const refuse = (verdict: Opinion): Candidate => {
    const told = factor ? [factor.share] : verdict.nodes.filter((id) => id !== scores && id !== values);
    return { ...merged, nodes: [scores, ...told, values], rewrite: { patch: NOTHING, verdict } };
  };
  const form = classifyOnline(planner.graph, whole.members, whole.outputs);
  if (!form.ok) return refuse(form.verdict);
  const legal = legalMerge(planner, merged, true);
  if (!legal.ok) return refuse(legal);
  const delta = costOf(planner, merged);
  const worth =
    (group.length > 1 ? leftSeparate(planner, group, merged.nodes) : null) ??
    onlineProfitability(planner, merged, delta, doing(planner, merged, names), stored);
  if (worth.ok) return worth;
  const isForced = merged.edges.some((edge) => planner.options.forced.includes(edge));
  return isForced ? forcedAnyway(planner, merged, delta, worth) : refuse(worth);
}

/** What it would take in one kernel if nothing else read its scores or shares; null where the algebra or the device does not allow that. */
export function oneKernelWork(planner: Planner, rewriter: Rewriter, found: Between): Work | null {
  const { scores, values, mods, core } = found;
  const change = found.factor ? divideLast(planner, found) : null;
  const patch = change ? rewriter.patchOf(change) : NOTHING;
  return planner.supposing(patch, () => {
    const group = regionsOf(planner, rewriter, [scores, ...mods, ...core, values]);
    const joined = mergedRegion(planner, rewriter, group, patch, rewriter.regionsOf(values)[0]!);
    const needed = neededBy((id) => node(planner.graph, id), withMasks(planner, joined.members), [values]);
    const whole = { ...joined, members: needed, outputs: [values] };
    return classifyOnline(planner.graph, whole.members, whole.outputs).ok && planner.kernelOf(whole)
      ? workOf(planner, [whole])
      : null;
  });
}

/** A refusal, when the row's shares are needed in memory themselves. */
function storedShare(planner: Planner, rewriter: Rewriter, found: Between): Candidate | null {
  const { graph } = planner;
  const { factor, values } = found;
  if (!factor) return null;
  const { guard } = factor;
  const guards = new Set([guard?.test, guard?.choice]);
  const besides = [...rewriter.readersOf(factor.share)].some((id) => !guards.has(id));
  const share = guard && !besides && !planner.isOutput(factor.share) ? guard.choice : factor.share;
  const readers = [...rewriter.readersOf(share)].filter((id) => !guards.has(id));
  if (readers.length < 2 && !planner.isOutput(share)) return null;
  const bytes = 4 * sizeOf(node(graph, share).type.shape);
  const other = readers.find((id) => id !== values);
  const who = other === undefined ? "is a result" : `is read by ${nameOf(graph, other)} too`;
  const nodes = [share, values, ...(other === undefined ? [] : [other])];
  const text = `${nameOf(graph, share)} ${who}, so its ${showBytes(bytes)} must be stored; a row that is reduced tile by tile never exists as a whole.`;
  const remedy = `A program in which only ${nameOf(graph, values)} reads it.`;
  const group = regionsOf(planner, rewriter, [share, values]);
  return {
    rule: "one-kernel",
    kind: "fuse",
    edges: edgesOf(planner, [share, values]),
    nodes: [share, values],
    remove: group,
    add: [],
    into: null,
    merged: [],
    rewrite: { patch: NOTHING, verdict: no("L_ROOT", nodes, text, { numbers: { bytes }, remedy }) },
  };
}

function divisionStep(planner: Planner, { values, factor }: Between, patch: Patch, whole: Opinion): Candidate {
  const { graph } = planner;
  const { share, row } = factor!;
  const [before, after] = [sizeOf(node(graph, share).type.shape), sizeOf(node(graph, values).type.shape)];
  const does = isDivision(algebraOf(node(graph, share).op)) ? "division by" : "factor";
  const text = `${nameOf(graph, row)} is the same for a whole row, so the ${does} it in ${nameOf(graph, share)} may be taken out of the sum: Σ (e / l)·v = (Σ e·v) / l. ${nameOf(graph, values)} now applies it ${after.toLocaleString("en")} times at the end instead of ${before.toLocaleString("en")} times before.${factor!.guard ? " The test for NaN checks the row's sum instead of each probability." : ""}`;
  const nodes = [share, values];
  const weighed = whole.weighed!;
  const verdict = yes("A_PATTERN", nodes, `${text} A step on the way to one kernel.`, {
    numbers: { before, after },
    weighed,
  });
  return rewriteCandidate(planner, "divide-last", nodes, { patch, verdict });
}
