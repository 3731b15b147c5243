/** @file What the readers of expressions share: where they are, and the words for a mistake of form. */
import type { Span } from "../ir";
import type { Expr } from "./syntax";
import type { Diagnostics } from "./diagnostics";
import type { Item } from "./read-item";
import { spanOf } from "./read-item";

export type ExpressionReader = (at: ParserContext) => Expr;
export interface ParserContext {
  readonly text: string;
  readonly diagnostics: Diagnostics;
  readonly span: Span;
  readonly parts: readonly Item[];
}

export const sourceOf = ({ text, span }: ParserContext): string => text.slice(span.from, span.to);
export const bad = (span: Span): Expr => ({ kind: "bad", span });

/** An error node among `parts`, with a sentence that knows where it is. */
export function blame({ diagnostics, span, text, parts }: ParserContext, what: string): void {
  const error = parts.find((part) => part.name === "⚠");
  if (!error) return;
  const word = text.slice(error.from, Math.min(error.to, error.from + 20)).trim();
  const at = error.from < error.to ? spanOf(error) : { from: Math.max(span.from, error.from - 1), to: error.to };
  diagnostics.add("syntax", at, word === "" ? what : `\`${word}\` has no meaning here: ${what}`);
}

export function notClosed(
  { diagnostics, text }: ParserContext,
  from: number,
  end: number,
  close: string,
  what: string,
): void {
  const to = text.slice(0, end).trimEnd().length;
  diagnostics.add("not-closed", { from, to: Math.max(to, from + 1) }, `${what} is not closed: add \`${close}\`.`, {
    fixes: [{ title: `Add ${close}`, edits: [{ span: { from: to, to }, insert: close }] }],
  });
}
