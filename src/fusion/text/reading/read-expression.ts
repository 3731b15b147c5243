/**
 * @file Expressions out of tree nodes, with the mistakes of form that can be seen there.
 * @about and, or, not: they bind less than comparisons.
 */
import type { Span } from "../../ir";
import type { Argument, BinaryExpr, Expr, Index } from "./syntax";
import type { Diagnostics } from "./diagnostics";
import { exprsOf, type Item, partNamed, spanOf, splitAtCommas } from "./read-item";
import { readParams } from "./read-param";
import { bad, blame, notClosed, sourceOf, type ParserContext } from "./mistakes";

/** How many characters of `source` come before and after what the quotes hold. */
function quotesOf(source: string): readonly [before: number, after: number] {
  const letters = /^[a-zA-Z]*/.exec(source)![0].length;
  const quotes = /^("""|'''|"|')/.exec(source.slice(letters))?.[0].length ?? 0;
  return [letters + quotes, quotes];
}

function readString(at: ParserContext): Expr {
  const source = sourceOf(at);
  const [before, after] = quotesOf(source);
  return { kind: "string", span: at.span, value: source.slice(before, source.length - after) };
}

/** `f"layer{i}"`: strings and the expressions between them, in order. */
function readFormat(at: ParserContext): Expr {
  const [before, after] = quotesOf(sourceOf(at));
  const pieces: (string | Expr)[] = [];
  const specs = new Map<Expr, string>();
  let next = at.span.from + before;
  for (const part of at.parts.filter(({ name }) => name === "FormatReplacement")) {
    const [expr] = exprsOf(part.parts);
    const spec = part.parts.find(({ name }) => name === "FormatSpec");
    const named = /=\s*$/.test(at.text.slice(part.from, spec?.from ?? part.to - 1));
    pieces.push(
      at.text.slice(next, part.from),
      ...(named ? [at.text.slice(part.from + 1, spec?.from ?? part.to - 1)] : []),
      ...(expr ? [expr] : []),
    );
    if (expr && spec) specs.set(expr, at.text.slice(spec.from + 1, spec.to));
    next = part.to;
  }
  pieces.push(at.text.slice(next, at.span.to - after));
  return { kind: "format", span: at.span, pieces, specs };
}

/** `"a" f"{b}"` is one text. */
function readJoined({ span, parts }: ParserContext): Expr {
  const exprs = exprsOf(parts);
  const pieces = exprs.flatMap((part) =>
    part.kind === "string" ? [part.value] : part.kind === "format" ? part.pieces : [],
  );
  const specs = new Map(exprs.flatMap((part) => (part.kind === "format" ? [...part.specs] : [])));
  const plain = pieces.every((piece) => typeof piece === "string");
  return plain ? { kind: "string", span, value: pieces.join("") } : { kind: "format", span, pieces, specs };
}

/** One `for` of a comprehension, with its `if`. */
interface Clause {
  readonly target: Expr;
  readonly iterable: Expr;
  readonly test: Expr | null;
}

/** `for a, b in c if d`; null where a piece of it is missing. */
function clauseOf(parts: readonly Item[]): Clause | null {
  const [within, test] = ["in", "if"].map((word) => parts.findIndex(({ name }) => name === word)) as [number, number];
  const targets = exprsOf(parts.slice(1, Math.max(within, 1)));
  const [iterable] = exprsOf(parts.slice(within + 1, test < 0 ? undefined : test));
  const [first] = targets;
  if (!first || !iterable || parts.filter(({ name }) => name === "if").length > 1) return null;
  const target: Expr = targets.length === 1 ? first : { kind: "tuple", span: first.span, items: targets, starred: [] };
  return { target, iterable, test: test < 0 ? null : (exprsOf(parts.slice(test))[0] ?? null) };
}

/** An element and its clauses, each inside the one before it; `{key: value for …}` has two expressions before the first `for`. */
function readComprehension(at: ParserContext, parts: readonly Item[]): Expr {
  const span = { from: parts[0]?.from ?? at.span.from, to: parts.at(-1)?.to ?? at.span.to };
  const loops = parts.flatMap(({ name }, i) => (name === "for" ? [i] : []));
  const [first, second] = exprsOf(parts.slice(0, loops[0] ?? 0));
  const clauses = loops.map((from, i) => clauseOf(parts.slice(from, loops[i + 1])));
  const [key, element] = second ? [first!, second] : [null, first];
  if (!element || clauses.length === 0 || clauses.includes(null)) {
    at.diagnostics.add(
      "outside-language",
      span,
      "A comprehension reads `value for name in values`, with one `if` at most for each `for`.",
    );
    return bad(span);
  }
  return clauses.reduceRight<Expr>((inner, clause, i) => {
    const last = i === clauses.length - 1;
    return { kind: "comprehension", span, key: last ? key : null, element: inner, ...clause!, joins: !last };
  }, element);
}

/** `{1, 2}`: each item once, as `set` takes them. */
const distinct = ({ span }: ParserContext, items: Expr): Expr => ({
  kind: "call",
  span,
  callee: { kind: "name", span: { from: span.from, to: span.from }, name: "set" },
  args: [{ name: null, value: items, span }],
  open: span.from,
  close: span.to,
});

const generator = (expr: Expr): Expr => (expr.kind === "comprehension" ? { ...expr, isOnce: true } : expr);

/** Not part of the language, said once for the outermost such expression. */
const outside =
  (what: string): ExpressionReader =>
  ({ diagnostics, span }) => {
    diagnostics.add("outside-language", span, what);
    return bad(span);
  };

function readNumber(at: ParserContext): Expr {
  const pointed = at.text[at.span.to] === "." && /^[\d_]+$/.test(sourceOf(at));
  const span = pointed ? { from: at.span.from, to: at.span.to + 1 } : at.span;
  const source = at.text.slice(span.from, span.to).replaceAll("_", "");
  const value = /[jJ]$/.test(source) && !/^0x/i.test(source) ? Number.NaN : Number(source);
  if (Number.isNaN(value)) {
    const text = /[jJ]$/.test(source)
      ? `\`${source}\` is imaginary, and complex numbers aren't supported: write the real and imaginary parts as two tensors.`
      : `\`${source}\` is not a number that a tensor can hold.`;
    at.diagnostics.add("bad-number", span, text);
    return bad(span);
  }
  return { kind: "number", span, value, whole: /^(\d+|0[xob][\da-f]+)$/i.test(source) };
}

function readArgument(at: ParserContext, group: readonly Item[]): Argument | null {
  const span = { from: group[0]!.from, to: group.at(-1)!.to };
  const sign = group[0]!.name;
  if (sign === "*" || sign === "**") {
    const value = group[1]?.expr;
    if (!value) at.diagnostics.add("missing-value", span, `A value is missing after \`${sign}\`.`);
    return { name: null, value: value ?? bad(span), span, starred: sign === "*" ? "items" : "entries" };
  }
  const assign = group.findIndex((part) => part.name === "AssignOp");
  if (assign < 0) {
    const value = group[0]!.expr;
    return value && { name: null, value, span };
  }
  const name = group[0]!;
  const value = group[assign + 1]?.expr ?? null;
  if (!value)
    at.diagnostics.add("missing-value", span, `A value is missing after \`${at.text.slice(name.from, name.to)}=\`.`);
  return { name: { text: at.text.slice(name.from, name.to), span: spanOf(name) }, value: value ?? bad(span), span };
}

function readCall(at: ParserContext): Expr {
  const callee = at.parts[0]?.expr ?? bad(at.span);
  const list = partNamed(at.parts, "ArgList");
  if (!list) return bad(at.span);
  const inner = list.parts.filter((part) => part.name !== "(" && part.name !== ")");
  const closed = list.parts.at(-1)?.name === ")";
  const args: Argument[] = [];
  const groups = inner.some(({ name }) => name === "for") ? [] : splitAtCommas(inner);
  if (groups.length === 0 && inner.length > 0) {
    const value = generator(readComprehension(at, inner));
    args.push({ name: null, value, span: value.span });
  }
  for (const group of groups) {
    const argument = readArgument(at, group);
    if (argument) args.push(argument);
  }
  if (!closed) notClosed(at, list.from, list.to, ")", "This call");
  const wrong = inner.find((part) => part.name === "⚠" && (closed || part.from < part.to));
  const named = inner.some((part, i) => part === wrong && inner[i - 1]?.name === "AssignOp");
  if (wrong && !named && (closed || args.length === 0))
    blame({ ...at, parts: [wrong] }, "an argument or a comma is missing.");
  return { kind: "call", span: at.span, callee, args, open: list.from, close: closed ? list.to - 1 : list.to };
}

function readIndex(group: readonly Item[], span: Span): Index | null {
  if (!group.some((part) => part.name === ":")) {
    const value = group[0]?.expr;
    return value ? { kind: "at", value } : null;
  }
  const bounds: (Expr | null)[] = [null, null, null];
  let bound = 0;
  for (const part of group) {
    if (part.name === ":") bound++;
    else if (part.expr && bound < 3) bounds[bound] = part.expr;
  }
  return bound > 2
    ? { kind: "at", value: bad(span) }
    : { kind: "slice", start: bounds[0]!, stop: bounds[1]!, step: bounds[2]! };
}

function readMember(at: ParserContext): Expr {
  const object = at.parts[0]?.expr ?? bad(at.span);
  if (at.parts[1]?.name === ".") {
    const name = partNamed(at.parts, "PropertyName");
    if (name)
      return {
        kind: "member",
        span: at.span,
        object,
        name: { text: at.text.slice(name.from, name.to), span: spanOf(name) },
      };
    at.diagnostics.add("syntax", { from: at.parts[1].from, to: at.parts[1].to }, "A name is missing after the dot.");
    return bad(at.span);
  }
  const inner = at.parts.slice(1).filter((part) => part.name !== "[" && part.name !== "]");
  const closed = at.parts.at(-1)?.name === "]";
  if (!closed) notClosed(at, at.parts[1]?.from ?? at.span.from, at.span.to, "]", "This bracket");
  const indices = splitAtCommas(inner.filter((part) => part.name !== "⚠")).flatMap(
    (group) => readIndex(group, at.span) ?? [],
  );
  // `f32[]` is how a scalar's type is written; an empty index anywhere else is refused where it is given meaning.
  if (closed && indices.length > 0) blame({ ...at, parts: inner }, "an index or a comma is missing.");
  return { kind: "subscript", span: at.span, object, indices };
}

/** What stands after `@`: a name, a dotted one, or a call of one. */
function readDecorator(at: ParserContext): Expr {
  const names = at.parts.filter(({ name }) => name === "VariableName" || name === "PropertyName");
  const [first, ...members] = names.map(({ from, to }) => ({ text: at.text.slice(from, to), span: { from, to } }));
  if (!first) return bad(at.span);
  const callee = members.reduce<Expr>(
    (object, name) => ({ kind: "member", span: { from: first.span.from, to: name.span.to }, object, name }),
    { kind: "name", span: first.span, name: first.text },
  );
  const list = partNamed(at.parts, "ArgList");
  if (!list) return callee;
  const whole: Item = { ...list, name: "", expr: callee, parts: [], statements: [], broken: false };
  return readCall({ ...at, span: { from: first.span.from, to: list.to }, parts: [whole, list] });
}

const isLogic = (expr: Expr): expr is BinaryExpr => expr.kind === "binary" && (expr.op === "and" || expr.op === "or");

const joined = (left: Expr, { op, opSpan }: Pick<BinaryExpr, "op" | "opSpan">, right: Expr): Expr => ({
  kind: "binary",
  span: { from: left.span.from, to: right.span.to },
  op,
  opSpan,
  left,
  right,
});

/** The grammar lets `not` reach over `and` and `or`; in Python it binds tighter than both. Puts a chain of them together anew. */
function regrouped(root: Expr): Expr {
  const operands: Expr[] = [];
  const signs: BinaryExpr[] = [];
  const left: (Expr | { readonly sign: BinaryExpr })[] = [root];
  for (let next = left.pop(); next; next = left.pop()) {
    if ("sign" in next) signs.push(next.sign);
    else if (isLogic(next)) left.push(next.right, { sign: next }, next.left);
    else if (next.kind === "unary" && next.op === "not" && isLogic(next.operand)) {
      const chain = regrouped(next.operand);
      let first = chain;
      while (isLogic(first)) first = first.left;
      const negated: Expr = { ...next, span: { from: next.span.from, to: first.span.to }, operand: first };
      left.push(withFirst(chain, negated));
    } else operands.push(next);
  }
  const groups: Expr[] = [];
  let group = operands[0]!;
  const ors: BinaryExpr[] = [];
  signs.forEach((sign, i) => {
    if (sign.op === "and") group = joined(group, sign, operands[i + 1]!);
    else {
      groups.push(group);
      ors.push(sign);
      group = operands[i + 1]!;
    }
  });
  groups.push(group);
  return groups.reduce((sum, each, i) => joined(sum, ors[i - 1]!, each));
}

/** A chain with another leftmost operand. */
function withFirst(chain: Expr, first: Expr): Expr {
  const spine: BinaryExpr[] = [];
  for (let expr = chain; isLogic(expr); expr = expr.left) spine.push(expr);
  return spine.reduceRight<Expr>((left, sign) => joined(left, sign, sign.right), first);
}

/** What a shift of whole numbers is called. */
const SHIFTS: ReadonlyMap<string, string> = new Map([
  ["<<", "bitwise_left_shift"],
  [">>", "bitwise_right_shift"],
]);

/** `a >> b` is a call of the function that does it. */
function shifted(at: ParserContext, name: string, span: Span, operands: readonly Expr[]): Expr {
  const args = operands.map((value): Argument => ({ name: null, value, span: value.span }));
  return {
    kind: "call",
    span: at.span,
    callee: { kind: "name", name, span },
    args,
    open: span.from,
    close: at.span.to,
  };
}

function readBinary(at: ParserContext): Expr {
  const [left, right] = [at.parts[0]?.expr, at.parts.slice(2).findLast((part) => part.expr)?.expr];
  const op = at.parts[1];
  if (!left || !right || !op) {
    blame(at, `an operand is missing${op ? ` after \`${at.text.slice(op.from, op.to)}\`` : ""}.`);
    return bad(at.span);
  }
  const second = at.parts[2]?.expr ? null : at.parts[2];
  const words = second ? [op, second] : [op];
  const word = words.map(({ from, to }) => at.text.slice(from, to)).join(" ");
  const shift = SHIFTS.get(word);
  if (shift) return shifted(at, shift, spanOf(op), [left, right]);
  if (word === "<>") {
    at.diagnostics.add("outside-language", spanOf(op), `\`${word}\` has no meaning for tensors.`);
    return bad(at.span);
  }
  blame(at, "it was ignored.");
  const binary: BinaryExpr = { kind: "binary", span: at.span, op: word, opSpan: spanOf(op), left, right };
  return isLogic(binary) && isLogic(right) ? regrouped(binary) : binary;
}

function readUnary(at: ParserContext): Expr {
  const [op, operand] = [at.parts[0], at.parts.findLast((part) => part.expr)?.expr];
  if (!op || !operand) {
    blame(at, "an operand is missing.");
    return bad(at.span);
  }
  const unary: Expr = { kind: "unary", span: at.span, op: at.text.slice(op.from, op.to), operand };
  return unary.op === "not" && isLogic(operand) ? regrouped(unary) : unary;
}

function readConditional(at: ParserContext): Expr {
  const [whenTrue, test, whenFalse] = exprsOf(at.parts);
  if (whenTrue && test && whenFalse) return { kind: "conditional", span: at.span, whenTrue, test, whenFalse };
  blame(at, "a conditional reads `a if condition else b`.");
  return bad(at.span);
}

function readParen(at: ParserContext): Expr {
  const inner = at.parts.find((part) => part.expr)?.expr;
  if (at.parts.at(-1)?.name !== ")") notClosed(at, at.span.from, at.span.to, ")", "This bracket");
  else blame(at, "a value is missing between the brackets.");
  return inner ? { kind: "paren", span: at.span, inner } : bad(at.span);
}

const readSequence =
  (kind: "tuple" | "list", close: string): ExpressionReader =>
  (at) => {
    if (at.parts.at(-1)?.name !== close) notClosed(at, at.span.from, at.span.to, close, "This bracket");
    else blame(at, "a value or a comma is missing.");
    const groups = splitAtCommas(at.parts.filter(({ name }) => name !== "(" && name !== "[" && name !== "{"));
    const starred = groups.flatMap((group, i) => (group[0]!.name === "*" ? [i] : []));
    return { kind, span: at.span, items: exprsOf(at.parts), starred };
  };

function readLambda(at: ParserContext): Expr {
  const list = partNamed(at.parts, "ParamList");
  const body = at.parts.findLast((part) => part.expr)?.expr;
  if (!body) {
    blame(at, "a lambda reads `lambda x: value`.");
    return bad(at.span);
  }
  const paramsSpan = list ? spanOf(list) : at.span;
  const params = readParams(at.text, splitAtCommas(list?.parts ?? []));
  const name = { text: "lambda", span: { from: at.span.from, to: at.span.from + "lambda".length } };
  const result = { kind: "return", span: body.span, values: [body] } as const;
  return {
    kind: "lambda",
    span: at.span,
    def: { kind: "def", span: at.span, name, params, paramsSpan, body: [result] },
  };
}

function readDict(at: ParserContext): Expr {
  if (at.parts.at(-1)?.name !== "}") notClosed(at, at.span.from, at.span.to, "}", "This bracket");
  else blame(at, "a value or a comma is missing.");
  const inner = at.parts.filter(({ name }) => name !== "{" && name !== "}");
  const pairs = splitAtCommas(inner).flatMap((group): readonly { key: Expr | null; value: Expr }[] => {
    const [key, value] = exprsOf(group);
    if (group[0]!.name === "**") return key ? [{ key: null, value: key }] : [];
    return key && value ? [{ key, value }] : [];
  });
  return { kind: "dict", span: at.span, keys: pairs.map(({ key }) => key), values: pairs.map(({ value }) => value) };
}

function readNamed(at: ParserContext): Expr {
  const [target, value] = exprsOf(at.parts);
  if (target?.kind === "name" && value) return { kind: "named", span: at.span, target, value };
  blame(at, "a value with a name reads `name := value`.");
  return bad(at.span);
}

const word =
  (kind: "none" | "hole"): ExpressionReader =>
  ({ span }) => ({ kind, span });

const READERS: ReadonlyMap<string, ExpressionReader> = new Map<string, ExpressionReader>([
  ["VariableName", (at) => ({ kind: "name", span: at.span, name: sourceOf(at) })],
  ["Number", readNumber],
  ["String", readString],
  ["Boolean", (at) => ({ kind: sourceOf(at) === "True" ? "true" : "false", span: at.span })],
  ["None", word("none")],
  ["Ellipsis", word("hole")],
  ["CallExpression", readCall],
  ["Decorator", readDecorator],
  ["MemberExpression", readMember],
  ["BinaryExpression", readBinary],
  ["UnaryExpression", readUnary],
  ["ParenthesizedExpression", readParen],
  ["TupleExpression", readSequence("tuple", ")")],
  ["ArrayExpression", readSequence("list", "]")],
  ["ContinuedString", readJoined],
  ["FormatString", readFormat],
  ["ConditionalExpression", readConditional],
  ["LambdaExpression", readLambda],
  ["NamedExpression", readNamed],
  ["AwaitExpression", outside("`await` is not part of this language: call the function without it.")],
  [
    "YieldExpression",
    outside("What is sent into a generator is not part of this language: write `yield` as a line of its own."),
  ],
  ["DictionaryExpression", readDict],
  ["SetExpression", (at) => distinct(at, readSequence("list", "}")(at))],
  ["ComprehensionExpression", (at) => generator(readComprehension(at, at.parts))],
  ["ArrayComprehensionExpression", (at) => readComprehension(at, at.parts)],
  [
    "DictionaryComprehensionExpression",
    (at) =>
      readComprehension(
        at,
        at.parts.filter(({ name }) => name !== "{" && name !== "}"),
      ),
  ],
  [
    "SetComprehensionExpression",
    (at) =>
      distinct(
        at,
        readComprehension(
          at,
          at.parts.filter(({ name }) => name !== "{" && name !== "}"),
        ),
      ),
  ],
]);

export const isExpression = (name: string): boolean => READERS.has(name);

/** The expression that tree node `name` with `parts` stands for; `bad` when it stands for none, after saying why. */
export function readExpression(
  text: string,
  diagnostics: Diagnostics,
  name: string,
  span: Span,
  parts: readonly Item[],
): Expr {
  return READERS.get(name)!({ text, diagnostics, span, parts });
}

type ExpressionReader = (at: ParserContext) => Expr;
