/** @file Statements that mean others: `match x:` with values and names behind `case` is a chain of branches, and of `try` its body is read, or its `except`. */
import type { Span } from "../../ir";
import { bare, type Expr, type Handler, type IfStatement, lastNameOf, type Statement } from "./syntax";
import { type Item, spanOf } from "./read-item";

interface Case {
  /** What the subject is asked; null: it fits in any case. */
  readonly test: Expr | null;
  /** The name that it gets. */
  readonly name: Expr | null;
}

const asked = (item: Item, op: string, left: Expr, right: Expr): Expr => ({
  kind: "binary",
  span: spanOf(item),
  op,
  opSpan: spanOf(item),
  left,
  right,
});

/** The value that a pattern names: a number, a text, `-1`, `Mode.A`. */
function valueOf(text: string, item: Item): Expr | null {
  const span = spanOf(item);
  if (item.name === "LiteralPattern") {
    const value = item.parts.find(({ expr }) => expr)?.expr ?? null;
    return value && item.parts[0]?.name === "ArithOp" ? { kind: "unary", span, op: "-", operand: value } : value;
  }
  const [root, ...names] = text.slice(span.from, span.to).split(".");
  return names.reduce<Expr>((object, name) => ({ kind: "member", span, object, name: { text: name, span } }), {
    kind: "name",
    span,
    name: root!,
  });
}

/** What a pattern asks; null where it takes the subject apart. */
function caseOf(text: string, subject: Expr, item: Item): Case | null {
  const span = spanOf(item);
  switch (item.name) {
    case "CapturePattern": {
      const name = text.slice(span.from, span.to);
      return { test: null, name: name === "_" ? null : { kind: "name", span, name } };
    }
    case "LiteralPattern":
    case "AttributePattern": {
      const value = valueOf(text, item);
      return value && { test: asked(item, "==", subject, value), name: null };
    }
    case "OrPattern": {
      const tests = item.parts
        .filter(({ name }) => name !== "LogicOp")
        .map((part) => caseOf(text, subject, part)?.test ?? null);
      const known = tests.filter((test) => test !== null);
      if (known.length < tests.length) return null;
      return { test: known.reduce((left, right) => asked(item, "or", left, right)), name: null };
    }
    default:
      return null;
  }
}

/** The branches of a `match`, by what each `case` asks of its subject; null where one asks more than which value it is. */
export function readMatch(
  text: string,
  item: Item,
  statementsOf: (body: Item | null) => readonly Statement[],
): readonly Statement[] | null {
  const subject = item.parts.find(({ expr }) => expr)?.expr;
  const clauses = item.parts
    .find(({ name }) => name === "MatchBody")
    ?.parts.filter(({ name }) => name === "MatchClause");
  if (!subject || !clauses) return null;
  const branches: { test: Expr; body: readonly Statement[] }[] = [];
  let otherwise: readonly Statement[] = [];
  for (const clause of clauses) {
    const pattern = clause.parts.find(({ name }) => name.endsWith("Pattern"));
    const found = pattern ? caseOf(text, subject, pattern) : null;
    const guard = clause.parts.find(({ name }) => name === "Guard")?.parts.find(({ expr }) => expr)?.expr ?? null;
    if (!found || (found.name && guard)) return null;
    const { test, name } = found;
    const bound: readonly Statement[] = name
      ? [{ kind: "assign", span: name.span, targets: [name], annotation: null, value: subject }]
      : [];
    const body = [...bound, ...statementsOf(clause.parts.find((part) => part.name === "Body") ?? null)];
    const all = test && guard ? asked(clause, "and", test, guard) : (test ?? guard);
    if (all) branches.push({ test: all, body });
    else {
      otherwise = body;
      break;
    }
  }
  const statement: IfStatement = { kind: "if", span: spanOf(item), branches, otherwise };
  return branches.length > 0 ? [statement] : otherwise;
}

/** Libraries that a text may import here: Python's own and those that are read. */
const KNOWN_LIBRARY =
  /^(?:torch|functorch|torchvision|torchaudio|jax|jaxlib|flax|haiku|optax|chex|distrax|equinox|numpy|scipy|einops|math|cmath|typing|typing_extensions|types|functools|itertools|operator|collections|dataclasses|enum|abc|copy|random|contextlib|warnings|logging|os|sys|re|time|string|inspect|numbers|__future__)$/;

/** Whether a statement imports a library that is not there on a page: `import xformers.ops`, and not `from .utils import pair`. */
function importsOther(text: string, { kind, span }: Statement): boolean {
  const library = /^\s*(?:from|import)\s+([A-Za-z_]\w*)/.exec(text.slice(span.from, span.to))?.[1];
  return kind === "import" && library !== undefined && !KNOWN_LIBRARY.test(library);
}

/** What an `except` catches, in the order of its names, and what it calls it. */
function handlerOf(words: readonly Item[], body: readonly Statement[]): Handler {
  const caught = words.find(({ expr }) => expr)?.expr ?? null;
  const as = words.findIndex(({ name }) => name === "as");
  const called = as < 0 ? undefined : words[as + 1];
  const of = caught ? bare(caught) : null;
  const names = of === null ? [] : of.kind === "tuple" ? of.items.map(lastNameOf) : [lastNameOf(of)];
  if (!called?.expr) return { names, body };
  const span = spanOf(called);
  const value: Expr = { kind: "string", span, value: names[0] ?? "Exception" };
  return { names, body: [{ kind: "assign", span, targets: [called.expr], annotation: null, value }, ...body] };
}

/**
 * The statements of a `try` between marks: a program that is read raises nothing but what `attempt` finds. Where the import of a library
 * fails that is not here, what stands behind the first `except`.
 */
export function tryStatements(
  text: string,
  item: Item,
  span: Span,
  statementsOf: (body: Item | null) => readonly Statement[],
): readonly Statement[] {
  const starts = item.parts.flatMap(({ name }, i) => (/^(try|except|else|finally)$/.test(name) ? [i] : []));
  const parts = starts.map((from, i) => {
    const words = item.parts.slice(from + 1, starts[i + 1]);
    return {
      word: item.parts[from]!.name,
      words,
      body: statementsOf(words.find(({ name }) => name === "Body") ?? null),
    };
  });
  const bodyOf = (word: string): readonly Statement[] => parts.find((each) => each.word === word)?.body ?? [];
  const handlers = parts
    .filter(({ word }) => word === "except")
    .map(({ words, body }) =>
      handlerOf(
        words.filter(({ name }) => name !== "Body"),
        body,
      ),
    );
  const fails = handlers.length > 0 && bodyOf("try").some((each) => importsOther(text, each));
  const block = {};
  const attempt = (at: "begin" | "else" | "end"): Statement => ({
    kind: "pass",
    span,
    attempt: { block, at, handlers },
  });
  const done = fails
    ? handlers[0]!.body
    : handlers.length === 0
      ? [...bodyOf("try"), ...bodyOf("else")]
      : [attempt("begin"), ...bodyOf("try"), attempt("else"), ...bodyOf("else"), attempt("end")];
  if (!parts.some(({ word }) => word === "finally")) return done;
  const mark = (at: "begin" | "finally" | "end"): Statement => ({ kind: "pass", span, anyway: { block, at } });
  return [mark("begin"), ...done, mark("finally"), ...bodyOf("finally"), mark("end")];
}
