/** @file The driver: asks every pass for candidates, decides each, and records every decision, yes or no. */
import {
  bug,
  during,
  hashText,
  type EdgeId,
  type Fusion,
  type Patch,
  type Step,
  type Sums,
  type Verdict,
  bytesOf,
  node,
  type NodeId,
  type ReasonCode,
} from "../../ir";
import { chosenFor } from "../../cost";
import { fullSizeBytes } from "../../kernel";
import type { Answer, Candidate, FusionPass, Opinion, CostDelta } from "./define";
import { openPlanner, type PassRun, type Planner, type PlanOptions } from "./planner";
import { openCostCache } from "../profitability/cost-cache";
import { plainVerdict, priced, overruled, timeOf } from "../profitability/weigh";
import { namesOf, no, showBytes, STRICT_OFF, capital, nameOf, readerTold, withKernels, yes } from "./sentences";
import { overBudget, overPeak } from "../profitability/memory-limits";
import { forcedAnyway } from "../profitability/profitability";

/** Steps grow here; refusals are recorded once per edge and reason. */
interface Log {
  readonly steps: Step[];
  readonly lastReason: Map<string, string>;
  /** What refusals said, and of which ops. */
  readonly told: Set<string>;
  hash: string;
}

interface Decision {
  readonly legal: Verdict;
  readonly profitable: Opinion | null;
  /** What it was judged by; null where it was refused before. */
  readonly delta: CostDelta | null;
  readonly patch: Patch | null;
  /** `Step.reader`. */
  readonly reader?: NodeId;
}

/** Everything that makes a state what it is, as one hash: the seed of the chain. */
export function stateHash({ graph, regions }: Fusion): string {
  let hash = hashText([...graph.outputs].join());
  for (const n of graph.nodes.values()) {
    hash = hashText(
      `${n.id}=${n.op}(${n.inputs.join()})${JSON.stringify(n.attrs)}${n.type.dtype}${n.type.shape.join()}${n.rounded ? "~" : ""}`,
      hash,
    );
  }
  for (const region of regions.values()) hash = hashText(`${region.id}:${region.members.join()}`, hash);
  return hash;
}

/** Runs the passes in order on the naive state. Deterministic in its arguments. */
export function runPasses(naive: Fusion, options: PlanOptions, passes: readonly FusionPass[]): PassRun {
  const fullSize = fullSizeBytes(naive.graph);
  const log: Log = { steps: [], lastReason: new Map(), told: new Set(), hash: stateHash(naive) };
  const costCache = openCostCache(options.profile, fullSize);
  // What a person chose for the kernels is counted, and decides nothing: the same kernels stand, scheduled differently.
  const counted = options.knobs ? openCostCache(options.profile, fullSize, chosenFor(options)) : costCache;
  const planner = openPlanner(naive, options, fullSize, costCache, counted);
  const disabled = new Set(options.disabledPasses);
  const forced = new Set(options.forced);
  for (const pass of passes) {
    if (disabled.has(pass.name)) continue;
    const before = log.steps.length;
    during(`the pass “${pass.title}”`, () => runPass(pass, planner, forced, disabled, log));
    const reshaped = log.steps.slice(before).some(({ accepted, kind }) => accepted && kind !== "fuse");
    if (reshaped) planner.reorder();
  }
  return { steps: log.steps, final: planner.fusion() };
}

/** Of the pass's rules those that are switched off, as `pass/rule`, propose nothing. */
function runPass(
  pass: FusionPass,
  planner: Planner,
  forced: ReadonlySet<EdgeId>,
  disabled: ReadonlySet<string>,
  log: Log,
): void {
  const found = pass.match(planner);
  let totals = planner.totals();
  let next = found.next();
  while (next.done !== true) {
    const candidate = next.value;
    if (disabled.has(`${pass.name}/${candidate.rule}`)) {
      next = found.next({ accepted: false, code: null });
      continue;
    }
    const decision = decide(pass, planner, candidate, forced);
    const isTold = decision.patch !== null || isNews(log, candidate, decision.profitable ?? decision.legal);
    const told = isTold ? explained(planner, candidate, decision) : null;
    if (decision.patch) {
      planner.apply(decision.patch, candidate.merged);
      totals = planner.totals();
    }
    if (told) record(pass, candidate, told, totals, log);
    const { code } = decision.profitable ?? decision.legal;
    const answer: Answer = { accepted: decision.patch !== null, code };
    next = found.next(answer);
  }
}

function decide(pass: FusionPass, planner: Planner, candidate: Candidate, forced: ReadonlySet<EdgeId>): Decision {
  const refused = { profitable: null, delta: null, patch: null };
  if (planner.options.strict && pass.numerics === "reassociates" && !pass.judgesStrict) {
    return { ...refused, legal: tooLoose(planner, pass, candidate) };
  }
  const legal = losesRounding(planner, candidate) ?? pass.legal(planner, candidate);
  if (!legal.ok) return { ...refused, legal };
  const delta = pass.cost(planner, candidate);
  let opinion: Opinion = pass.profitability(planner, candidate, delta);
  if (!opinion.ok) opinion = removesOverLimit(planner, candidate, delta, opinion) ?? opinion;
  if (!opinion.ok && isPriced(candidate) && candidate.edges.some((edge) => forced.has(edge))) {
    opinion = forcedAnyway(planner, candidate, delta, opinion);
  }
  if (opinion.ok) opinion = overPeak(planner, candidate) ?? overBudget(planner, candidate) ?? opinion;
  return {
    legal,
    profitable: opinion,
    delta,
    patch: opinion.ok ? pass.apply(planner, candidate) : null,
  };
}

