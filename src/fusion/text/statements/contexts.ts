/** @file `with`: what a context of the program does where the block begins and ends, and the name that it gets; and what is done though a block is left before its end. */
import type { Frame, Interpreter, OpenContext, StatementRun } from "../interpreter";
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
import { yieldAt } from "./generators";
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
  const first = all.find(({ kind }) => kind === "yield");
  const isDone = (each: Statement): boolean => each.span.from > (first?.span.from ?? Infinity);
  return all.find((each) => isDone(each) && !isIdle(each) && !onlyTells([each])) ?? null;
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
  const { frame } = run;
  const { nodes } = interpreter;
  const open: OpenContext = { expr, value: NONE, off: nodes.off };
  frame.opening = open;
  const value = interpreter.valueOf(run, expr, run.root);
  delete frame.opening;
  if (isBroken(value) && !isOwn(run.frame, expr) && !(target && isRead(target, body))) {
    diagnostics.takeErrors(mark);
    return NONE;
  }
  open.value = value;
  frame.contexts?.push(open);
  if (open.rest) nodes.off = open.rest.off;
  const first: Operand | undefined =
    value.kind === "sequence" && (open.rest || calledDef(frame, expr)) ? value.items[0] : undefined;
  if (open.rest) return first?.value ?? NONE;
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
      if (open?.rest) {
        interpreter.runBody(open.rest.statements, open.rest.frame);
        interpreter.nodes.off = open.off;
      } else if (open) method(interpreter, run, part.expr, open.value, "__exit__");
      return;
    }
    const def = calledDef(frame, part.expr);
    const later = def && yieldAt(def) < 0 ? doneAfter(def) : null;
    if (def && later) {
      const text = `\`${def.name.text}\` does something behind its \`yield\`, which is not read here: write what it does around the block.`;
      interpreter.diagnostics.add("outside-language", part.expr.span, text);
    }
    const value = entered(interpreter, run, part);
    if (part.target) bindTargets(interpreter, run, part.target, value);
  });
}

/** What statements before `at` began and later ones end, in order. */
function closing(statements: readonly Statement[], at: number): readonly Statement[] {
  const begun = new Set<object>();
  for (const statement of statements.slice(0, at)) {
    const { context, anyway } = statement.kind === "pass" ? statement : {};
    if (context && !context.ends) begun.add(context.expr);
    if (anyway?.at === "begin") begun.add(anyway.block);
  }
  let open: object | null = null;
  return statements.slice(at).filter((statement) => {
    const { context, anyway } = statement.kind === "pass" ? statement : {};
    if (anyway?.at === "finally" && begun.has(anyway.block)) open ??= anyway.block;
    const isIn = open !== null || (context?.ends === true && begun.has(context.expr));
    if (anyway?.at === "end" && anyway.block === open) open = null;
    return isIn;
  });
}

/** Does what is done though `statements` are left at `at`; what it returns itself counts instead. */
export function leaveBlocks(
  statements: readonly Statement[],
  at: number,
  frame: Frame,
  run: (rest: readonly Statement[]) => void,
): void {
  const rest = closing(statements, at);
  if (rest.length === 0) return;
  const { result, jump } = frame;
  const { values, value } = result;
  const word = jump?.word ?? null;
  result.values = null;
  delete result.value;
  if (jump) jump.word = null;
  run(rest);
  if (result.values !== null) return;
  result.values = values;
  if (value) result.value = value;
  if (jump) jump.word ??= word;
}
