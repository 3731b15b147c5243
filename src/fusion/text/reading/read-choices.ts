/** @file Statements that mean others: `match x:` with values and names behind `case` is a chain of branches, and of `try` its body is read, or its `except`. */
import type { Span } from "../../ir";
import type { Expr, IfStatement, Statement } from "./syntax";
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

/** What comes before the first `except`, or behind it where the import of a library that is not here fails, and what comes in any case. */
export function tryStatements(
  text: string,
  item: Item,
  span: Span,
  statementsOf: (body: Item | null) => readonly Statement[],
): { readonly statements: readonly Statement[]; readonly fails: boolean } {
  const bodies = item.parts.flatMap((part, i) =>
    part.name === "Body"
      ? [
          {
            body: statementsOf(part),
            word: item.parts.slice(0, i).findLast(({ name }) => /^(try|except|else|finally)$/.test(name))?.name,
          },
        ]
      : [],
  );
  const handler = bodies.find(({ word }) => word === "except");
  const fails = handler !== undefined && bodies[0]?.body.some((each) => importsOther(text, each)) === true;
  const read = bodies.filter((each) => (fails ? each === handler : each.word !== "except" && each.word !== "finally"));
  const anyway = bodies.find(({ word }) => word === "finally");
  const done = read.flatMap(({ body }) => body);
  if (!anyway) return { statements: done, fails };
  const block = {};
  const mark = (at: "begin" | "finally" | "end"): Statement => ({ kind: "pass", span, anyway: { block, at } });
  return { statements: [mark("begin"), ...done, mark("finally"), ...anyway.body, mark("end")], fails };
}
