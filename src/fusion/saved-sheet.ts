/** @file What the backward pass of a program could keep: its values with what can be done about each, and the plans by every policy. */
import type { Compilation } from "./compilation";
import { chosenFor, savedBuffers } from "./cost";
import { fuse } from "./fuse";
import {
  isSavedBy,
  ownEntry,
  bytesOf,
  node,
  savedPolicies,
  type CompileOptions,
  type Diagnostic,
  type Fusion,
  type Graph,
  type NodeId,
  type SavedChoice,
  type SavedPolicy,
  type SavedValues,
  type Totals,
  type Plan,
} from "./ir";
import { opDef } from "./ops";
import { savedOffers, showBytes } from "./passes";
import { planFusion } from "./plan";
import { lineAndColumn } from "./text";

/** A plan by one policy. */
export interface SavedRow {
  /** Null: both passes as one graph, and fusion decides. */
  readonly policy: SavedPolicy | null;
  /** Of `cut`; absent: none. */
  readonly budgetBytes?: number;
  readonly savedBytes: number;
  readonly flops: number;
  readonly totals: Totals;
}

/** A value that the backward pass reads. */
export interface SavedValue {
  readonly node: NodeId;
  readonly label: string;
  readonly bytes: number;
  /** What can be done about it. */
  readonly offers: readonly SavedChoice[];
  readonly choice: SavedChoice | null;
}

/** Ops and kernels; of the naive plan where nothing else is said. */
export interface Expansion {
  readonly forward: { readonly ops: number; readonly kernels: number };
  readonly both: { readonly ops: number; readonly kernels: number };
  /** Both passes fused as the options say. */
  readonly fused: { readonly kernels: number };
}

export interface SavedSheet {
  /** Every row with a budget meets it, and no two of them are the same plan. */
  readonly rows: readonly SavedRow[];
  /** What is saved in any case, where a budget below it was tried; null where all that were tried are met. */
  readonly leastBytes: number | null;
  readonly values: readonly SavedValue[];
  readonly expansion: Expansion;
}

/** Values that are listed, at most. */
const MAX_VALUES = 40;
/** Budgets tried, as shares of what the cheapest cut keeps. */
const SHARES = [0.75, 0.5, 0.25, 0];

/** Null for a program without a backward pass. */
export function savedSheet({ naive, naivePlan, fusedPlan, options }: Compilation): SavedSheet | null {
  if (!naive || !naivePlan || !fusedPlan || ![...naive.graph.nodes.values()].some(({ phase }) => phase === "backward"))
    return null;
  const choices = options.savedValues?.choices ?? {};
  const by = (given: Partial<SavedValues>): Omit<SavedRow, "policy"> =>
    planned(naive, { ...options, savedValues: { apart: true, choices, ...given } });
  const policies = savedPolicies.map((policy): SavedRow => ({ policy, ...by({ policy }) }));
  const whole = policies.find(({ policy }) => policy === "cut")!.savedBytes;
  const budgets = whole === 0 ? [] : SHARES.map((share) => Math.floor(share * whole));
  const tried = budgets.map((budgetBytes) => ({
    policy: "cut" as const,
    budgetBytes,
    ...by({ policy: "cut", budgetBytes }),
  }));
  const met = tried.filter(({ savedBytes, budgetBytes }) => savedBytes <= budgetBytes);
  const least = Math.min(...tried.map(({ savedBytes }) => savedBytes));
  const values = savedOffers(naive.graph, MAX_VALUES).map(({ value, choices: offers }): SavedValue => {
    const { label, type } = node(naive.graph, value);
    return { node: value, label, bytes: bytesOf(type), offers, choice: ownEntry(choices, value) ?? null };
  });
  const joint: SavedRow = { policy: null, ...by({ apart: false }) };
  return {
    rows: [joint, ...policies, ...distinctPlans(met)],
    leastBytes: met.length < tried.length ? least : null,
    values,
    expansion: expansionOf(naive, naivePlan, fusedPlan),
  };
}

/** Of budgets, largest first, that come to the same plan: the smallest. */
const distinctPlans = <Row extends Pick<SavedRow, "savedBytes" | "flops" | "totals">>(
  rows: readonly Row[],
): readonly Row[] =>
  rows.filter((row, i) => {
    const next = rows[i + 1];
    return (
      next?.savedBytes !== row.savedBytes || next.flops !== row.flops || next.totals.peakBytes !== row.totals.peakBytes
    );
  });

function planned(naive: Fusion, options: CompileOptions): Omit<SavedRow, "policy"> {
  const { final } = fuse(naive, options);
  const { kernels, totals } = planFusion(final, chosenFor(options), options.profile);
  const flops = kernels.reduce((sum, kernel) => sum + kernel.flops, 0);
  const savedBytes = savedBuffers(final).reduce((sum, { bytes }) => sum + bytes, 0);
  return { savedBytes, flops, totals };
}

function expansionOf({ graph }: Fusion, naive: Plan, fused: Plan): Expansion {
  const isLate = (id: NodeId): boolean => node(graph, id).phase === "backward";
  const ops = [...graph.nodes.values()].filter(({ op }) => opDef(op).kind !== "source");
  return {
    forward: {
      ops: ops.filter(({ id }) => !isLate(id)).length,
      kernels: naive.kernels.filter(({ nodes }) => !nodes.some(isLate)).length,
    },
    both: { ops: ops.length, kernels: naive.totals.kernels },
    fused: { kernels: fused.totals.kernels },
  };
}

/** Why a value is saved although a budget asks for fewer bytes, and what can be done about it. */
function heldBecause(graph: Graph, value: NodeId, saved: SavedValues): readonly [why: string, remedy: string] {
  const { label, op, origins } = node(graph, value);
  const chosen = [value, ...origins].map((id) => ownEntry(saved.choices, id)).find(isSavedBy);
  if (chosen) return [`you chose to save ${label}`, `or recompute ${label}`];
  if (opDef(op).kind === "opaque") return [`${label} is opaque, so it is not computed twice`, ""];
  if (graph.outputs.includes(value)) return [`${label} is a result, so it is stored in any case`, ""];
  return [`what is left can't be recomputed from less than ${label}`, ""];
}

/** A warning, where the largest value is made, if more is saved than the budget allows. */
export function budgetFault(
  { text, options, symbols }: Pick<Compilation, "text" | "options" | "symbols">,
  source: Graph,
  final: Fusion,
): readonly Diagnostic[] {
  const { savedValues } = options;
  if (savedValues?.budgetBytes === undefined || savedValues.policy !== "cut") return [];
  const buffers = savedBuffers(final);
  const bytes = buffers.reduce((sum, each) => sum + each.bytes, 0);
  const over = bytes - savedValues.budgetBytes;
  if (over <= 0) return [];
  const largest = buffers.reduce((most, each) => (each.bytes > most.bytes ? each : most));
  const [why, remedy] = heldBecause(final.graph, largest.value, savedValues);
  const { origins } = node(final.graph, largest.value);
  const written = [largest.value, ...origins].filter((id) => source.nodes.has(id));
  const span = symbols.find((symbol) => symbol.node !== null && written.includes(symbol.node))?.definition ?? {
    from: 0,
    to: 0,
  };
  return [
    {
      code: "saved-budget",
      severity: "warning",
      span,
      ...lineAndColumn(text, span.from),
      text: `The backward pass saves ${showBytes(bytes)}, ${showBytes(over)} more than the ${showBytes(savedValues.budgetBytes)} allowed: ${why}. Allow ${showBytes(bytes)}${remedy && `, ${remedy}`}.`,
      nodes: written,
    },
  ];
}
