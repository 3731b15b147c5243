/** @file Statements out of tree nodes; Python outside the language gets a sentence of its own. */
import type { Span } from "../../ir";
import type { ContextPart, Expr, NameExpr, Statement } from "./syntax";
import { readMatch, tryStatements } from "./read-choices";
import { lastNameOf } from "./syntax";
import type { Diagnostics } from "./diagnostics";
import type { Item } from "./read-item";
import { exprsOf, partNamed, spanOf, splitAtCommas } from "./read-item";
import { readParams, typeIn } from "./read-param";
import { indentAt, wholeLines } from "./lines";
import { withElse } from "./loop-else";
import { aboutParser } from "./mistakes";
import { OWN_MODULES } from "./own-modules";

const OUTSIDE: ReadonlyMap<string, string> = new Map([
  ["PrintStatement", "`print` is not part of this language: hover a name to see its value's type."],
  ["TypeDefinition", "`type` is not part of this language."],
]);

const READ = new Set([
  "AssignStatement",
  "UpdateStatement",
  "ExpressionStatement",
  "ReturnStatement",
  "FunctionDefinition",
  "AssertStatement",
  "ClassDefinition",
  "ForStatement",
  "WhileStatement",
  "YieldStatement",
  "WithStatement",
  "TryStatement",
  "DeleteStatement",
  "BreakStatement",
  "ContinueStatement",
  "RaiseStatement",
  "IfStatement",
  "MatchStatement",
  "PassStatement",
  "ScopeStatement",
  "ImportStatement",
  "StatementGroup",
  "DecoratedStatement",
]);

export const isStatement = (name: string): boolean => READ.has(name) || OUTSIDE.has(name);

interface ParserContext {
  readonly text: string;
  readonly diagnostics: Diagnostics;
  readonly item: Item;
  readonly span: Span;
}

/** Span without the line break that the parser may count in. */
function trimmed(text: string, { from, to }: Item): Span {
  let end = to;
  while (end > from && /\s/.test(text[end - 1]!)) end--;
  return { from, to: end };
}

/** Reads the statement(s) `item` stands for. */
export function readStatement(text: string, diagnostics: Diagnostics, item: Item): readonly Statement[] {
  const context: ParserContext = { text, diagnostics, item, span: trimmed(text, item) };
  const outside = OUTSIDE.get(item.name);
  if (outside !== undefined) {
    diagnostics.add("outside-language", firstLine(context), outside);
    return [{ kind: "bad", span: context.span, targets: [] }];
  }
  switch (item.name) {
    case "StatementGroup":
      return item.parts.flatMap((part) => part.statements);
    case "DecoratedStatement": {
      const decorators = exprsOf(item.parts);
      return item.parts.flatMap((part) =>
        part.statements.map((statement) =>
          statement.kind === "def" || statement.kind === "class" ? { ...statement, decorators } : statement,
        ),
      );
    }
    case "AssignStatement":
      return [readAssign(context)];
    case "UpdateStatement":
      return [readUpdate(context)];
    case "ReturnStatement":
      return [{ kind: "return", span: context.span, values: returned(item) }];
    case "FunctionDefinition":
      return [readDef(context)];
    case "ForStatement":
      return readFor(context);
    case "IfStatement":
      return [readIf(context)];
    case "ClassDefinition":
      return [readClass(context)];
    case "ImportStatement":
      return [readImport(context)];
    case "AssertStatement": {
      const [test] = exprsOf(item.parts);
      return [test ? { kind: "assert", span: context.span, test } : { kind: "bad", span: context.span, targets: [] }];
    }
    case "PassStatement":
      return [{ kind: "pass", span: context.span }];
    case "ScopeStatement": {
      const [word, ...names] = text.slice(context.span.from, context.span.to).split(/[\s,]+/);
      return [{ kind: "pass", span: context.span, outer: { names, isGlobal: word === "global" } }];
    }
    case "DeleteStatement":
      return readDelete(context);
    case "BreakStatement":
    case "ContinueStatement":
      return [{ kind: item.name === "BreakStatement" ? "break" : "continue", span: context.span }];
    case "RaiseStatement":
      return [{ kind: "raise", span: context.span }];
    case "WhileStatement":
      return readWhile(context);
    case "YieldStatement":
      return [readYield(context)];
    case "MatchStatement": {
      const found = readMatch(text, item, statementsOf);
      if (found) return found;
      const advice =
        "`match` tells values apart here: behind `case` stand numbers, texts, names and `_`. Write `if` and `elif`.";
      diagnostics.add("outside-language", firstLine(context), advice);
      return [{ kind: "bad", span: context.span, targets: [] }];
    }
    case "WithStatement":
      return readWith(context);
    case "TryStatement":
      return readTry(context);
    default:
      return [readExpressionStatement(context)];
  }
}

