/** @file What readers of expressions and statements say of mistakes of form. */
import type { Span } from "../../ir";
import type { Diagnostics } from "./diagnostics";
import type { Item } from "./read-item";
import { spanOf } from "./read-item";
import { openQuote } from "./scan";
import type { Expr } from "./syntax";

/** What looks like a sign of Python and is none: word processors and web pages put them there instead. */
const LOOKALIKES: ReadonlyMap<string, string> = new Map([
  ["–", "-"],
  ["—", "-"],
  ["−", "-"],
  ["×", "*"],
  ["÷", "/"],
  ["“", '"'],
  ["”", '"'],
  ["‘", "'"],
  ["’", "'"],
]);
/** Longer rows of operators than this many characters are cut by the parser, wherever that is. */
const LONGEST = 2000;

/** A mistake at `at` that has its cause in how the parser reads; null where it means what it seems to. */
export function aboutParser(text: string, at: number): { readonly span: Span; readonly text: string } | null {
  const from = text.lastIndexOf("\n", at - 1) + 1;
  const near = text.slice(Math.max(from, at - 1), at + 3).search(/[–—−×÷“”‘’]/);
  if (near >= 0) {
    const position = Math.max(from, at - 1) + near;
    const sign = text[position]!;
    return {
      span: { from: position, to: position + 1 },
      text: `\`${sign}\` is no sign of Python: write \`${LOOKALIKES.get(sign)!}\`.`,
    };
  }
  const isOperator = /[-+*/%@&|^~.]\s*$/.test(text.slice(Math.max(from, at - 9), at + 1));
  return at - from > LONGEST && isOperator
    ? { span: { from, to: from + 1 }, text: "This line is too long to be read: give parts of it names of their own." }
    : null;
}

/** What the readers of expressions share: where they are, and the words for a mistake of form. */
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
  const said = aboutParser(text, error.from);
  if (said !== null) return diagnostics.add("syntax", said.span, said.text);
  const at = error.from < error.to ? spanOf(error) : { from: Math.max(span.from, error.from - 1), to: error.to };
  diagnostics.add(
    "syntax",
    at,
    word === "" ? `${what[0]!.toUpperCase()}${what.slice(1)}` : `\`${word}\` has no meaning here: ${what}`,
  );
}

export function notClosed(
  { diagnostics, text }: ParserContext,
  from: number,
  end: number,
  close: string,
  what: string,
): void {
  const to = text.slice(0, end).trimEnd().length;
  const quote = openQuote(text, from, to);
  if (quote !== null)
    return diagnostics.add("not-closed", { from: quote, to }, `This text is not closed: add \`${text[quote]!}\`.`);
  diagnostics.add("not-closed", { from, to: Math.max(to, from + 1) }, `${what} is not closed: add \`${close}\`.`, {
    fixes: [{ title: `Add ${close}`, edits: [{ span: { from: to, to }, insert: close }] }],
  });
}
