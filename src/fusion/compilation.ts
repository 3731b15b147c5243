/** @file What compiling a text gives. Plain data: it crosses workers and becomes JSON; states between steps are replayed from it. */
import type { CompileOptions, Diagnostic, Fusion, Plan, Step, NodeId, Span, Update } from "./ir";

/** One name of the program, for hover, rename, go-to-definition and inlay hints. */
export interface Symbol {
  readonly name: string;
  readonly node: NodeId | null;
  readonly definition: Span;
  readonly uses: readonly Span[];
}

/** What the text asks of the final plan (`assert_bytes(n)` …), and whether it is so. */
export interface Goal {
  /** `≤ 12 MiB moved` */
  readonly wants: string;
  /** `18 MiB`; null where there is nothing to count. */
  readonly has: string | null;
  readonly isMet: boolean;
  readonly span: Span;
}

export interface Compilation {
  readonly text: string;
  readonly options: CompileOptions;
  readonly diagnostics: readonly Diagnostic[];
  readonly symbols: readonly Symbol[];
  /** In the text's order; none while there is no plan. */
  readonly goals: readonly Goal[];
  /** The source graph, composites expanded, with one region per kernel of the naive plan. Null when the text has errors or holes: then there are no plans. */
  readonly naive: Fusion | null;
  /** What a step of training replaces: none in a program that does not train. Inputs and outputs are the source graph's. */
  readonly updates: readonly Update[];
  /** What the parser understood, errors or not: it is drawn. */
  readonly drawn: Fusion["graph"];
  readonly steps: readonly Step[];
  readonly naivePlan: Plan | null;
  readonly fusedPlan: Plan | null;
  /** ms, by the caller's clock when it passed one; for the compile-time chart. */
  readonly millis: { readonly parse: number; readonly passes: number; readonly codegen: number };
}