function firstLine({ text, span }: ParserContext): Span {
  const end = text.indexOf("\n", span.from);
  return { from: span.from, to: end < 0 ? span.to : Math.min(end, span.to) };
}

/** `del items[0]` takes an entry out, as `items.pop(0)` does; what a name stands for needs no end. */
function readDelete({ item, span, diagnostics }: ParserContext): readonly Statement[] {
  const taken = exprsOf(item.parts).flatMap((expr) => (expr.kind === "tuple" ? expr.items : [expr]));
  const statements = taken.flatMap((expr): Statement[] => {
    const [index] = expr.kind === "subscript" ? expr.indices : [];
    if (expr.kind === "subscript" && index?.kind === "slice")
      diagnostics.add(
        "outside-language",
        expr.span,
        "`del` takes one entry: write the list that is left, items = items[:1] + items[3:].",
      );
    if (expr.kind !== "subscript" || index?.kind !== "at") return [];
    const name = { text: "pop", span: expr.span };
    const callee: Expr = { kind: "member", span: expr.span, object: expr.object, name };
    const args = [{ name: null, value: index.value, span: index.value.span }];
    const { from, to } = expr.span;
    return [
      { kind: "expression", span, value: { kind: "call", span: { from, to }, callee, args, open: to, close: to } },
    ];
  });
  return statements.length > 0 ? statements : [{ kind: "pass", span }];
}

/** One expression, or the tuple that `a, b` without brackets is; `*a` in it is unpacked. */
function groupExpr(group: readonly Item[]): Expr | null {
  const exprs = exprsOf(group);
  const [first] = exprs;
  if (!first) return null;
  if (exprs.length === 1 && !group.some(({ name }) => name === "," || name === "*")) return first;
  const starred = splitAtCommas(group).flatMap(([sign], i) => (sign!.name === "*" ? [i] : []));
  return { kind: "tuple", span: { from: group[0]!.from, to: exprs.at(-1)!.span.to }, items: exprs, starred };
}

/** What `return` gives back, one by one where their number is written. */
function returned(item: Item): readonly Expr[] {
  const value = groupExpr(item.parts.filter(({ name }) => name !== "return"));
  if (!value) return [];
  return value.kind === "tuple" && value.starred.length === 0 && !item.parts.some(({ expr }) => expr === value)
    ? value.items
    : [value];
}

function strayErrors({ diagnostics, text, item, span }: ParserContext, what: string): boolean {
  let any = false;
  for (const part of item.parts) {
    if (part.name !== "⚠") continue;
    any = true;
    const word = text.slice(part.from, Math.min(part.to, part.from + 20)).trim();
    const at = word === "" ? { from: Math.max(span.from, span.to - 1), to: span.to } : spanOf(part);
    const said = aboutParser(text, part.from);
    if (said) diagnostics.add("syntax", said.span, said.text);
    else diagnostics.add("syntax", at, word === "" ? what : `\`${word}\` has no meaning here.`);
  }
  return any;
}

