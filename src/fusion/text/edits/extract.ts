/** @file Small steps that the larger edits are made of: name a nested value, replace an operand, move statements up. */
import type { Span, TextEdit } from "../../ir";
import type { StatementRun } from "../interpreter";
import { indentAt, wholeLines } from "../reading/lines";
import { freshName } from "../calls/names";
import type { Parsed } from "../program";
import type { Expr, Statement, UpdateStatement } from "../reading/syntax";
import { bare, bodiesOf, rootsOf, walk } from "../reading/syntax";
import type { Draft } from "./draft";
import type { OperandSite, ValueSite } from "./locate";
import { boundExpr, namesIn } from "./locate";

/** Whether `statement` starts its line. */
const startsLine = (text: string, { span }: Statement): boolean =>
  text.slice(text.lastIndexOf("\n", span.from - 1) + 1, span.from).trim() === "";

/** An edit that puts `line` before `statement`, on a line of its own where it has one. */
export function lineBefore(text: string, statement: Statement, line: string): TextEdit {
  const at = { from: statement.span.from, to: statement.span.from };
  return { span: at, insert: startsLine(text, statement) ? `${line}\n${indentAt(text, at.from)}` : `${line}; ` };
}

/** The source of `expr`, fit to stand alone: brackets go, and come back where it spans lines. */
function sourceOf(text: string, expr: Expr): string {
  const { span } = bare(expr);
  const source = text.slice(span.from, span.to);
  return source.includes("\n") ? `(${source})` : source;
}

/** A name for the value of `expr`: its op's, with a number. */
function nameFor(parsed: Parsed, expr: Expr): string {
  const inner = bare(expr);
  const site = [...parsed.sites.values()].find((candidate) => candidate.expr === inner);
  const callee = inner.kind === "call" ? bare(inner.callee) : null;
  const called = callee?.kind === "name" ? callee.name : callee?.kind === "member" ? callee.name.text : null;
  return freshName(site?.op?.name ?? called ?? "value", namesIn(parsed.text));
}

/** Gives a nested value a line and a name of its own. */
export function extract(draft: Draft, { expr, run }: ValueSite): string {
  const { parsed, text } = draft;
  const name = nameFor(parsed, expr);
  extractAs(draft, { expr, run }, name);
  return text === draft.text ? "" : name;
}

/** The same with a chosen name. */
export function extractAs(draft: Draft, { expr, run }: ValueSite, name: string): void {
  const { text } = draft;
  const { statement } = run;
  if (statement.kind === "expression" && bare(statement.value) === bare(expr)) {
    draft.edit([{ span: { from: statement.span.from, to: statement.span.from }, insert: `${name} = ` }]);
    return;
  }
  const line = lineBefore(text, statement, `${name} = ${sourceOf(text, expr)}`);
  draft.edit([line, wordEdit(text, outermost(statement, expr).span, name)]);
}

/** `expr` with the brackets around it. */
function outermost(statement: Statement, expr: Expr): Expr {
  const inner = bare(expr);
  for (const root of rootsOf(statement)) for (const each of walk(root)) if (bare(each) === inner) return each;
  return expr;
}

/** Whether a value stands inside a larger expression, so that no name is bound to it alone. */
export function isNested({ expr, run: { statement } }: ValueSite): boolean {
  if (statement.kind === "update") return expr.kind !== "binary" || expr.opSpan !== statement.opSpan;
  if (statement.kind === "def") return false;
  return statement.kind !== "assign" || (statement.annotation !== expr && boundExpr(statement) !== bare(expr));
}

const ATOMS: ReadonlySet<Expr["kind"]> = new Set([
  "name",
  "number",
  "call",
  "member",
  "subscript",
  "paren",
  "hole",
  "tuple",
  "list",
]);

