/** @file Verdicts and steps: every decision, yes or no, as data. The serial form of the event log. */
import type { NodeId, EdgeId, RegionId } from "./ids";
import type { Patch } from "./patch";

export const legalityCodes = [
  "L_CYCLE",
  "L_SHAPE",
  "L_INDEX",
  "L_OPAQUE",
  "L_EFFECT",
  "L_ROOT",
  "L_TWO_CONTRACT",
  "L_REDUCE_REDUCE",
  "L_ROW_NOT_OWNED",
  "L_DTYPE",
  "L_STRICT",
  "L_SAVED",
  "L_NOT_CONST",
  "L_BINDINGS",
  "L_WGMEM",
] as const;
export const costCodes = [
  "C_NEGATIVE",
  "C_RECOMPUTE",
  "C_REGISTERS",
  "C_CODE_SIZE",
  "C_COMPILE_BUDGET",
  "C_PEAK_MEMORY",
  "C_LIBRARY",
  "C_PARALLELISM",
  "C_BEATEN",
] as const;
export const userCodes = ["U_USER_BARRIER", "U_FORCE"] as const;
export const acceptedCodes = ["A_BYTES", "A_LAUNCH", "A_VIEW", "A_PATTERN"] as const;
export type ReasonCode =
  | (typeof legalityCodes)[number]
  | (typeof costCodes)[number]
  | (typeof userCodes)[number]
  | (typeof acceptedCodes)[number];

/** Tests read `code`, people read `text`, the canvas lights up `nodes`. */
export interface Verdict {
  readonly ok: boolean;
  readonly code: ReasonCode;
  /** One or two sentences a teacher would say aloud: names the ops, gives the number, stops. */
  readonly text: string;
  readonly nodes: readonly NodeId[];
  /** The numbers the sentence uses, with the unit in the key: `bytes`, `microsApart`, `limit` … */
  readonly numbers?: Readonly<Record<string, number>>;
  /** What would turn a no into a yes: the constant, rule or pass, in words; absent for a yes. */
  readonly remedy?: string;
}

/** What a candidate changes, counted (bytes, flops) and predicted (µs). */
export interface CostDelta {
  /** Predicted µs of the kernels concerned, apart and fused. */
  readonly microsApart: number;
  readonly microsFused: number;
  /** Bytes of traffic saved; negative when the candidate adds traffic. */
  readonly bytesSaved: number;
  readonly launchesSaved: number;
  readonly flopsAdded: number;
  /** Estimated live 32-bit registers per thread of the fused kernel. */
  readonly registers: number;
  readonly workgroupBytes: number;
  readonly bindings: number;
}

/** Totals of a whole fusion state, by the traffic rules (compiler: cost/traffic.ts). */
export interface Totals {
  readonly kernels: number;
  /** Every (kernel, tensor) read or write event, rereads included. */
  readonly transfers: number;
  /** Those of tensors of at least 1/4 of the largest tensor of the graph. */
  readonly fullSizeTransfers: number;
  readonly bytes: number;
  readonly peakBytes: number;
  readonly predictedMicros: number;
}

/** `graph`: a rewrite of nodes; `fuse`: a merge of regions; `split`: one region into several. */
export type StepKind = "graph" | "fuse" | "split";

export interface Step {
  /** 1-based; state 0 is the naive plan. */
  readonly seq: number;
  readonly pass: string;
  readonly rule: string;
  readonly kind: StepKind;
  /** The edge the decision is about, when it is about one; otherwise null. */
  readonly edge: EdgeId | null;
  /** Every edge it decides (a producer fused into all of its users decides several). */
  readonly edges: readonly EdgeId[];
  /** Nodes the decision concerns: [producer, consumer, …]. */
  readonly nodes: readonly NodeId[];
  readonly regions: { readonly from: readonly RegionId[]; readonly to: RegionId | null };
  readonly legal: Verdict;
  /** null: never asked, because not legal. */
  readonly profitable: Verdict | null;
  readonly accepted: boolean;
  readonly cost: CostDelta | null;
  /** null when nothing changed (a refusal). */
  readonly patch: Patch | null;
  /** Totals after the step. */
  readonly totals: Totals;
  /** Chained over all steps so far (8 hex digits). */
  readonly hash: string;
}
