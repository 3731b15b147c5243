/** @file Conditions that are decided while the program is read. */
import { showType } from "../../ir";
import { truthOf } from "../values/constants";
import { holdsAtFirst } from "./any-iteration";
import type { Interpreter, StatementRun } from "../interpreter";
import type { Expr } from "../reading/syntax";
import { walk } from "../reading/syntax";
import { isBroken, type Operand, type Value } from "../values/values";

/** Why a condition can't be decided: it is more than one number, or only the run knows it. */
function undecided({ nodes, unknown }: Interpreter, value: Value, text: string): string {
  const node = value.kind === "tensor" && !unknown.has(value.node) ? nodes.get(value.node)! : null;
  if (!node || node.type.shape.length === 0) return text;
  return `A condition is one number or truth; this is ${showType(node.type)}. Write where(condition, a, b) to choose element by element, or ask for any() or all() of it.`;
}

const OPEN =
  "This condition depends on data, and what is read must be known before. Write where(condition, a, b) to choose between values.";

/** Whether a condition holds; null after a diagnostic when only the running graph would know. */
export function staticCondition(interpreter: Interpreter, { value }: Operand, test: Expr, text = OPEN): boolean | null {
  const holds = truthOf(value) ?? (value.kind === "tensor" ? holdsAtFirst(interpreter, value.node) : null);
  if (holds === null && !isBroken(value))
    interpreter.diagnostics.add("branch", test.span, undecided(interpreter, value, text));
  return holds;
}

/** Names that a part of the program which is not taken reads: they are used, and a rename reaches them. */
export function noteUses({ frame }: StatementRun, roots: readonly Expr[]): void {
  for (const root of roots) {
    for (const expr of walk(root)) if (expr.kind === "name") frame.scope.find(expr.name)?.symbol.addUse(expr.span);
  }
}
