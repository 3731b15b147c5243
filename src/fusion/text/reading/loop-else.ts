/** @file `else` after a loop: what runs where no `break` left it, said by a name that each `break` sets. */
import type { Expr, NameExpr, Statement } from "./syntax";

/** `statements` with `left` assigned before each `break` of the loop that they are the body of. */
const noted = (statements: readonly Statement[], left: NameExpr): readonly Statement[] =>
  statements.flatMap((each): readonly Statement[] => {
    if (each.kind === "break") return [assigned(left, "true", { from: each.span.from, to: each.span.from }), each];
    if (each.kind !== "if") return [each];
    const branches = each.branches.map(({ test, body }) => ({ test, body: noted(body, left) }));
    return [{ ...each, branches, otherwise: noted(each.otherwise, left) }];
  });

const assigned = (left: NameExpr, kind: "true" | "false", span: Statement["span"]): Statement => ({
  kind: "assign",
  span,
  targets: [{ ...left, span }],
  annotation: null,
  value: { kind, span },
});

/** The loop and what follows it: `otherwise`, unless a `break` left the loop. */
export function withElse(
  loop: Extract<Statement, { readonly kind: "for" | "while" }>,
  otherwise: readonly Statement[],
): readonly Statement[] {
  if (otherwise.length === 0) return [loop];
  const { span } = loop;
  const left: NameExpr = { kind: "name", name: `left_${span.from}`, span: { from: span.from, to: span.from } };
  const body = noted(loop.body, left);
  if (body.length === loop.body.length && body.every((each, i) => each === loop.body[i])) return [loop, ...otherwise];
  const at = left.span;
  const test: Expr = { kind: "unary", span: at, op: "not", operand: left };
  return [
    assigned(left, "false", at),
    { ...loop, body },
    { kind: "if", span: otherwise[0]!.span, branches: [{ test, body: otherwise }], otherwise: [] },
  ];
}
