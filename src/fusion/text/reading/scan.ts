/** @file Looks over the characters before the parser does: where an unclosed bracket must be given up, and where reading must stop. Linear. */
import type { Span } from "../../ir";
import { indentAt } from "./lines";

/** Deeper than people write; the parser itself stays right up to 2,700. */
export const MAX_NESTING = 500;
/** So many impossible characters or unmatched brackets, and it is no program. */
const MAX_STRAYS = 60;
const MAX_CUTS = 60;
/**
 * The text as the parser is shown it, every offset unchanged. `f32[]`, a scalar's type, gets spaces: Python has no empty index.
 * Line breaks that only Unicode knows and characters without a width are spaces: in a name they would break a shader's line.
 * What a notebook alone understands (`%matplotlib inline`, `!pip install`) is a comment.
 * `1.` and `1.e5` lose their point, which the grammar does not know; numbers are read from the text itself.
 */
export const readable = (text: string): string =>
  text
    .replaceAll(/[\u0085\u2028\u2029\u200b-\u200f\u2060\ufeff]/g, " ")
    .replaceAll(/^[%!](?=[%!]?[a-z])/gm, "#")
    .replaceAll(/\b(f32|f16|i32|bool)\[\s*\]/g, (found, dtype: string) => dtype.padEnd(found.length))
    .replaceAll(/(?<![\w.])(\d[\d_]*)\.(?=[eE][-+]?\d)/g, "$10")
    .replaceAll(/(?<![\w.])(\d[\d_]*)\.(?![\w.])/g, "$1 ");

export interface Scan {
  /** Parsed one by one; a cut lies after an unclosed bracket's line, so that the next statement is read as usual. */
  readonly segments: readonly Span[];
  /** Why the rest after the last segment is not read; null when all is. */
  readonly stop: { readonly at: number; readonly code: string; readonly text: string } | null;
}

const codesOf = (text: string): ReadonlySet<number> => new Set(Array.from(text, (c) => c.charCodeAt(0)));
const OPEN = codesOf("([{");
const CLOSE = codesOf(")]}");
const IMPOSSIBLE = codesOf("$?!`");
const NEWLINE = 10;
const HASH = 35;
const BACKSLASH = 92;

const PARTNER: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };
const STATEMENT = /^(?:[A-Za-z_]\w*\s*(?::|(?:[-+*/%@]|\*\*|\/\/)?=(?!=))|(?:def|for|return|train|eval)\b)/;

/** Surely a statement even inside an open bracket: with spaces around `=`, where an argument has none. */
const SURELY = /^(?:[A-Za-z_]\w*\s*:(?!=)|[A-Za-z_]\w*[ \t]+(?:[-+*/%@]|\*\*|\/\/)?=\s|(?:def|for|return)\s)/;

/** Whether the line at `at` begins a statement no deeper than the line of the bracket at `open` does. */
function interrupts(text: string, open: number, at: number): boolean {
  const depth = indentAt(text, open).length;
  const line = text.slice(at, at + 80);
  const start = line.search(/[^ \t]/);
  return start >= 0 && start <= depth && SURELY.test(line.slice(start));
}

/** After the string that starts at `at` (a quote): one line for `"`, many for `"""`. */
function afterString(text: string, at: number): number {
  const quote = text[at]!;
  const long = text.startsWith(quote.repeat(3), at);
  const end = long ? quote.repeat(3) : quote;
  for (let i = at + end.length; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === BACKSLASH) i++;
    else if (code === NEWLINE && !long) return i;
    else if (text.startsWith(end, i)) return i + end.length;
  }
  return text.length;
}

/** The quote between these offsets that begins a text of one line and has no other; null where there is none. */
export function openQuote(text: string, from: number, to: number): number | null {
  for (let i = from; i < to; i++) {
    const code = text.charCodeAt(i);
    if (code === HASH) i = text.indexOf("\n", i) < 0 ? to : text.indexOf("\n", i);
    if (code !== 34 && code !== 39) continue;
    const end = afterString(text, i);
    if (!text.startsWith(text[i]!.repeat(3), i) && (end > to || text[end - 1] !== text[i] || end === i + 1)) return i;
    i = end - 1;
  }
  return null;
}

interface Pass {
  /** Offset of the outermost bracket that is never closed, or null. */
  readonly unclosed: number | null;
  readonly stop: Scan["stop"];
}

const tooDeep = (at: number): Scan["stop"] => ({
  at,
  code: "too-deep",
  text: `Brackets are nested more than ${MAX_NESTING} deep here. Give the inner values names of their own.`,
});
const notAProgram = (at: number): Scan["stop"] => ({
  at,
  code: "not-a-program",
  text: "This does not look like a program: it has too many unexpected characters. The rest was not read.",
});

/** Balances brackets from `from` on. */
function balance(text: string, from: number): Pass {
  const stack: number[] = [];
  let strays = 0;
  for (let i = from; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 64 && code < 91) continue;
    if (code > 96 && code < 123) continue;
    if (code === NEWLINE) {
      if (stack.length > 0 && interrupts(text, stack[0]!, i + 1)) return { unclosed: stack[0]!, stop: null };
    } else if (code === HASH) {
      const end = text.indexOf("\n", i);
      i = end < 0 ? text.length : end - 1;
    } else if (code === 34 || code === 39) i = afterString(text, i) - 1;
    else if (OPEN.has(code)) {
      stack.push(i);
      if (stack.length > MAX_NESTING) return { unclosed: null, stop: tooDeep(i) };
    } else if (CLOSE.has(code)) {
      const last = stack.at(-1);
      if (last !== undefined && text[last] === PARTNER[text[i]!]) stack.pop();
      else if (last !== undefined) return { unclosed: stack[0]!, stop: null };
      else strays++;
    } else if ((code < 32 && code !== 9 && code !== 10 && code !== 13) || (IMPOSSIBLE.has(code) && text[i + 1] !== "="))
      strays++;
    if (strays > MAX_STRAYS) return { unclosed: null, stop: notAProgram(i) };
  }
  return { unclosed: stack[0] ?? null, stop: null };
}

/** Start of the first line after `from` that begins a statement no deeper than the line of `from` does; null when there is none. */
function nextStatement(text: string, from: number): number | null {
  const depth = indentAt(text, from).length;
  for (let at = text.indexOf("\n", from) + 1; at > 0; at = text.indexOf("\n", at) + 1) {
    const end = text.indexOf("\n", at);
    const line = text.slice(at, end < 0 ? text.length : Math.min(end, at + 200));
    const start = line.search(/\S/);
    if (start >= 0 && start <= depth && STATEMENT.test(line.slice(start))) return at;
  }
  return null;
}

/** Cuts `text` where the parser should start afresh. */
export function scan(text: string): Scan {
  const segments: Span[] = [];
  let from = 0;
  for (;;) {
    const { unclosed, stop } = balance(text, from);
    if (stop) {
      const to = text.lastIndexOf("\n", stop.at) + 1;
      if (to > from) segments.push({ from, to });
      return { segments, stop };
    }
    const cut = unclosed === null || segments.length >= MAX_CUTS ? null : nextStatement(text, unclosed);
    if (cut === null) break;
    segments.push({ from, to: cut });
    from = cut;
  }
  segments.push({ from, to: text.length });
  return { segments, stop: null };
}
