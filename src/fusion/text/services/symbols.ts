/** @file Names under the cursor: what they are, where they are defined, and what a rename touches. */
import type { Span } from "../../ir";
import type { Edited } from "../edits/draft";
import { refused } from "../edits/draft";
import { renameSymbol } from "../edits/rename";
import type { Parsed } from "../program";
import type { SymbolRecord } from "../values/values";

const holds = (span: Span, offset: number): boolean => span.from <= offset && offset <= span.to;

/** The symbol that is defined or used at `offset`, with the spot itself; null when there is none. A use counts for the newest definition it can mean. */
export function symbolAt(
  parsed: Parsed,
  offset: number,
): { readonly symbol: SymbolRecord; readonly span: Span } | null {
  let used: { symbol: SymbolRecord; span: Span } | null = null;
  for (const symbol of parsed.symbols) {
    if (holds(symbol.definition, offset)) return { symbol, span: symbol.definition };
    const span = symbol.uses.find((use) => holds(use, offset));
    if (span) used = { symbol, span };
  }
  return used;
}

/** Where the name at `offset` is defined; null when nothing is named there. */
export const definitionAt = (parsed: Parsed, offset: number): Span | null =>
  symbolAt(parsed, offset)?.symbol.definition ?? null;

/** Renames the name at `offset` wherever it means the same value. */
export function renameEdits(parsed: Parsed, offset: number, newName: string): Edited {
  const found = symbolAt(parsed, offset);
  return found ? renameSymbol(parsed, found.symbol, newName) : refused("There is no name here that could be changed.");
}
