/** @file Deleting: a statement goes with its line, a nested op leaves `...`, and so does every expression that read what is gone. */
import { isHole, type NodeId, type Span, type TextEdit, isInside } from "../../ir";
import { findNode } from "../../ir";
import { wholeLines } from "../reading/lines";
import type { Parsed } from "../program";
import { parseProgram } from "../program";
import type { SymbolRecord } from "../values/values";
import type { Expr, Statement } from "../reading/syntax";
import { bare, bodiesOf } from "../reading/syntax";
import type { Edited } from "./draft";
import { Draft, refused } from "./draft";
import { bodyWith, spelledOut } from "./extract";
import { boundExpr, locked, noteFor } from "./locate";
import { changedIds, matchGraphs } from "./match";

/** Removes one statement: its lines when it has them alone, else its span with a `;`; `pass` when the body would be empty. */
export function statementRemoval(parsed: Parsed, statement: Statement): TextEdit {
  const { text } = parsed;
  const body = bodyWith(parsed.statements, statement) ?? [statement];
  if (body.length === 1 && body !== parsed.statements) return { span: statement.span, insert: "pass" };
  const lines = wholeLines(text, statement.span);
  const others = body.some((other) => other !== statement && other.span.from < lines.to && other.span.to > lines.from);
  const before = text.slice(lines.from, statement.span.from).trim();
  if (!others && before === "") return { span: lines, insert: "" };
  const { from, to } = statement.span;
  const after = /^[ \t]*;[ \t]*/.exec(text.slice(to, lines.to))?.[0].length ?? 0;
  const lead = after > 0 ? 0 : (/;?[ \t]*$/.exec(text.slice(lines.from, from))?.[0].length ?? 0);
  return { span: { from: from - lead, to: to + after }, insert: "" };
}

/** `return y, m` without `y`; the line goes when nothing is left. */
function withoutReturned(
  parsed: Parsed,
  statement: Extract<Statement, { kind: "return" }>,
  gone: readonly Expr[],
): readonly TextEdit[] {
  const left = statement.values.filter((value) => !gone.includes(value));
  if (left.length === 0) return [statementRemoval(parsed, statement)];
  return gone.map((value) => {
    const i = statement.values.indexOf(value);
    const next = statement.values[i + 1];
    const span: Span = next
      ? { from: value.span.from, to: next.span.from }
      : { from: statement.values[i - 1]!.span.to, to: value.span.to };
    return { span, insert: "" };
  });
}

interface Loss {
  readonly parsed: Parsed;
  /** Removed with the statement: uses inside need no edit. */
  readonly inside: Span | null;
}

const contains = (outer: Span | null, inner: Span): boolean =>
  outer !== null && outer.from <= inner.from && inner.to <= outer.to;

