/** @file What surrounds the cursor, from the characters alone: the text may be half typed. */
import type { CompositeDef, OpDef } from "../../ops";
import { findOp } from "../../ops";
import { indentAt } from "../reading/lines";
import type { Parsed } from "../program";
import type { DefStatement } from "../reading/syntax";

/** How far back an open call is looked for. */
const MAX_CHARACTERS_BACK = 4000;

export interface OpenCall {
  /** Last word before the bracket. */
  readonly name: string;
  /** The word or bracket before the dot of a method call; null for a plain call. */
  readonly receiver: string | null;
  /** Arguments before the cursor. */
  readonly index: number;
  /** Keyword of the argument under the cursor, or null. */
  readonly keyword: string | null;
  /** Source from the bracket to the cursor. */
  readonly inside: string;
}

/** Name characters just before `offset`. */
export const wordBefore = (text: string, offset: number): string =>
  /[A-Za-z_]\w*$/.exec(text.slice(Math.max(0, offset - 100), offset))?.[0] ?? "";

/** The whole word around `offset`. */
export function wordAt(
  text: string,
  offset: number,
): { readonly word: string; readonly from: number; readonly to: number } {
  const before = wordBefore(text, offset);
  const after = /^\w*/.exec(text.slice(offset, offset + 100))![0];
  return { word: before + after, from: offset - before.length, to: offset + after.length };
}

/** Whether `offset` is inside a comment or a quoted text. */
export function isQuiet(text: string, offset: number): boolean {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  let quote = "";
  for (const c of line) {
    if (quote !== "") quote = c === quote ? "" : quote;
    else if (c === "#") return true;
    else if (c === '"' || c === "'") quote = c;
  }
  return quote !== "";
}

/** The innermost call that is open at `offset`, or null. */
export function openCallAt(text: string, offset: number): OpenCall | null {
  let depth = 0;
  let commas = 0;
  let argument = offset;
  for (let i = offset - 1; i >= Math.max(0, offset - MAX_CHARACTERS_BACK); i--) {
    const c = text[i]!;
    if (c === ")" || c === "]" || c === "}") depth++;
    else if (c === "," && depth === 0) {
      if (commas === 0) argument = i + 1;
      commas++;
    } else if (c === "\n" && depth === 0 && startsStatement(text, i + 1)) return null;
    else if ((c === "[" || c === "{" || c === "(") && depth > 0) depth--;
    else if (c === "(") {
      const found = /(?:([\w\])]+)\s*\.\s*)?([A-Za-z_]\w*)\s*$/.exec(text.slice(Math.max(0, i - 200), i));
      const rest = text.slice(commas === 0 ? i + 1 : argument, offset);
      const keyword = /^\s*([A-Za-z_]\w*)\s*=(?!=)/.exec(rest)?.[1] ?? null;
      return found
        ? { name: found[2]!, receiver: found[1] ?? null, index: commas, keyword, inside: text.slice(i + 1, offset) }
        : null;
    } else if (c === "[" || c === "{") commas = 0;
  }
  return null;
}

const startsStatement = (text: string, at: number): boolean =>
  indentAt(text, at) === "" &&
  /^[A-Za-z_]\w*\s*(?::|[-+*/@%]?=(?!=))|^(?:def|for|return)\b/.test(text.slice(at, at + 100));

/** The op an open call means: what a def or a prefix hides is not looked at. */
export const opOf = ({ name }: OpenCall): OpDef | CompositeDef | null => {
  const op = findOp(name);
  return op && op.kind !== "source" ? op : null;
};

/** Whether the first parameter is taken by what stands before the dot. */
export const isMethod = ({ receiver }: OpenCall, prefixes: ReadonlySet<string>): boolean =>
  receiver !== null && !prefixes.has(receiver);

/** The user's def of that name, or null. */
export function defNamed(parsed: Parsed, name: string): DefStatement | null {
  const bound = parsed.scope.find(name);
  return bound?.value.kind === "def" ? bound.value.def : null;
}

/** Name of the def that `offset` is inside of; empty at the top. */
export function ownerAt(parsed: Parsed, offset: number): string {
  const inside = parsed.statements.find(
    (statement) => statement.kind === "def" && statement.span.from <= offset && offset <= statement.span.to + 1,
  );
  if (inside?.kind !== "def" || inside === parsed.main) return "";
  return indentAt(parsed.text, offset) === "" ? "" : inside.name.text;
}
