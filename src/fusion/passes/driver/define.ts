/** @file What a pass is: it finds candidates, says whether they are legal, counts what they change, and builds the patch. The driver loops. */
import type {
  EdgeId,
  NodeId,
  Patch,
  ReasonCode,
  Region,
  RegionId,
  StepCost,
  StepKind,
  Verdict,
  Weighed,
  Work,
} from "../../ir";
import type { Planner } from "./planner";

/** One thing a pass could do: regions that go and regions that come, or nodes rewritten. */
export interface Candidate {
  readonly rule: string;
  readonly kind: StepKind;
  /** Edges it decides, in text order. */
  readonly edges: readonly EdgeId[];
  /** [producer, consumer, …]: what it is about. */
  readonly nodes: readonly NodeId[];
  readonly remove: readonly Region[];
  readonly add: readonly Region[];
  /** The region that comes out of it, where there is one. */
  readonly into: RegionId | null;
  /** Regions that become one kernel and so must have no path that leaves and returns; empty for copies into readers. */
  readonly merged: readonly RegionId[];
  /** Rewrites of nodes (canonicalise); absent for changes of regions alone. */
  readonly rewrite?: Rewrite;
}

export interface Rewrite {
  readonly patch: Patch;
  /** What the teacher says, yes or no. */
  readonly verdict: Opinion;
  /** The same is loaded and computed, by a kernel of another kind: their prices, which err apart, don't decide. */
  readonly alike?: boolean;
  /** It stores more, so that less is computed: time decides, not bytes. */
  readonly timed?: boolean;
}

/** What a candidate changes, counted and predicted: the kernels concerned without it and with it. */
export interface CostDelta extends Omit<StepCost, keyof Weighed> {
  readonly apart: Work;
  readonly fused: Work;
}

/** A verdict on worth with the alternatives that it rests on. */
export interface Opinion extends Verdict {
  /** Absent: a limit or a person decides, between the candidate's two ways. */
  readonly weighed?: Weighed;
}

/** What the driver tells a pass about the candidate it has just yielded. */
export interface Answer {
  readonly accepted: boolean;
  /** Of the verdict; null where the rule is switched off. */
  readonly code: ReasonCode | null;
}

export interface FusionPass {
  readonly name: string;
  readonly title: string;
  /** One sentence for the list of passes. */
  readonly summary: string;
  /** `reassociates` passes may change rounding and are refused in strict mode. */
  readonly numerics: "bitwise" | "reassociates";
  /** In strict mode `legal` refuses the candidates that reassociate, instead of the driver all of them. */
  readonly judgesStrict?: boolean;
  /** Yields candidates; after each, `next` receives what became of it. */
  match(planner: Planner): Generator<Candidate, void, Answer>;
  /** May it be done? */
  legal(planner: Planner, candidate: Candidate): Verdict;
  /** What would it change? Numbers, no opinion. */
  cost(planner: Planner, candidate: Candidate): CostDelta;
  /** Is it worth it? What is chosen among which alternatives, and the sentence that says so. */
  profitability(planner: Planner, candidate: Candidate, delta: CostDelta): Opinion;
  apply(planner: Planner, candidate: Candidate): Patch;
}