/** Puts `...` wherever `symbols` are read. */
function withoutUses({ parsed, inside }: Loss, symbols: readonly SymbolRecord[]): readonly TextEdit[] {
  const edits: TextEdit[] = [];
  const returned = new Map<Extract<Statement, { kind: "return" }>, Expr[]>();
  const seen = new Set<number>();
  for (const span of symbols.flatMap(({ uses }) => uses)) {
    if (contains(inside, span) || seen.has(span.from)) continue;
    seen.add(span.from);
    const statement = parsed.runs.find(
      ({ statement: each }) => bodiesOf(each).length === 0 && contains(each.span, span),
    )?.statement;
    if (statement?.kind === "update" && statement.target.span.from === span.from)
      edits.push(...spelledOut(statement, "..."));
    else if (
      statement?.kind === "return" &&
      statement.values.some((value) => bare(value).span.from === span.from) &&
      parsed.statements.includes(statement)
    ) {
      const value = statement.values.find((each) => bare(each).span.from === span.from)!;
      returned.set(statement, [...(returned.get(statement) ?? []), value]);
    } else {
      const receiver = /^\s*[.[]/.test(parsed.text.slice(span.to, span.to + 20));
      edits.push({ span, insert: receiver ? "(...)" : "..." });
    }
  }
  for (const [statement, gone] of returned) edits.push(...withoutReturned(parsed, statement, gone));
  return edits;
}

/** Edits that remove the parameter of a lone def. */
function withoutParam(parsed: Parsed, span: Span): TextEdit {
  const params = parsed.main?.params ?? [];
  const i = params.findIndex((param) => param.span.from === span.from);
  const next = params[i + 1];
  if (next) return { span: { from: span.from, to: next.span.from }, insert: "" };
  return { span: { from: params[i - 1]?.span.to ?? span.from, to: span.to }, insert: "" };
}

/** Whether a spot that reads one of `symbols` also reads another definition, as a loop's second iteration does: then the name must stay. */
function meansOthersToo(parsed: Parsed, symbols: readonly SymbolRecord[]): boolean {
  const spots = new Set(symbols.flatMap(({ uses }) => uses.map(({ from }) => from)));
  return parsed.symbols.some((other) => !symbols.includes(other) && other.uses.some(({ from }) => spots.has(from)));
}

function removalEdits(parsed: Parsed, id: NodeId): readonly TextEdit[] | string {
  const site = parsed.sites.get(id);
  if (!site) return "It has no text of its own to remove.";
  const { statement } = site.run;
  const symbols = parsed.symbols.filter((symbol) => symbol.nodes.includes(id));
  if (site.param) return [withoutParam(parsed, site.param.span), ...withoutUses({ parsed, inside: null }, symbols)];
  const expr = bare(site.expr);
  const bound =
    statement.kind === "assign" &&
    (statement.annotation === site.expr ||
      boundExpr(statement) === expr ||
      (statement.annotation && statement.value && bare(statement.value) === expr));
  const whole =
    bound ||
    (statement.kind === "expression" && bare(statement.value) === expr) ||
    (statement.kind === "update" && expr.kind === "binary" && expr.opSpan === statement.opSpan);
  if (whole && statement.kind === "assign" && statement.targets.length > 1)
    return [{ span: site.expr.span, insert: "..." }];
  if (whole) {
    // `y = x` beside `y = f(x)`: only names that the removed statement itself binds go dark.
    const own = symbols.filter((symbol) => symbol.statement === statement);
    const [first] = own;
    if (first && meansOthersToo(parsed, own)) return [{ span: statement.span, insert: `${first.name} = ...` }];
    return [statementRemoval(parsed, statement), ...withoutUses({ parsed, inside: statement.span }, own)];
  }
  if (statement.kind === "return" && parsed.statements.includes(statement)) {
    const value = statement.values.find((each) => bare(each) === expr);
    if (value) return withoutReturned(parsed, statement, [value]);
  }
  const receiver = /^\s*[.[]/.test(parsed.text.slice(site.expr.span.to, site.expr.span.to + 20));
  return [{ span: site.expr.span, insert: receiver ? "(...)" : "..." }];
}

/** Removes a node: its statement and, where it was read, `...`; a nested op leaves `...` in its span and takes its own operands along. */
export function removeNode(text: string, id: NodeId, parsed: Parsed = parseProgram(text)): Edited {
  const node = findNode(parsed.graph, id);
  if (!node) return refused(`There is no node ${id}.`);
  if (parsed.partOf.has(id)) return refused(locked(parsed, id));
  if (isHole(node) && isInside(id)) return refused("This operand is not connected.");
  const edits = removalEdits(parsed, id);
  if (typeof edits === "string") return refused(edits);
  const draft = new Draft(parsed);
  draft.edit(edits);
  const match = matchGraphs(parsed.graph, draft.parsed.graph);
  const { run } = parsed.sites.get(id)!;
  return {
    ok: true,
    edits: draft.edits(),
    ids: changedIds(match),
    note: noteFor(parsed, run),
    node: null,
  };
}
