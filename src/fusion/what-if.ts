/** @file What if: the same program planned with one choice changed, and every decision that came out otherwise; at other sizes; or transformed and fused in either order. */
import type { Compilation } from "./compilation";
import { changedDecisions, type ChangedDecision } from "./changed-decisions";
import { planFusion } from "./plan";
import { bug, type CompileOptions, type Fusion, type Step, type Totals } from "./ir";
import { opDef } from "./ops";
import { constantsOf, sizesAround } from "./size-constants";
import { fuse } from "./fuse";
import { levelUsed, naiveState, orderRefusal, passOrder, type Level } from "./passes";
import { applyTextEdits, BATCH, setConstant, transformProgram, type TransformName } from "./text";
import { chosenFor } from "./cost";
import { compile, fusionAt } from "./compile";

export interface WhatIf {
  /** What the changed planning ran with. */
  readonly options: CompileOptions;
  /** Totals of the final plans: kernels, bytes, predicted µs. */
  readonly before: Totals;
  readonly after: Totals;
  /** The plan as it is, priced on the changed machine: what `after` is fairly compared with. */
  readonly unchanged: Totals;
  /** Decisions that differ, in the order in which the first planning took them; new ones behind, in theirs. */
  readonly changed: readonly ChangedDecision[];
  /** The steps of the changed planning. */
  readonly steps: readonly Step[];
}

/** Plans the program of `compilation` again with `change` laid over its options. It must have plans. */
export function whatIf(compilation: Compilation, change: Partial<CompileOptions>): WhatIf {
  const { naive, fusedPlan, steps: before } = compilation;
  if (!naive || !fusedPlan) throw bug("a text with mistakes has no plan to change");
  const options = { ...compilation.options, ...change };
  const sameMachine = options.profile === compilation.options.profile;
  const { steps, final } = fuse(naiveState(compilation.drawn, options), options);
  const totalsOf = (state: Fusion): Totals => planFusion(state, chosenFor(options), options.profile).totals;
  return {
    options,
    before: fusedPlan.totals,
    after: totalsOf(final),
    unchanged: sameMachine ? fusedPlan.totals : totalsOf(fusionAt(compilation, before.length)),
    changed: changedDecisions(before, steps),
    steps,
  };
}

/** What is done before fusion, or after it. */
export type OrderQuestion = "batch" | "derivative" | "layout";

/** A plan by one order of two transformations. */
export interface OrderRow {
  readonly question: OrderQuestion;
  /** Fusion comes last, and sees what the other one made. */
  readonly fusesLast: boolean;
  readonly totals: Totals;
}

/** The totals of `times` launches of one plan; memory is used again by each. */
const repeated = (totals: Totals, times: number): Totals => ({
  ...totals,
  kernels: totals.kernels * times,
  transfers: totals.transfers * times,
  fullSizeTransfers: totals.fullSizeTransfers * times,
  bytes: totals.bytes * times,
  predictedMicros: totals.predictedMicros * times,
});

const fusedTotals = (text: string, options: CompileOptions): Totals | null =>
  compile(text, options).fusedPlan?.totals ?? null;

/** The text under a transform; null where it has none. */
function transformed(text: string, name: TransformName): string | null {
  const edited = transformProgram(text, name);
  return edited.ok ? applyTextEdits(text, edited.edits) : null;
}

/** Layouts chosen as late as the other passes allow. */
function layoutLast(): readonly string[] {
  const others = passOrder().filter((name) => name !== LAYOUT);
  const at = others.findLastIndex((_, i) => orderRefusal(others.toSpliced(i + 1, 0, LAYOUT)) === null);
  return others.toSpliced(at + 1, 0, LAYOUT);
}
const LAYOUT = "transpose-folding";

/**
 * Totals by order: a batch of examples made before or after fusion, a derivative taken before or after it, layouts chosen
 * before or after it. Pairs that the program has no form of are left out.
 */
export function orderRows({ text, options, naive }: Compilation): readonly OrderRow[] {
  if (!naive) return [];
  const pair = (question: OrderQuestion, last: Totals | null, first: Totals | null): OrderRow[] =>
    last && first
      ? [
          { question, fusesLast: true, totals: last },
          { question, fusesLast: false, totals: first },
        ]
      : [];
  const batch = transformed(text, "vmap");
  const one = fusedTotals(text, options);
  const nodes = [...naive.graph.nodes.values()];
  const gradient = nodes.some(({ phase }) => phase === "backward") ? text : transformed(text, "value_and_grad");
  const apart = { ...options, savedValues: { apart: true, policy: "stored", choices: {} } } as const;
  const joint = { ...options, savedValues: undefined };
  const order = nodes.some(({ op }) => opDef(op).kind === "movement") ? layoutLast() : null;
  return [
    ...pair("batch", batch === null ? null : fusedTotals(batch, options), one && repeated(one, BATCH)),
    ...pair(
      "derivative",
      gradient === null ? null : fusedTotals(gradient, joint),
      gradient === null ? null : fusedTotals(gradient, apart),
    ),
    ...pair("layout", order && one, order && fusedTotals(text, { ...options, order })),
  ];
}

export interface PlanTotals {
  readonly naive: Totals;
  readonly fused: Totals;
  /** The highest optimisation level of the passes that made the fused plan. */
  readonly level: Level;
}

/** Totals of both plans at one size. */
export interface SizeRow extends PlanTotals {
  readonly value: number;
}

/** Totals of both plans, and the level of the passes that lead from one to the other; null for a text without a plan. */
export function planTotals(text: string, options: CompileOptions): PlanTotals | null {
  const { naivePlan, fusedPlan, steps } = compile(text, options);
  if (!naivePlan || !fusedPlan) return null;
  return { naive: naivePlan.totals, fused: fusedPlan.totals, level: levelUsed(steps, naivePlan.totals) };
}

/** With the constant `name` at each of these values; sizes that don't plan are left out. */
export const sizeRows = (text: string, options: CompileOptions, name: string, values: readonly number[]): SizeRow[] =>
  values.flatMap((value) => {
    const edit = setConstant(text, name, value);
    if (!edit.ok) return [];
    const totals = planTotals(applyTextEdits(text, edit.edits), options);
    return totals ? [{ value, ...totals }] : [];
  });

/** Both plans of a program over a constant of its text. */
export interface GrowthOf {
  readonly name: string;
  readonly rows: readonly SizeRow[];
}

/** Over the first size that the text names; null where it names none. */
export function growthOf({ text, options }: Pick<Compilation, "text" | "options">): GrowthOf | null {
  for (const [name, written] of constantsOf(text))
    return { name, rows: sizeRows(text, options, name, sizesAround(written)) };
  return null;
}