function readAssign(context: ParserContext): Statement {
  const { item, span, diagnostics } = context;
  const groups: Item[][] = [[]];
  let annotation: Expr | null = null;
  for (const part of item.parts) {
    if (part.name === "AssignOp") groups.push([]);
    else if (part.name === "TypeDef") annotation = typeIn(context.text, part);
    else if (part.name !== "⚠") groups.at(-1)!.push(part);
  }
  if (annotation?.kind === "bad")
    diagnostics.add("missing-type", annotation.span, "A type is missing after the colon: f32[1024, 1024].");
  const assigned = groups.length > 1;
  const targets = (assigned ? groups.slice(0, -1) : groups).flatMap((group) => groupExpr(group) ?? []);
  const value = assigned ? groupExpr(groups.at(-1)!) : null;
  if (strayErrors(context, "A value is missing after `=`.") || (assigned && !value))
    return { kind: "bad", span, targets };
  if (item.broken && !annotation) return { kind: "bad", span, targets };
  return { kind: "assign", span, targets, annotation, value };
}

function readUpdate(context: ParserContext): Statement {
  const { item, span, text } = context;
  const at = item.parts.findIndex((part) => part.name === "UpdateOp");
  const target = groupExpr(item.parts.slice(0, Math.max(at, 0)));
  const value = groupExpr(item.parts.slice(at + 1));
  const op = item.parts[at];
  const wrong = strayErrors(context, "A value is missing after the operator.");
  if (!op || !target || !value || wrong || item.broken) return { kind: "bad", span, targets: target ? [target] : [] };
  return { kind: "update", span, target, op: text.slice(op.from, op.to - 1), opSpan: spanOf(op), value };
}

function readExpressionStatement(context: ParserContext): Statement {
  const value = groupExpr(context.item.parts);
  const wrong = strayErrors(context, "Something is missing here.");
  return value && !wrong && !context.item.broken
    ? { kind: "expression", span: context.span, value }
    : { kind: "bad", span: context.span, targets: [] };
}

function readImport({ text, diagnostics, span }: ParserContext): Statement {
  const lines = wholeLines(text, span);
  diagnostics.add("import", span, "No import is needed: every op is known here. This line is ignored.", {
    severity: "info",
    fixes: [{ title: "Remove this line", edits: [{ span: lines, insert: "" }] }],
  });
  return { kind: "import", span, names: aliasesIn(text.slice(span.from, span.to), span.from) };
}

/** What an import gives another name: `import torch.nn.functional as f`. */
function aliasesIn(
  source: string,
  at: number,
): readonly { readonly path: readonly string[]; readonly alias: NameExpr }[] {
  const base = /^\s*from\s+([\w.]+)/.exec(source)?.[1] ?? "";
  // Names of libraries that are known here need no import; those of this one are words that others have, too.
  const plain = OWN_MODULES.has(base) ? [...source.matchAll(/(?<=import[\s(].*?)(\w+)(?=\s*(?:,|\)|$))/gs)] : [];
  const own = plain.map(({ 1: name, index }): { path: string[]; alias: NameExpr } => ({
    path: [...base.split("."), name!],
    alias: { kind: "name", name: name!, span: { from: at + index, to: at + index + name!.length } },
  }));
  const renamed = [...source.matchAll(/([\w.]+)\s+as\s+(\w+)/g)].map(({ 0: whole, 1: name, 2: alias, index }) => {
    const from = at + index + whole.length - alias!.length;
    return {
      path: [...base.split("."), ...name!.split(".")].filter((word) => word !== ""),
      alias: { kind: "name", name: alias!, span: { from, to: from + alias!.length } },
    } as const;
  });
  return [...own.filter(({ alias }) => !renamed.some((each) => each.alias.name === alias.name)), ...renamed];
}

const statementsOf = (body: Item | null): readonly Statement[] => body?.parts.flatMap((part) => part.statements) ?? [];
const bodyOf = (item: Item): readonly Statement[] => statementsOf(partNamed(item.parts, "Body"));

const NO_COLON = "A colon is missing at the end of this line: add `:`.";

