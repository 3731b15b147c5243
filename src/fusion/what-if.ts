/** @file What if: the same program planned with one choice changed, and every decision that came out otherwise. */
import type { Compilation } from "./compilation";
import {
  bug,
  type CompileOptions,
  type StepCost,
  type EdgeId,
  type NodeId,
  type Step,
  type Totals,
  type Verdict,
} from "./ir";
import { allPasses, pipelineOf, runPasses } from "./passes";
import { chosenFor, totalsOf } from "./cost";
import { fusionAt } from "./compile";

/** What one planning answered. */
export interface Taken {
  /** Its step, 1-based, in that planning. */
  readonly seq: number;
  readonly accepted: boolean;
  readonly verdict: Verdict;
  /** null where it was refused before it was priced. */
  readonly cost: StepCost | null;
}

/**
 * How an answer came out otherwise. `flipped`: yes became no or no became yes. `reason`: the same for another reason. `new` and
 * `gone`: only one of the plannings met the question.
 */
export type Change = "flipped" | "reason" | "new" | "gone";

/** One question that both plannings, or only one of them, answered. */
export interface ChangedDecision {
  readonly change: Change;
  readonly pass: string;
  readonly rule: string;
  readonly nodes: readonly NodeId[];
  readonly edges: readonly EdgeId[];
  /** The last answer; null where the question never came up. */
  readonly before: Taken | null;
  readonly after: Taken | null;
}

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
  const { naive, steps: before } = compilation;
  if (!naive) throw bug("a text with mistakes has no plan to change");
  const options = { ...compilation.options, ...change };
  const last =
    before.at(-1)?.totals ?? totalsOf(naive, compilation.options.profile, undefined, chosenFor(compilation.options));
  const sameMachine = options.profile === compilation.options.profile;
  const { steps, final } = runPasses(naive, options, pipelineOf(allPasses, options));
  return {
    options,
    before: last,
    after: steps.at(-1)?.totals ?? totalsOf(final, options.profile, undefined, chosenFor(options)),
    unchanged: sameMachine
      ? last
      : totalsOf(fusionAt(compilation, before.length), options.profile, undefined, chosenFor(options)),
    changed: changedDecisions(before, steps),
    steps,
  };
}

const taken = ({ seq, accepted, legal, profitable, cost }: Step): Taken => ({
  seq,
  accepted,
  verdict: profitable ?? legal,
  cost,
});
const questionOf = ({ pass, rule, nodes }: Step): string => `${pass} ${rule} ${nodes.join()}`;

function changeOf(old: Taken | null, fresh: Taken | null): Change | null {
  if (!old || !fresh) return old ? "gone" : "new";
  if (old.accepted !== fresh.accepted) return "flipped";
  return old.verdict.code === fresh.verdict.code ? null : "reason";
}

/** Last answers to the same question, where the code or the outcome differs. */
export function changedDecisions(before: readonly Step[], after: readonly Step[]): ChangedDecision[] {
  const was = new Map(before.map((step) => [questionOf(step), step]));
  const is = new Map(after.map((step) => [questionOf(step), step]));
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((question) => {
    const [first, second] = [was.get(question), is.get(question)];
    const [old, fresh] = [first ? taken(first) : null, second ? taken(second) : null];
    const change = changeOf(old, fresh);
    if (change === null) return [];
    const { pass, rule, nodes, edges } = (second ?? first)!;
    return [{ change, pass, rule, nodes, edges, before: old, after: fresh }];
  });
}