/** `y += e` as `y = insert + e`. */
export function spelledOut({ op, opSpan, value }: UpdateStatement, insert: string): readonly TextEdit[] {
  const edits: TextEdit[] = [{ span: opSpan, insert: `= ${insert} ${op}` }];
  if (ATOMS.has(value.kind)) return edits;
  const { from, to } = value.span;
  return [...edits, { span: { from, to: from }, insert: "(" }, { span: { from: to, to }, insert: ")" }];
}

/** An edit that keeps words apart: `not(x)` becomes `not y`. */
export function wordEdit(text: string, span: Span, insert: string): TextEdit {
  const before = /\w$/.test(text.slice(0, span.from).slice(-1)) && /^\w/.test(insert) ? " " : "";
  const after = /^\w/.test(text.slice(span.to, span.to + 1)) && /\w$/.test(insert) ? " " : "";
  return { span, insert: before + insert + after };
}

/** Edits that put `insert` instead of an operand. */
export function replaceOperand(text: string, { site, operand }: OperandSite, insert: string): readonly TextEdit[] {
  const { statement } = site.run;
  if (operand.expr === null) return statement.kind === "update" ? spelledOut(statement, insert) : [];
  const { span } = operand.expr;
  const receiver = insert === "..." && /^\s*[.[]/.test(text.slice(span.to, span.to + 20));
  return [wordEdit(text, span, receiver ? "(...)" : insert)];
}

/** Whole lines of a statement, or null when it shares one with another statement. */
function ownLines(text: string, statement: Statement, body: readonly Statement[]): Span | null {
  const lines = wholeLines(text, statement.span);
  const shared = body.some((other) => other !== statement && other.span.from < lines.to && other.span.to > lines.from);
  return shared || !startsLine(text, statement) ? null : lines;
}

/** Statements between `before` and `moved` that `moved` needs, in order, itself last; null when it needs `before` itself. */
function neededBetween(
  parsed: Parsed,
  body: readonly Statement[],
  before: StatementRun,
  moved: StatementRun,
): readonly Statement[] | null {
  const [first, last] = [body.indexOf(before.statement), body.indexOf(moved.statement)];
  if (first < 0 || last <= first) return null;
  const needed = new Set<Statement>([moved.statement]);
  for (let i = last; i > first; i--) {
    const statement = body[i]!;
    if (!needed.has(statement)) continue;
    const run = parsed.runs.find((candidate) => candidate.statement === statement && candidate.frame === moved.frame);
    for (const root of rootsOf(statement)) {
      for (const expr of walk(root)) {
        if (expr.kind !== "name" || !run) continue;
        const from = run.frame.scope.findAt(expr.name, run.step)?.symbol.statement;
        if (from === before.statement) return null;
        if (from && body.indexOf(from) > first) needed.add(from);
      }
    }
  }
  return body.filter((statement) => needed.has(statement));
}

/** Moves the statement of `moved`, and what it needs, above the statement of `before`. False when that is not possible. */
export function moveUp(draft: Draft, before: StatementRun, moved: StatementRun): boolean {
  const { parsed, text } = draft;
  const body = bodyWith(parsed.statements, before.statement);
  const needed = body && neededBetween(parsed, body, before, moved);
  if (!needed) return false;
  const spans = needed.map((statement) => ownLines(text, statement, body));
  const start = ownLines(text, before.statement, body)?.from;
  if (start === undefined || spans.some((span) => span === null)) return false;
  const known = spans.filter((span) => span !== null);
  const moving = known
    .map((span) => text.slice(span.from, span.to))
    .map((line) => (line.endsWith("\n") ? line : `${line}\n`));
  draft.edit([
    ...known.map((span) => ({ span, insert: "" })),
    { span: { from: start, to: start }, insert: moving.join("") },
  ]);
  return true;
}

/** The list of statements that `statement` stands in. */
export function bodyWith(statements: readonly Statement[], statement: Statement): readonly Statement[] | null {
  const left: (readonly Statement[])[] = [statements];
  for (let body = left.pop(); body; body = left.pop()) {
    if (body.includes(statement)) return body;
    for (const each of body) left.push(...bodiesOf(each));
  }
  return null;
}