/** Whether the line of a statement with a body ends without its colon. */
export function lacksColon(text: string, from: number): boolean {
  const end = text.indexOf("\n", from);
  const line = text.slice(from, end < 0 ? text.length : end).replace(/\s*(#.*)?$/, "");
  return /^(async\s+)?(def|class|for|while|if|with|try)\b/.test(line) && !/[:([{,\\]$/.test(line);
}

/** What the parser misses in a statement with a body. */
function missing(text: string, { from }: Span, empty: boolean): string {
  if (lacksColon(text, from)) return NO_COLON;
  return empty ? "An indented body is missing under this line." : "Something is missing here.";
}

/** Whether what follows `from`, comments aside, is indented by more than `depth`. */
function goesOn(text: string, from: number, depth: number): boolean {
  const next = from + /^(?:\s|#[^\n]*)*/.exec(text.slice(from))![0].length;
  return next < text.length && indentAt(text, next).length > depth;
}

/** Errors inside a body that no statement of it holds. */
function bodyErrors({ text, diagnostics, item, span }: ParserContext): void {
  const bodies = item.parts.filter((part) => part.name === "Body");
  const empty = bodies.length === 0 || bodies.some((body) => statementsOf(body).length === 0);
  for (const { from } of bodies.filter((body) => text[body.from] !== ":")) {
    const begin = text.lastIndexOf("\n", from - 1) + 1;
    const indent = /^\s*/.exec(text.slice(begin, from))![0].length;
    const fixes = [{ title: "Add :", edits: [{ span: { from, to: from }, insert: ":" }] }];
    diagnostics.add("syntax", { from: begin + indent, to: from }, NO_COLON, { fixes });
  }
  for (const part of [...bodies.flatMap((body) => body.parts), ...item.parts]) {
    if (part.name !== "⚠") continue;
    const word = text.slice(part.from, Math.min(part.to, part.from + 20)).trim();
    // A line of odd indentation ends the body too early: it is told where it stands.
    if (word === "" && !empty && goesOn(text, part.to, indentAt(text, span.from).length)) continue;
    const what = missing(text, span, empty);
    const at = word === "" ? firstLine({ text, diagnostics, item, span }) : spanOf(part);
    diagnostics.add("syntax", at, word === "" ? what : `\`${word}\` has no meaning here.`);
  }
}

function readDef(context: ParserContext): Statement {
  const { text, item, span, diagnostics } = context;
  bodyErrors(context);
  const name = partNamed(item.parts, "VariableName");
  const list = partNamed(item.parts, "ParamList");
  if (!name || !list) return { kind: "bad", span, targets: [] };
  if (list.parts.at(-1)?.name !== ")")
    diagnostics.add("not-closed", spanOf(list), "This parameter list is not closed: add `)`.");
  const inner = list.parts.filter((part) => part.name !== "(" && part.name !== ")");
  const params = readParams(text, splitAtCommas(inner));
  return {
    kind: "def",
    span,
    name: { text: text.slice(name.from, name.to), span: spanOf(name) },
    params,
    paramsSpan: spanOf(list),
    body: bodyOf(item),
  };
}

function readClass(context: ParserContext): Statement {
  const { text, item, span } = context;
  bodyErrors(context);
  const name = partNamed(item.parts, "VariableName");
  if (!name) return { kind: "bad", span, targets: [] };
  return {
    kind: "class",
    span,
    bases: splitAtCommas(
      partNamed(item.parts, "ArgList")?.parts.filter((part) => part.name !== "(" && part.name !== ")") ?? [],
    ).flatMap((group) => (group.some((part) => part.name === "AssignOp") ? [] : exprsOf(group))),
    name: { text: text.slice(name.from, name.to), span: spanOf(name) },
    body: bodyOf(item),
  };
}

/** What stands under the `else` of a loop. */
function elseOf({ parts }: Item): readonly Statement[] {
  const at = parts.findIndex(({ name }) => name === "else");
  return at < 0 ? [] : statementsOf(parts.slice(at).find(({ name }) => name === "Body") ?? null);
}

function readFor(context: ParserContext): readonly Statement[] {
  const { item, span } = context;
  bodyErrors(context);
  const at = item.parts.findIndex((part) => part.name === "in");
  const target = groupExpr(item.parts.slice(1, Math.max(at, 1)));
  const end = item.parts.findIndex((part) => part.name === "Body");
  const iterable = groupExpr(item.parts.slice(at + 1, end < 0 ? undefined : end));
  return at > 0 && target && iterable
    ? withElse({ kind: "for", span, target, iterable, body: bodyOf(item) }, elseOf(item))
    : [{ kind: "bad", span, targets: [] }];
}

function readWhile(context: ParserContext): readonly Statement[] {
  const { item, span } = context;
  bodyErrors(context);
  const test = item.parts.find(({ expr }) => expr)?.expr;
  return test
    ? withElse({ kind: "while", span, test, body: bodyOf(item) }, elseOf(item))
    : [{ kind: "bad", span, targets: [] }];
}

/** `yield x`, `yield from items`. */
function readYield({ item, span }: ParserContext): Statement {
  const value = groupExpr(item.parts.filter(({ name }) => name !== "yield" && name !== "from"));
  return { kind: "yield", span, value, all: item.parts.some(({ name }) => name === "from") };
}

/** What says whether PyTorch notes what derivatives need. */
export const GRADIENT_MODES: ReadonlySet<string> = new Set([
  "no_grad",
  "inference_mode",
  "enable_grad",
  "set_grad_enabled",
]);

/** What a block is read within, `a as b, c`, in order. */
function contextsOf(context: ParserContext, body: readonly Statement[]): readonly ContextPart[] {
  const { parts } = context.item;
  const end = parts.findIndex(({ name }) => name === "Body");
  const inner = parts.slice(1, end < 0 ? undefined : end).filter(({ name }) => name !== "(" && name !== ")");
  return splitAtCommas(inner).flatMap((group): ContextPart[] => {
    const at = group.findIndex(({ name }) => name === "as");
    const [expr] = exprsOf(group);
    const target = at < 0 ? null : groupExpr(group.slice(at + 1));
    return expr ? [{ expr, target, body, ends: false, line: firstLine(context) }] : [];
  });
}

/** The body, with what its contexts do before and after it. */
function readWith(context: ParserContext): readonly Statement[] {
  bodyErrors(context);
  const body = bodyOf(context.item);
  const parts = contextsOf(context, body);
  const begin = (part: ContextPart): Statement =>
    GRADIENT_MODES.has(lastNameOf(part.expr)) && !part.target
      ? { kind: "pass", span: part.expr.span, derivatives: part.expr }
      : { kind: "pass", span: part.expr.span, context: part };
  const end = (part: ContextPart): Statement =>
    GRADIENT_MODES.has(lastNameOf(part.expr)) && !part.target
      ? { kind: "pass", span: part.expr.span, derivatives: "before" }
      : { kind: "pass", span: part.expr.span, context: { ...part, ends: true } };
  return [...parts.map(begin), ...body, ...parts.toReversed().map(end)];
}

function readTry(context: ParserContext): readonly Statement[] {
  bodyErrors(context);
  return tryStatements(context.text, context.item, context.span, statementsOf);
}

function readIf(context: ParserContext): Statement {
  const { item, span, diagnostics } = context;
  bodyErrors(context);
  const branches: { test: Expr; body: readonly Statement[] }[] = [];
  let otherwise: readonly Statement[] = [];
  let test: Expr | null = null;
  for (const part of item.parts) {
    if (part.expr) test = part.expr;
    if (part.name !== "Body") continue;
    if (test) branches.push({ test, body: statementsOf(part) });
    else otherwise = statementsOf(part);
    test = null;
  }
  if (branches.length > 0) return { kind: "if", span, branches, otherwise };
  if (!item.broken) diagnostics.add("syntax", firstLine(context), "A condition is missing after `if`.");
  return { kind: "bad", span, targets: [] };
}
