/** @file What if: the same program planned with one choice changed, and every decision that came out otherwise. */
import type { Compilation } from "./compilation";
import { bug, type CompileOptions, type EdgeId, type NodeId, type Step, type Totals, type Verdict } from "./ir";
import { allPasses, passesOf, runPasses } from "./passes";
import { totalsOf } from "./cost";

/** One question that both plannings, or only one of them, answered. */
export interface ChangedDecision {
  readonly pass: string;
  readonly rule: string;
  readonly nodes: readonly NodeId[];
  readonly edges: readonly EdgeId[];
  /** The last answer; null where the question never came up. */
  readonly before: Verdict | null;
  readonly after: Verdict | null;
}

export interface WhatIf {
  /** Totals of the final plans. */
  readonly before: Totals;
  readonly after: Totals;
  /** Decisions that differ, in the order in which they were taken. */
  readonly changed: readonly ChangedDecision[];
  /** The steps of the changed planning. */
  readonly steps: readonly Step[];
}

/** Plans the program of `compilation` again with `change` laid over its options. It must have plans. */
export function whatIf(compilation: Compilation, change: Partial<CompileOptions>): WhatIf {
  const { naive, steps: before } = compilation;
  if (!naive) throw bug("a text with mistakes has no plan to change");
  const options = { ...compilation.options, ...change };
  const { steps, final } = runPasses(naive, options, passesOf(allPasses, options.level));
  return {
    before: before.at(-1)?.totals ?? totalsOf(naive, compilation.options.profile),
    after: steps.at(-1)?.totals ?? totalsOf(final, options.profile),
    changed: changedDecisions(before, steps),
    steps,
  };
}

const answerOf = ({ legal, profitable }: Step): Verdict => profitable ?? legal;
const questionOf = ({ pass, rule, nodes }: Step): string => `${pass} ${rule} ${nodes.join()}`;

/** Last answers to the same question, where the code or the outcome differs. */
export function changedDecisions(before: readonly Step[], after: readonly Step[]): ChangedDecision[] {
  const was = new Map(before.map((step) => [questionOf(step), step]));
  const is = new Map(after.map((step) => [questionOf(step), step]));
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((question) => {
    const [old, fresh] = [was.get(question) ?? null, is.get(question) ?? null];
    if (old && fresh && old.accepted === fresh.accepted && answerOf(old).code === answerOf(fresh).code) return [];
    const { pass, rule, nodes, edges } = (fresh ?? old)!;
    return [{ pass, rule, nodes, edges, before: old && answerOf(old), after: fresh && answerOf(fresh) }];
  });
}
