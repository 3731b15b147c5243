/** @file Conditions that are decided while the program is read. */
import { truthOf } from "../values/constants";
import { holdsAtFirst } from "./any-iteration";
import type { Interpreter, StatementRun } from "../interpreter";
import type { Expr } from "../reading/syntax";
import { walk } from "../reading/syntax";
import { isBroken, type Operand } from "../values/values";

export const BRANCH =
  "This condition depends on data, and a graph has no branches. Write where(condition, a, b) to choose element by element.";

/** Whether a condition holds; null after a diagnostic when only the running graph would know. */
export function staticCondition(
  interpreter: Interpreter,
  { value }: Operand,
  test: Expr,
  text = BRANCH,
): boolean | null {
  const holds = truthOf(value) ?? (value.kind === "tensor" ? holdsAtFirst(interpreter, value.node) : null);
  if (holds === null && !isBroken(value)) interpreter.diagnostics.add("branch", test.span, text);
  return holds;
}

/** Names that a part of the program which is not taken reads: they are used, and a rename reaches them. */
export function noteUses({ frame }: StatementRun, roots: readonly Expr[]): void {
  for (const root of roots) {
    for (const expr of walk(root)) if (expr.kind === "name") frame.scope.find(expr.name)?.symbol.addUse(expr.span);
  }
}
