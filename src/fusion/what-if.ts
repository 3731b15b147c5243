/** @file What if: the same program planned with one choice changed, and every decision that came out otherwise. */
import type { Compilation } from "./compilation";
import { changedDecisions, type ChangedDecision } from "./changed-decisions";
import { bug, type CompileOptions, type Step, type Totals } from "./ir";
import { allPasses, pipelineOf, runPasses } from "./passes";
import { chosenFor, totalsOf } from "./cost";
import { fusionAt } from "./compile";

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
