/** @file Texts: plain ones, those with expressions in them, several side by side. */
import type { Expr } from "./syntax";
import { exprsOf } from "./read-item";
import { sourceOf, type ParserContext } from "./parser-context";

/** How many characters of `source` come before and after what the quotes hold. */
function quotesOf(source: string): readonly [before: number, after: number] {
  const letters = /^[a-zA-Z]*/.exec(source)![0].length;
  const quotes = /^("""|'''|"|')/.exec(source.slice(letters))?.[0].length ?? 0;
  return [letters + quotes, quotes];
}

export function readString(at: ParserContext): Expr {
  const source = sourceOf(at);
  const [before, after] = quotesOf(source);
  return { kind: "string", span: at.span, value: source.slice(before, source.length - after) };
}

/** `f"layer{i}"`: strings and the expressions between them, in order. How a number is to be printed is left out. */
export function readFormat(at: ParserContext): Expr {
  const [before, after] = quotesOf(sourceOf(at));
  const pieces: (string | Expr)[] = [];
  let next = at.span.from + before;
  for (const part of at.parts.filter(({ name }) => name === "FormatReplacement")) {
    pieces.push(at.text.slice(next, part.from), ...exprsOf(part.parts).slice(0, 1));
    next = part.to;
  }
  pieces.push(at.text.slice(next, at.span.to - after));
  return { kind: "format", span: at.span, pieces };
}

/** `"a" f"{b}"` is one text. */
export function readJoined({ span, parts }: ParserContext): Expr {
  const pieces = exprsOf(parts).flatMap((part) =>
    part.kind === "string" ? [part.value] : part.kind === "format" ? part.pieces : [],
  );
  const plain = pieces.every((piece) => typeof piece === "string");
  return plain ? { kind: "string", span, value: pieces.join("") } : { kind: "format", span, pieces };
}
