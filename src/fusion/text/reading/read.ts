/** @file From the parser's tree to statements. Mistakes of form are found here; meaning comes later. Built bottom-up, so depth costs nothing. */
import type { Expr, Statement } from "./syntax";
import type { Diagnostics } from "./diagnostics";
import { indentAt, indentsOf } from "./lines";
import { aboutParser } from "./mistakes";
import { parseWithin } from "./parse";
import type { Item } from "./read-item";
import { readExpression, isExpression } from "./read-expression";
import { isStatement, lacksColon, readStatement } from "./read-statement";

export interface Program {
  readonly statements: readonly Statement[];
  /** Offset up to which the text was read. */
  readonly readTo: number;
}

const NO_PARTS: readonly Item[] = [];
const NO_STATEMENTS: readonly Statement[] = [];

/** Reads `text`; every mistake of form is added to `problems`. Never throws. */
export function readProgram(text: string, diagnostics: Diagnostics, moves: number): Program {
  const statements: Statement[] = [];
  // Parts of every open node, and where each node's own begin.
  const parts: Item[] = [];
  const marks: number[] = [];
  const stop = parseWithin(text, moves, {
    enter: () => void marks.push(parts.length),
    leave: (name, from, to) => {
      const mark = marks.pop()!;
      const own = mark === parts.length ? NO_PARTS : parts.splice(mark);
      if (name === "Comment") return;
      const lined = name === "Script" || name === "Body" ? aligned(text, diagnostics, own) : own;
      if (name === "Script") for (const part of lined) finishTopLevel(part);
      else parts.push(makeItem(name, from, to, lined));
    },
  });
  if (stop) diagnostics.add(stop.code, { from: stop.at, to: Math.min(stop.at + 1, text.length) }, stop.text);
  return { statements, readTo: stop?.at ?? text.length };

  function makeItem(name: string, from: number, to: number, parts: readonly Item[]): Item {
    const broken = name === "⚠" || parts.some((part) => part.broken);
    const expr: Expr | null = isExpression(name) ? readExpression(text, diagnostics, name, { from, to }, parts) : null;
    const item: Item = { name, from, to, parts: expr ? NO_PARTS : parts, broken, expr, statements: NO_STATEMENTS };
    if (expr || !isStatement(name)) return item;
    const read = readStatement(text, diagnostics, item);
    return { ...item, parts: NO_PARTS, statements: read, broken: false };
  }

  function finishTopLevel(part: Item): void {
    if (part.statements.length > 0) statements.push(...part.statements);
    else if (part.name === "⚠") {
      const said = aboutParser(text, part.from);
      if (said) diagnostics.add("syntax", said.span, said.text);
      else diagnostics.add("syntax", { from: part.from, to: Math.max(part.to, part.from) }, unexpected(text, part));
    }
  }
}

/** Statements with a body, which a line of less depth ends. */
const COMPOUND = /^(Function|Class)Definition$|^(For|While|If|With|Try)Statement$/;

/** The parts of a script or a body; a statement after a body that is indented like none of the lines around it says so, and goes on with that body. */
function aligned(text: string, diagnostics: Diagnostics, parts: readonly Item[]): readonly Item[] {
  const first = parts.find(({ statements }) => statements.length > 0);
  if (!first) return parts;
  const depth = indentAt(text, first.from).length;
  const lined: Item[] = [];
  // Indentations of the lines of the last part, read as far as this.
  let above = new Set<string>();
  let readFrom = 0;
  for (const part of parts) {
    const indent = indentAt(text, part.from);
    const isFirst = text.startsWith(`\n${indent}`, part.from - indent.length - 1);
    const after = lined.at(-1);
    const isOdd = part.statements.length > 0 && isFirst && indent.length > depth;
    if (!isOdd || !after || !COMPOUND.test(after.name)) {
      lined.push(part);
      continue;
    }
    // A later line, which the parser no longer takes into the body, may well be indented like some of it.
    const begins = part.from - indent.length;
    if (after.from > readFrom) [above, readFrom] = [new Set(), after.from];
    for (const each of indentsOf(text.slice(readFrom, begins))) above.add(each);
    readFrom = begins;
    if (!above.has(indent) && !lacksColon(text, after.from))
      diagnostics.add(
        "syntax",
        { from: part.from, to: part.to },
        "This line's indentation matches no line above it: indent it like the lines that it belongs to.",
      );
    lined[lined.length - 1] = { ...after, statements: joined(text, after.statements, part.statements, indent) };
  }
  return lined;
}

/** `more` at the end of the innermost body that stands out less than `indent`. */
function joined(
  text: string,
  statements: readonly Statement[],
  more: readonly Statement[],
  indent: string,
): readonly Statement[] {
  const last = statements.at(-1);
  const holds = last?.kind === "def" || last?.kind === "class";
  if (!holds || indentAt(text, last.span.from).length >= indent.length) return [...statements, ...more];
  return [...statements.slice(0, -1), { ...last, body: joined(text, last.body, more, indent) }];
}

function unexpected(text: string, { from, to }: Item): string {
  const word = text.slice(from, Math.min(to, from + 20)).trim();
  if (text.startsWith(">>", from) && /^>?>>\s/.test(text.slice(text.lastIndexOf("\n", from - 1) + 1)))
    return "Leave out the prompt `>>>`, and what Python answered.";
  return word === "" ? "Something is missing here." : `\`${word}\` has no meaning here.`;
}
