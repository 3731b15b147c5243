/** @file Offsets to lines and columns. */
import type { Span } from "../../ir";

export interface Lines {
  /** 1-based. */
  readonly lineAt: (offset: number) => number;
  /** 1-based, in UTF-16 units. */
  readonly columnAt: (offset: number) => number;
  /** Where line `line` (1-based) starts. */
  readonly startOf: (line: number) => number;
  readonly count: number;
}

export function linesOf(text: string): Lines {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  const index = (offset: number): number => {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  };
  return {
    lineAt: (offset) => index(offset) + 1,
    columnAt: (offset) => offset - starts[index(offset)]! + 1,
    startOf: (line) => starts[Math.min(line, starts.length) - 1] ?? 0,
    count: starts.length,
  };
}

/** Both 1-based, in UTF-16 units. */
export function lineAndColumn(text: string, offset: number): { line: number; column: number } {
  const lines = linesOf(text);
  return { line: lines.lineAt(offset), column: lines.columnAt(offset) };
}

/** The whole lines `span` touches, with the line break after them. */
export function wholeLines(text: string, span: Span): Span {
  const from = text.lastIndexOf("\n", span.from - 1) + 1;
  const end = text.indexOf("\n", Math.max(span.to - (text[span.to - 1] === "\n" ? 1 : 0), from));
  return { from, to: end < 0 ? text.length : end + 1 };
}

/** Spaces and tabs that the line of `offset` starts with. */
export function indentAt(text: string, offset: number): string {
  const from = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(from, from + 200))![0];
}

/** What the lines of `text` are indented by. */
export const indentsOf = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(/^([ \t]*)[^\s#]/gm)].map(([, indent]) => indent!));