/** A refusal that proposes nothing has nothing to price, nor to force. */
const isPriced = ({ add, remove }: Candidate): boolean => add.length + remove.length > 0;

const tooLoose = (planner: Planner, pass: FusionPass, { nodes }: Candidate): Verdict =>
  no(
    "L_STRICT",
    nodes,
    `The pass “${pass.title}” may change the rounding of ${namesOf(planner.graph, nodes)}, and strict mode forbids that.`,
    STRICT_OFF,
  );

/** A value that is rounded to f16 wherever it is read stays so, or nobody reads it any more. */
function losesRounding({ graph }: Planner, { rewrite }: Candidate): Verdict | null {
  if (!rewrite) return null;
  const { removedNodes, addedNodes } = rewrite.patch;
  const after = new Map(addedNodes.map((n) => [n.id, n]));
  const lost = removedNodes.find(({ id, rounded }) => {
    if (!rounded) return false;
    const same = after.get(id);
    return same ? !same.rounded : removedNodes.some((reader) => after.has(reader.id) && reader.inputs.includes(id));
  });
  if (!lost) return null;
  return no(
    "L_DTYPE",
    [lost.id],
    `${namesOf(graph, [lost.id])} is an f16 value that is rounded before it is read, and the rewrite would read more digits of it.`,
    { remedy: "Computing in f32 and converting once, at the end." },
  );
}

/** The decision in a sentence that says where those ops are that its title does not name. */
function explained(planner: Planner, candidate: Candidate, decision: Decision): Decision {
  const { legal, profitable } = decision;
  const told = profitable ? withKernels(planner, candidate, profitable) : withKernels(planner, candidate, legal);
  const reader = readerTold(planner, candidate, told);
  return { ...decision, ...(profitable ? { profitable: told } : { legal: told }), ...(reader && { reader }) };
}

function record(pass: FusionPass, candidate: Candidate, decision: Decision, totals: Sums, log: Log): void {
  const { profitable, delta } = decision;
  const verdict = profitable ?? decision.legal;
  const accepted = decision.patch !== null;
  const { rule, kind, edges, nodes } = candidate;
  const from = candidate.remove.map(({ id }) => id);
  log.hash = hashText(
    [
      pass.name,
      rule,
      nodes.join(),
      verdict.code,
      accepted,
      from.join(),
      candidate.add.map((r) => `${r.id}:${r.members.join()}`).join(";"),
    ].join("|"),
    log.hash,
  );
  log.steps.push({
    seq: log.steps.length + 1,
    pass: pass.name,
    rule,
    kind,
    edge: edges.length === 1 ? edges[0]! : null,
    edges,
    nodes,
    ...(decision.reader && { reader: decision.reader }),
    regions: { from, to: candidate.into },
    legal: plainVerdict(decision.legal),
    profitable: profitable && plainVerdict(profitable),
    accepted,
    cost: profitable && delta && isPriced(candidate) ? priced(candidate, delta, profitable) : null,
    patch: decision.patch,
    totals,
    hash: log.hash,
  });
}

/** A refusal is news when one of its edges (or its pair of nodes) was never refused for this reason, nor these ops in these words. */
function isNews(log: Log, { edges, nodes, rule }: Candidate, verdict: Verdict): boolean {
  const keys = edges.length > 0 ? edges : [`${rule} ${nodes.join()}`];
  if (keys.length === 0) throw bug(`candidate of ${rule} is about nothing`);
  let news = false;
  for (const key of keys) {
    if (log.lastReason.get(key) === verdict.code) continue;
    log.lastReason.set(key, verdict.code);
    news = true;
  }
  if (!news) return false;
  const words = `${nodes.join()} ${verdict.text}`;
  if (log.told.has(words)) return false;
  log.told.add(words);
  return true;
}

/** Refusals by cost, which the device overrules; people's wishes and budgets stand. */
const BY_COST: ReadonlySet<ReasonCode> = new Set(["C_NEGATIVE", "C_RECOMPUTE", "C_PARALLELISM", "C_BEATEN"]);

/** Yes where the candidate takes the last store of such a value away and brings none; else null. */
function removesOverLimit(planner: Planner, candidate: Candidate, delta: CostDelta, refused: Opinion): Opinion | null {
  const { add, remove, nodes, rewrite } = candidate;
  if (rewrite || !BY_COST.has(refused.code)) return null;
  const { graph, profile } = planner;
  const size = (id: NodeId): number => bytesOf(node(graph, id).type);
  const large = (regions: typeof add): NodeId[] =>
    regions.flatMap(({ outputs }) => outputs.filter((id) => size(id) > profile.maxBindingBytes));
  const [before, after] = [large(remove), new Set(large(add))];
  const gone = before.find((id) => !after.has(id));
  if (gone === undefined || [...after].some((id) => !before.includes(id))) return null;
  const bytes = size(gone);
  return yes(
    "L_BINDINGS",
    nodes,
    `${nameOf(graph, gone)} has ${showBytes(bytes)} and the device binds at most ${showBytes(profile.maxBindingBytes)}, so it can't be stored. ${capital(namesOf(graph, nodes))} become one kernel, whatever the times: ${timeOf(delta.fused, delta.apart)}.`,
    {
      numbers: { bytes, limit: profile.maxBindingBytes },
      limit: { what: "bytes in one buffer", value: bytes, limit: profile.maxBindingBytes, unit: "B" },
      weighed: overruled("limit", candidate, delta, refused),
    },
  );
}
