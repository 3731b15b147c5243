/** @file Statements that only print, plot or keep a record: nothing that is computed hangs on them. */
import { bare, bodiesOf, type CallExpr, type Statement } from "../reading/syntax";

const TELLING = /^(append|extend|add_scalar|set_description|set_postfix|log|info)$/;

const tells = ({ callee }: CallExpr): boolean => {
  const called = bare(callee);
  return called.kind === "name" ? called.name === "print" : called.kind === "member" && TELLING.test(called.name.text);
};

/** Whether all of `body` only prints, plots or keeps a record, or is one of `others`. */
export const onlyTells = (body: readonly Statement[], others: ReadonlySet<Statement["kind"]> = NONE): boolean =>
  body.every((each) => {
    if (each.kind === "if" || each.kind === "for" || each.kind === "while")
      return bodiesOf(each).every((inner) => onlyTells(inner, others));
    if (each.kind !== "expression") return each.kind === "pass" || others.has(each.kind);
    const value = bare(each.value);
    return value.kind === "string" || (value.kind === "call" && tells(value));
  });

const NONE: ReadonlySet<Statement["kind"]> = new Set();
