/** @file `with`: what a context of the program does where the block begins and ends, and the name that it gets. */
import type { Frame, Interpreter, StatementRun } from "../interpreter";
import { isIdle } from "../objects/classes";
import { inherited } from "../objects/inheritance";
import { callMethod } from "../objects/attributes";
import {
  bare,
  calledAt,
  type ContextPart,
  type DefStatement,
  everyStatement,
  type Expr,
  type PassStatement,
  rootsOf,
  type Statement,
  walk,
} from "../reading/syntax";
import { isBroken, NONE, type Operand, type Value } from "../values/values";
import { onlyTells } from "./telling";
import { bindTargets, underName } from "./targets";

/** The def of the program that a context calls, `with evaluating(net):`; null of any other. */
function calledDef(frame: Frame, expr: Expr): DefStatement | null {
  const call = bare(expr);
  const callee = call.kind === "call" ? bare(call.callee) : null;
  const value = callee?.kind === "name" ? frame.scope.find(callee.name)?.value : undefined;
  return value?.kind === "def" ? value.def : null;
}

/** Whether the program itself says what a context is: what a library's does changes no value. */
function isOwn(frame: Frame, expr: Expr): boolean {
  let root = bare(expr);
  while (root.kind === "call" || root.kind === "member") root = bare(root.kind === "call" ? root.callee : root.object);
  const value = root.kind === "name" ? frame.scope.find(root.name)?.value : undefined;
  return value !== undefined && /^(def|class|object|sequence|self)$/.test(value.kind);
}

/** The first statement behind a `yield` that computes something; null where a context only gives a value. */
function doneAfter(def: DefStatement): Statement | null {
  const all = [...everyStatement(def.body)];
  const at = all.findIndex(({ kind }) => kind === "yield");
  return all.slice(at + 1).find((each) => !isIdle(each) && !onlyTells([each])) ?? null;
}

/** Whether what a context is called is read in the block, other than to tell it something: `bar.update(1)`. */
function isRead(name: Expr, body: readonly Statement[]): boolean {
  if (name.kind !== "name") return true;
  return [...everyStatement(body)].some((each) => {
    const told = each.kind === "expression" ? bare(each.value) : null;
    return rootsOf(each).some((root) =>
      [...walk(root)].some(
        (expr) => expr.kind === "name" && expr.name === name.name && !(told && expr.span.from === told.span.from),
      ),
    );
  });
}

function method(interpreter: Interpreter, run: StatementRun, expr: Expr, self: Value, name: string): Value | null {
  const found = self.kind === "object" ? inherited(self.object.of, name) : null;
  if (!found) return null;
  const none = { name: null, operand: { value: NONE, path: "", expr: null }, span: expr.span };
  const args = name === "__exit__" ? [none, none, none] : [];
  return callMethod(interpreter, run, { path: `${run.root}/${name}`, expr: calledAt(expr) }, { found, self }, args);
}

/** What stands behind `as`: what `__enter__` answers, or what a context made of a def yields first. */
function entered(interpreter: Interpreter, run: StatementRun, { expr, target, body }: ContextPart): Value {
  const { diagnostics } = interpreter;
  const mark = diagnostics.mark();
  const value = interpreter.valueOf(run, expr, run.root);
  if (isBroken(value) && !isOwn(run.frame, expr) && !(target && isRead(target, body))) {
    diagnostics.takeErrors(mark);
    return NONE;
  }
  run.frame.contexts?.push({ expr, value });
  const first: Operand | undefined =
    value.kind === "sequence" && calledDef(run.frame, expr) ? value.items[0] : undefined;
  return first?.value ?? method(interpreter, run, expr, value, "__enter__") ?? value;
}

/** Begins or ends a block with a context. */
export function runContext(interpreter: Interpreter, statement: PassStatement, frame: Frame): void {
  const part = statement.context!;
  const own = isOwn(frame, part.expr);
  if (!own && !part.target) {
    if (part.ends) return;
    const text = "`with` has no effect here: only its body is read.";
    interpreter.diagnostics.add("no-effect", part.line, text, { severity: "warning" });
    return;
  }
  frame.contexts ??= [];
  underName(interpreter, frame, statement, "_", (run) => {
    if (part.ends) {
      const at = frame.contexts!.findLastIndex(({ expr }) => expr === part.expr);
      const [open] = at < 0 ? [] : frame.contexts!.splice(at, 1);
      if (open) method(interpreter, run, part.expr, open.value, "__exit__");
      return;
    }
    const def = calledDef(frame, part.expr);
    const later = def && doneAfter(def);
    if (def && later) {
      const text = `\`${def.name.text}\` does something behind its \`yield\`, which is not read here: write what it does around the block.`;
      interpreter.diagnostics.add("outside-language", part.expr.span, text);
    }
    const value = entered(interpreter, run, part);
    if (part.target) bindTargets(interpreter, run, part.target, value);
  });
}
