/** @file Statements out of tree nodes; Python outside the language gets a sentence of its own. */
import type { Span } from "../ir";
import type { Expr, Statement } from "./syntax";
import type { Problems } from "./problems";
import type { Item } from "./read-item";
import { exprsOf, partNamed, spanOf, splitAtCommas } from "./read-item";
import { readParams, typeIn } from "./read-param";
import { wholeLines } from "./lines";

const OUTSIDE: ReadonlyMap<string, string> = new Map([
  ["MatchStatement", "`match` is not part of this language."],
  ["YieldStatement", "`yield` is not part of this language."],
  ["PrintStatement", "`print` is not part of this language: hover a name to see its value's type."],
  ["ScopeStatement", "`global` and `nonlocal` are not part of this language."],
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
  "WithStatement",
  "TryStatement",
  "DeleteStatement",
  "BreakStatement",
  "ContinueStatement",
  "RaiseStatement",
  "IfStatement",
  "PassStatement",
  "ImportStatement",
  "StatementGroup",
  "DecoratedStatement",
]);

export const isStatement = (name: string): boolean => READ.has(name) || OUTSIDE.has(name);

interface Place {
  readonly text: string;
  readonly problems: Problems;
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
export function readStatement(text: string, problems: Problems, item: Item): readonly Statement[] {
  const place: Place = { text, problems, item, span: trimmed(text, item) };
  const outside = OUTSIDE.get(item.name);
  if (outside !== undefined) {
    problems.add("outside-language", firstLine(place), outside);
    return [{ kind: "bad", span: place.span, targets: [] }];
  }
  switch (item.name) {
    case "StatementGroup":
    case "DecoratedStatement":
      return item.parts.flatMap((part) => part.statements);
    case "AssignStatement":
      return [readAssign(place)];
    case "UpdateStatement":
      return [readUpdate(place)];
    case "ReturnStatement":
      return [{ kind: "return", span: place.span, values: returned(item) }];
    case "FunctionDefinition":
      return [readDef(place)];
    case "ForStatement":
      return [readFor(place)];
    case "IfStatement":
      return [readIf(place)];
    case "ClassDefinition":
      return [readClass(place)];
    case "ImportStatement":
      return [readImport(place)];
    case "AssertStatement":
      problems.add("no-effect", place.span, "Shapes are checked anyway: this line is ignored.", {
        severity: "warning",
      });
      return [{ kind: "pass", span: place.span }];
    case "PassStatement":
    case "DeleteStatement":
      return [{ kind: "pass", span: place.span }];
    case "BreakStatement":
    case "ContinueStatement":
      return [{ kind: item.name === "BreakStatement" ? "break" : "continue", span: place.span }];
    case "RaiseStatement":
      return [{ kind: "raise", span: place.span }];
    case "WhileStatement":
      return [readWhile(place)];
    case "WithStatement":
      return readWith(place);
    case "TryStatement":
      return readTry(place);
    default:
      return [readExpressionStatement(place)];
  }
}

function firstLine({ text, span }: Place): Span {
  const end = text.indexOf("\n", span.from);
  return { from: span.from, to: end < 0 ? span.to : Math.min(end, span.to) };
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

function strayErrors({ problems, text, item, span }: Place, what: string): boolean {
  let any = false;
  for (const part of item.parts) {
    if (part.name !== "⚠") continue;
    any = true;
    const word = text.slice(part.from, Math.min(part.to, part.from + 20)).trim();
    const at = word === "" ? { from: Math.max(span.from, span.to - 1), to: span.to } : spanOf(part);
    problems.add("syntax", at, word === "" ? what : `\`${word}\` has no meaning here.`);
  }
  return any;
}

function readAssign(place: Place): Statement {
  const { item, span, problems } = place;
  const groups: Item[][] = [[]];
  let annotation: Expr | null = null;
  for (const part of item.parts) {
    if (part.name === "AssignOp") groups.push([]);
    else if (part.name === "TypeDef") annotation = typeIn(place.text, part);
    else if (part.name !== "⚠") groups.at(-1)!.push(part);
  }
  if (annotation?.kind === "bad")
    problems.add("missing-type", annotation.span, "A type is missing after the colon: f32[1024, 1024].");
  const assigned = groups.length > 1;
  const targets = (assigned ? groups.slice(0, -1) : groups).flatMap((group) => groupExpr(group) ?? []);
  const value = assigned ? groupExpr(groups.at(-1)!) : null;
  if (strayErrors(place, "A value is missing after `=`.") || (assigned && !value))
    return { kind: "bad", span, targets };
  if (item.broken && !annotation) return { kind: "bad", span, targets };
  return { kind: "assign", span, targets, annotation, value };
}

function readUpdate(place: Place): Statement {
  const { item, span, text } = place;
  const at = item.parts.findIndex((part) => part.name === "UpdateOp");
  const target = groupExpr(item.parts.slice(0, Math.max(at, 0)));
  const value = groupExpr(item.parts.slice(at + 1));
  const op = item.parts[at];
  const wrong = strayErrors(place, "A value is missing after the operator.");
  if (!op || !target || !value || wrong || item.broken) return { kind: "bad", span, targets: target ? [target] : [] };
  return { kind: "update", span, target, op: text.slice(op.from, op.to - 1), opSpan: spanOf(op), value };
}

function readExpressionStatement(place: Place): Statement {
  const value = groupExpr(place.item.parts);
  const wrong = strayErrors(place, "Something is missing here.");
  return value && !wrong && !place.item.broken
    ? { kind: "expression", span: place.span, value }
    : { kind: "bad", span: place.span, targets: [] };
}

function readImport({ text, problems, span }: Place): Statement {
  const lines = wholeLines(text, span);
  problems.add("import", span, "No import is needed: every op is known here. This line is ignored.", {
    severity: "warning",
    fixes: [{ title: "Remove this line", edits: [{ span: lines, insert: "" }] }],
  });
  return { kind: "pass", span };
}

const statementsOf = (body: Item | null): readonly Statement[] => body?.parts.flatMap((part) => part.statements) ?? [];
const bodyOf = (item: Item): readonly Statement[] => statementsOf(partNamed(item.parts, "Body"));

/** Errors inside a body that no statement of it holds. */
function bodyErrors({ text, problems, item, span }: Place): void {
  const bodies = item.parts.filter((part) => part.name === "Body");
  const empty = bodies.length === 0 || bodies.some((body) => statementsOf(body).length === 0);
  for (const part of [...bodies.flatMap((body) => body.parts), ...item.parts]) {
    if (part.name !== "⚠") continue;
    const word = text.slice(part.from, Math.min(part.to, part.from + 20)).trim();
    const what = empty ? "An indented body is missing under this line." : "Something is missing here.";
    const at = word === "" ? firstLine({ text, problems, item, span }) : spanOf(part);
    problems.add("syntax", at, word === "" ? what : `\`${word}\` has no meaning here.`);
  }
}

function readDef(place: Place): Statement {
  const { text, item, span, problems } = place;
  bodyErrors(place);
  const name = partNamed(item.parts, "VariableName");
  const list = partNamed(item.parts, "ParamList");
  if (!name || !list) return { kind: "bad", span, targets: [] };
  if (list.parts.at(-1)?.name !== ")")
    problems.add("not-closed", spanOf(list), "This parameter list is not closed: add `)`.");
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

function readClass(place: Place): Statement {
  const { text, item, span } = place;
  bodyErrors(place);
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

function readFor(place: Place): Statement {
  const { item, span } = place;
  bodyErrors(place);
  const at = item.parts.findIndex((part) => part.name === "in");
  const target = groupExpr(item.parts.slice(1, Math.max(at, 1)));
  const iterable = groupExpr(item.parts.slice(at + 1).filter((part) => part.name !== "Body"));
  if (item.parts.some((part) => part.name === "else")) {
    place.problems.add("outside-language", firstLine(place), "`else` after a loop is not part of this language.");
  }
  return at > 0 && target && iterable
    ? { kind: "for", span, target, iterable, body: bodyOf(item) }
    : { kind: "bad", span, targets: [] };
}

function readWhile(place: Place): Statement {
  const { item, span } = place;
  bodyErrors(place);
  const test = item.parts.find(({ expr }) => expr)?.expr;
  return test ? { kind: "while", span, test, body: bodyOf(item) } : { kind: "bad", span, targets: [] };
}

/** The body alone: where and how something is computed changes no value. */
function readWith(place: Place): readonly Statement[] {
  const { item, problems } = place;
  bodyErrors(place);
  const named = item.parts.findIndex(({ name }) => name === "as");
  if (named < 0) {
    problems.add("no-effect", firstLine(place), "`with` changes no value here: its body is read without it.", {
      severity: "warning",
    });
    return bodyOf(item);
  }
  problems.add(
    "outside-language",
    firstLine(place),
    "What `with … as` opens is not known here: write the body without it.",
  );
  return [{ kind: "bad", span: firstLine(place), targets: exprsOf(item.parts.slice(named + 1)) }, ...bodyOf(item)];
}

/** Nothing fails while a graph is read: what comes before the first `except`, and what comes in any case. */
function readTry(place: Place): readonly Statement[] {
  const { item, problems } = place;
  bodyErrors(place);
  problems.add("no-effect", firstLine(place), "Nothing is caught here: what stands under `except` is left out.", {
    severity: "warning",
  });
  const bodies = item.parts.flatMap((part, i) =>
    part.name === "Body"
      ? [
          {
            body: part,
            word: item.parts.slice(0, i).findLast(({ name }) => /^(try|except|else|finally)$/.test(name))?.name,
          },
        ]
      : [],
  );
  return bodies.filter(({ word }) => word !== "except").flatMap(({ body }) => statementsOf(body));
}

function readIf(place: Place): Statement {
  const { item, span, problems } = place;
  bodyErrors(place);
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
  if (!item.broken) problems.add("syntax", firstLine(place), "A condition is missing after `if`.");
  return { kind: "bad", span, targets: [] };
}
