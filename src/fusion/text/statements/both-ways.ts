/** @file `if` on a number that only the run knows: both branches are computed, and where they end apart the number chooses, as in jax.lax.cond. */
import { sameShape, type NodeId } from "../../ir";
import { findOp } from "../../ops";
import { applyOp } from "../calls/apply";
import { writeInPlace } from "../calls/memory";
import { type Frame, type Interpreter, typeOf } from "../interpreter";
import { bare, type Expr, type IfStatement, type NameExpr, type Statement } from "../reading/syntax";
import { bindName } from "../symbols";
import { isOperand, type Operand, tensorValue, type Value } from "../values/values";
import { namesIn, underName } from "./targets";

/** Names that the branches assign, each once; null where they do anything else. */
function assignedNames({ branches, otherwise }: IfStatement): readonly NameExpr[] | null {
  const names = new Map<string, NameExpr>();
  for (const inner of [...branches.flatMap(({ body }) => body), ...otherwise]) {
    if (inner.kind === "pass") continue;
    const targets = inner.kind === "assign" ? inner.targets : inner.kind === "update" ? [inner.target] : null;
    if (!targets?.every((target) => bare(target).kind === "name")) return null;
    for (const name of targets.flatMap(namesIn)) names.set(name.name, name);
  }
  return [...names.values()];
}

/** Whether a condition can choose between what the branches of this `if` assign: it is one number, and there is one test. */
export function canChoose(
  interpreter: Interpreter,
  statement: Statement,
  test: Value,
): test is Value & { node: NodeId } {
  if (statement.kind !== "if" || statement.branches.length !== 1 || interpreter.anyIteration) return false;
  if (test.kind !== "tensor" || interpreter.unknown.has(test.node)) return false;
  return typeOf(interpreter, test.node).shape.length === 0 && assignedNames(statement) !== null;
}

/** Runs both branches, and binds every name that they end with apart to what `test` chooses; a name that can't be chosen for, or null. */
export function runBoth(
  interpreter: Interpreter,
  statement: IfStatement,
  frame: Frame,
  test: { readonly node: NodeId; readonly expr: Expr },
): NameExpr | null {
  const { scope } = frame;
  const { memory } = interpreter;
  const names = assignedNames(statement)!;
  const valuesNow = (): readonly (Value | undefined)[] => names.map(({ name }) => scope.find(name)?.value);
  const before = valuesNow();
  const written = new Set<Value>();
  const endOf = (body: readonly Statement[]): readonly (Value | undefined)[] => {
    const mark = scope.mark();
    const size = memory?.later.size ?? 0;
    interpreter.runBody(body, frame);
    const values = valuesNow();
    // The choice reads what each branch binds.
    for (const name of scope.boundSince(mark)) scope.find(name)!.symbol.isRead = true;
    scope.backTo(mark);
    for (const value of [...(memory?.later.keys() ?? [])].slice(size)) {
      memory!.later.delete(value);
      if (before.includes(value)) written.add(value);
    }
    return values;
  };
  const [yes, no] = [endOf(statement.branches[0]!.body), endOf(statement.otherwise)];
  const loose = (value: Value): Operand => ({ value, path: "", expr: null });
  for (const [at, name] of names.entries()) {
    const [a, b, was] = [yes[at], no[at], before[at]];
    if (a === b) continue;
    if (!a || !b || !isOperand(a) || !isOperand(b) || !areAlike(interpreter, a, b)) return name;
    underName(interpreter, frame, statement, name.name, (run) => {
      const call = { op: findOp("where")!, path: run.root, expr: test.expr };
      const operands = [
        loose(tensorValue(test.node)),
        { ...loose(a), path: `${run.root}/1` },
        { ...loose(b), path: `${run.root}/2` },
      ];
      const value = applyOp(interpreter, run, call, { tensors: operands, attrs: {} });
      if (was && written.has(was)) writeInPlace(interpreter, run, name, was, value);
      bindName(interpreter, run, name, value);
    });
  }
  return null;
}

/** Whether two values have one shape; a number has that of anything. */
const areAlike = (interpreter: Interpreter, a: Value, b: Value): boolean =>
  a.kind !== "tensor" ||
  b.kind !== "tensor" ||
  sameShape(typeOf(interpreter, a.node).shape, typeOf(interpreter, b.node).shape);
