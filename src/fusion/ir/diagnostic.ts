/** @file The user's mistakes, as data. */
import type { NodeId } from "./ids";
import type { Span } from "./graph";

export interface TextEdit {
  readonly span: Span;
  readonly insert: string;
}

export interface Diagnostic {
  /** Stable, kebab-case: `unknown-op`, `shape-mismatch`, `not-closed`, `unused-value` … */
  readonly code: string;
  readonly severity: "error" | "warning" | "info";
  readonly span: Span;
  /** 1-based. */
  readonly line: number;
  readonly column: number;
  /** What is wrong, where, and what to do; names both shapes in words where shapes clash. */
  readonly text: string;
  readonly nodes?: readonly NodeId[];
  readonly fixes?: readonly { readonly title: string; readonly edits: readonly TextEdit[] }[];
}

/** For rules that answer with a value or with the user's mistake. */
export type Checked<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly code: string; readonly text: string };
