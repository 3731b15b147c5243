/** @file Verdicts and steps: every decision, yes or no, as data. The serial form of the event log. */
import type { Work } from "./region";
import type { NodeId, EdgeId, RegionId } from "./ids";
import type { Patch } from "./patch";
import type { CompileOptions } from "./profile";

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

/** A value against what is allowed: 68 of 64 registers. */
export interface Limit {
  /** `registers per thread` */
  readonly what: string;
  readonly value: number;
  readonly limit: number;
  /** `B`: bytes; empty: a plain count. */
  readonly unit: "B" | "FLOP/B" | "";
}

/** Tests read `code`, people read `text`, the canvas lights up `nodes`. */
export interface Verdict {
  readonly ok: boolean;
  readonly code: ReasonCode;
  /** One or two sentences a teacher would say aloud: names the ops, gives the number, stops. */
  readonly text: string;
  readonly nodes: readonly NodeId[];
  /** The numbers the sentence uses, with the unit in the key: `bytes`, `micros`, `limit` … */
  readonly numbers?: Readonly<Record<string, number>>;
  /** Where a budget or a limit of the device decides. */
  readonly limit?: Limit;
  /** Answers "what would make it fuse?", in words; absent for a yes. */
  readonly remedy?: string;
  /** Options under which the answer is another one, where the way out names a choice. */
  readonly remedyOptions?: Partial<CompileOptions>;
}

/** One way of doing it that was priced, over the kernels concerned. */
export interface Alternative extends Work {
  /** `separate kernels`, `one kernel`, `recomputed` … */
  readonly what: string;
  readonly chosen: boolean;
}

/**
 * What chooses among the alternatives. `time`: fewest predicted µs. `bytes`: fewest bytes moved. `memory`: fewest bytes saved for the
 * backward pass; `bytes` are then those. `limit`: a budget or a limit, whatever the times. `choice`: the person. `algebra`: a
 * rewrite that makes room for later steps; nothing is compared.
 */
export type Criterion = "time" | "bytes" | "memory" | "limit" | "choice" | "algebra";

export interface Weighed {
  readonly criterion: Criterion;
  /** Without the candidate first, then with it, then others; one is chosen. */
  readonly alternatives: readonly Alternative[];
}

/** The price of a candidate: every way that was priced, and what the new kernels need. */
export interface StepCost extends Weighed {
  readonly flopsAdded: number;
  /** Estimated live 32-bit registers per thread of the fused kernel. */
  readonly registers: number;
}

/** What adds up over the kernels of a state, by the traffic rules (compiler: kernel/count/traffic.ts). */
export interface Sums {
  readonly kernels: number;
  /** Every (kernel, tensor) read or write event, rereads included. */
  readonly transfers: number;
  /** Those of tensors of at least 1/4 of the largest tensor of the graph. */
  readonly fullSizeTransfers: number;
  readonly bytes: number;
  readonly predictedMicros: number;
}

/** The sums of a plan, and what depends on the order of its kernels. */
export interface Totals extends Sums {
  /** The most bytes alive with one of its kernels. */
  readonly peakBytes: number;
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
  /** Of a decision about a view, the op that reads it, where the sentence tells of one. */
  readonly reader?: NodeId;
  readonly regions: { readonly from: readonly RegionId[]; readonly to: RegionId | null };
  readonly legal: Verdict;
  /** null: never asked, because not legal. */
  readonly profitable: Verdict | null;
  readonly accepted: boolean;
  readonly cost: StepCost | null;
  /** null when nothing changed (a refusal). */
  readonly patch: Patch | null;
  /** Totals after the step. */
  readonly totals: Sums;
  /** Chained over all steps so far (8 hex digits). */
  readonly hash: string;
}

/** The edge that a step's card, its buttons and their keys mean: the one it is about, else the first that it decides. */
export const decidedEdge = (step: Pick<Step, "edge" | "edges"> | null): EdgeId | null =>
  step?.edge ?? step?.edges[0] ?? null;
