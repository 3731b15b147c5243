/** @file Comprehensions of lists, generators and dictionaries: each `for` is one inside the one before it. */
import type { Expr } from "./syntax";
import type { Item } from "./read-item";
import { exprsOf } from "./read-item";
import { bad, type ParserContext } from "./parser-context";

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

/** An element and its clauses; `{key: value for …}` has two expressions before the first `for`. */
export function readComprehension(at: ParserContext, parts: readonly Item[]): Expr {
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
