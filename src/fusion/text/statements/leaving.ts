/** @file `break` and `continue` where only the run knows whether they are met: iterations go on, and the condition chooses what names stood for where it was left. */
import { applyOp } from "../calls/apply";
import type { Frame, Interpreter, Left } from "../interpreter";
import { findOp } from "../../ops";
import type { Expr, IfStatement, Statement } from "../reading/syntax";
import { bindName } from "../symbols";
import { writeInPlace } from "../calls/memory";
import { change } from "../values/grown";
import { tensorValue, type Operand, type Value } from "../values/values";
import { chooseEffects, marksOf, NO_EFFECTS, takeEffects } from "./effects";
import { chosenOf, DIFFERENT } from "./chosen";
import { underName } from "./targets";
import type { NodeId } from "../../ir";

/** The `if` without the `break` or `continue` that its first branch ends with, and that word. */
export function withoutJump(statement: IfStatement): {
  readonly statement: IfStatement;
  readonly word: "break" | "continue" | null;
} {
  const [first, ...more] = statement.branches;
  const last = first?.body.at(-1);
  if (!first || (last?.kind !== "break" && last?.kind !== "continue")) return { statement, word: null };
  return {
    statement: { ...statement, branches: [{ ...first, body: first.body.slice(0, -1) }, ...more] },
    word: last.kind,
  };
}

/** Notes that the iteration is left where `test` holds, with what names stand for now. */
export function leave(
  interpreter: Interpreter,
  frame: Frame,
  word: "break" | "continue",
  test: { readonly node: NodeId; readonly expr: Expr },
): void {
  const { scope, jump } = frame;
  const values = new Map([...scope.names].map(([name, history]) => [name, history.at(-1)!] as const));
  const marks = marksOf(interpreter);
  jump![word === "break" ? "breaks" : "continues"].push({ ...test, values, marks, early: frame.result.early ?? [] });
}

/** What the names of `frame` stand for where iterations may have been left before, the last of these last. */
export function settle(interpreter: Interpreter, statement: Statement, frame: Frame, left: readonly Left[]): void {
  const { scope } = frame;
  for (const { node, expr, values, marks, early } of left.toReversed()) {
    if ((frame.result.early ?? []).length > early.length || frame.result.values) {
      interpreter.diagnostics.add("branch", expr.span, CANT);
      return;
    }
    const effects = takeEffects(interpreter, marks);
    for (const [name, { value: was, symbol }] of values) {
      const now = scope.names.get(name)!.at(-1)!.value;
      if (now === was) continue;
      for (const each of [symbol, scope.names.get(name)!.at(-1)!.symbol]) each.isRead = true;
      underName(interpreter, frame, statement, name, (run) => {
        const value = chosenOf(interpreter, run, { node, expr }, [was, now], run.root);
        if (value && effects.lists.has(was)) change(interpreter, was, value);
        if (value && effects.tensors.has(was)) writeInPlace(interpreter, run, expr, was, value);
        if (value) bindName(interpreter, run, { kind: "name", name, span: symbol.definition }, value);
        else interpreter.diagnostics.add("branch", expr.span, `${DIFFERENT} leave \`${name}\` in one shape.`);
      });
    }
    const choice = { frame, statement, test: { node, expr }, told: new Set<Value>() };
    const fault = chooseEffects(interpreter, choice, [NO_EFFECTS, effects]);
    if (fault) interpreter.diagnostics.add("branch", expr.span, `${DIFFERENT} ${fault}.`);
  }
}

const CANT =
  "Only the run knows whether this leaves the loop, and what comes after it returns, which can't be chosen afterwards. Compute with where(condition, a, b) instead.";

/** Where an iteration that may have been left goes on, it is left again only if it was not before. */
export function unlessLeft(
  interpreter: Interpreter,
  statement: Statement,
  frame: Frame,
  { node, expr }: { readonly node: NodeId; readonly expr: Expr },
): NodeId {
  return (frame.jump?.continues ?? []).reduce((test, each) => {
    return underName(interpreter, frame, statement, "_", (run) => {
      const apply = (op: string, nodes: readonly NodeId[], path: string): NodeId => {
        const tensors = nodes.map((id): Operand => ({ value: tensorValue(id), path: "", expr: null }));
        const value = applyOp(interpreter, run, { op: findOp(op)!, path, expr }, { tensors, attrs: {} });
        return value.kind === "tensor" ? value.node : nodes[0]!;
      };
      return apply("and", [test, apply("not", [each.node], `${run.root}/stays`)], run.root);
    });
  }, node);
}
