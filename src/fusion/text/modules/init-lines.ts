/** @file Lines of an __init__ that make no value: they draw first weights, register hooks, check and warn. */
import type { CallExpr, Expr, Statement } from "../syntax";
import { bare } from "../syntax";
import { isSelf, lastName } from "./members";

const IDLE =
  /^_*(init|reset|post_init|register_\w*hook|register_load\w*|apply$|load_|check|assert|warn|log|info|debug|requires_grad_|set_|validate)/;
const WEIGHTS = /_$|^(fill|constant|zero|normal|uniform|xavier|kaiming|trunc|orthogonal)/;

/** `nn.init.xavier_uniform_(self.w)`, `self.reset_parameters()`, `warnings.warn(…)`. */
const isIdleCall = ({ callee }: CallExpr): boolean => {
  const called = bare(callee);
  const name = lastName(called);
  return (
    IDLE.test(name) ||
    (called.kind === "member" && WEIGHTS.test(name)) ||
    (called.kind === "member" && !isSelf(called.object) && /^(logger|warnings|logging)$/.test(lastName(called.object)))
  );
};

const isWeight = (target: Expr): boolean => target.kind === "member" && target.name.text === "data";

/** Whether `statement` may be left out: nothing that forward() computes hangs on it. */
export function isIdle(statement: Statement): boolean {
  switch (statement.kind) {
    case "pass":
    case "raise":
      return true;
    case "expression": {
      const call = bare(statement.value);
      return call.kind === "string" || (call.kind === "call" && isIdleCall(call));
    }
    case "assign":
      return statement.targets.every((target) => isWeight(bare(target)));
    case "if":
      return [...statement.branches.flatMap(({ body }) => body), ...statement.otherwise].every(isIdle);
    case "for":
    case "while":
      return statement.body.every(isIdle);
    case "update":
    case "return":
    case "def":
    case "class":
    case "break":
    case "continue":
    case "bad":
      return false;
  }
}
