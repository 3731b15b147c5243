/** @file Comprehensions: one element after the other, each with the names of its iteration. */
import { staticCondition } from "./static-condition";
import { itemsOf } from "./iterate";
import type { Interpreter, StatementRun } from "./interpreter";
import { BROKEN, isBroken, type Operand, Scope, type Value } from "./values";
import type { ComprehensionExpr } from "./syntax";
import { bindTargets } from "./targets";
import { dictKey } from "./strings";

/** Deeper than people nest comprehensions; keeps the engine's own stack small. */
const DEEPEST = 12;
const MOST_ITEMS = 10_000;

/** The element once for each item; nodes made for item i take paths under `path#i`. */
export function comprehended(
  interpreter: Interpreter,
  run: StatementRun,
  expr: ComprehensionExpr,
  iterable: Operand,
  path: string,
): Value {
  const { frame } = run;
  const nested = (frame.nested ?? 0) + 1;
  if (isBroken(iterable.value)) return BROKEN;
  const found = nested > DEEPEST ? null : itemsOf(interpreter, run, iterable, `${path}/in`);
  if (!found || found.length > MOST_ITEMS) {
    interpreter.diagnostics.add(
      "outside-language",
      expr.iterable.span,
      "A comprehension goes over range(n) with a constant n, over a tuple, or over the first axis of a tensor.",
    );
    return BROKEN;
  }
  const items: Operand[] = [];
  const entries = new Map<string, Operand>();
  found.forEach((item, i) => {
    const inner: StatementRun = {
      ...run,
      frame: { ...frame, scope: new Scope(frame.scope, frame.scope.owner), nested },
    };
    bindTargets(interpreter, inner, expr.target, item.value, "loop");
    const at = `${path}#${i}`;
    const test = expr.test
      ? { value: interpreter.valueOf(inner, expr.test, `${at}/if`), path: at, expr: expr.test }
      : null;
    if (test && staticCondition(interpreter, test, expr.test!) !== true) return;
    const operand = { value: interpreter.valueOf(inner, expr.element, at), path: at, expr: expr.element };
    const key = expr.key
      ? dictKey(interpreter, { value: interpreter.valueOf(inner, expr.key, `${at}/key`), path: at, expr: expr.key })
      : null;
    if (key !== null) entries.set(key, operand);
    else if (expr.joins && operand.value.kind === "sequence") items.push(...operand.value.items);
    else items.push(operand);
  });
  return expr.key ? { kind: "dict", entries } : { kind: "sequence", items, list: true };
}
