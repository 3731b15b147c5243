/** @file What a condition that only the run knows chooses of two values. */
import { sameShape, type NodeId } from "../../ir";
import { findOp } from "../../ops";
import { applyOp } from "../calls/apply";
import { type Interpreter, type StatementRun, typeOf } from "../interpreter";
import type { Expr } from "../reading/syntax";
import { BROKEN, isBroken, isOperand, type Operand, tensorValue, type Value } from "../values/values";

const loose = (value: Value): Operand => ({ value, path: "", expr: null });

/** What a condition on data means for the branches of an `if`. */
export const OPEN = "This condition depends on data, so both branches are computed and the condition chooses.";

export const DIFFERENT = `${OPEN} The branches do not both`;

/** What `test` chooses of two values, element by element of lists and dictionaries; null where they are not alike. */
export function chosenOf(
  interpreter: Interpreter,
  run: StatementRun,
  test: { readonly node: NodeId; readonly expr: Expr },
  [a, b]: readonly [Value, Value],
  path: string,
): Value | null {
  if (a === b) return a;
  if (isBroken(a) || isBroken(b)) return BROKEN;
  if (isOperand(a) && isOperand(b)) {
    if (!areAlike(interpreter, a, b)) return null;
    const call = { op: findOp("where")!, path, expr: test.expr };
    const tensors = [
      loose(tensorValue(test.node)),
      { ...loose(a), path: `${path}/1` },
      { ...loose(b), path: `${path}/2` },
    ];
    return applyOp(interpreter, run, call, { tensors, attrs: {} });
  }
  const each = (x: Operand, y: Operand | undefined, key: string | number): Operand | null => {
    const value = y && chosenOf(interpreter, run, test, [x.value, y.value], `${path}/of/${key}`);
    return value ? { value, path: `${path}/of/${key}`, expr: x.expr } : null;
  };
  if (a.kind === "sequence" && b.kind === "sequence" && a.items.length === b.items.length) {
    const items = a.items.map((item, i) => each(item, b.items[i], i));
    return items.includes(null) ? null : { ...a, items: items.map((item) => item!) };
  }
  if (a.kind === "dict" && b.kind === "dict" && a.entries.size === b.entries.size) {
    const entries = [...a.entries].map(([key, item]) => [key, each(item, b.entries.get(key), key)] as const);
    const found = entries.flatMap(([key, item]) => (item ? [[key, item] as const] : []));
    return found.length < entries.length ? null : { ...a, entries: new Map(found) };
  }
  return a.kind === b.kind && (a.kind === "none" || (a.kind === "string" && b.kind === "string" && a.value === b.value))
    ? a
    : null;
}

/** Whether two values have one shape; a number has that of anything. */
const areAlike = (interpreter: Interpreter, a: Value, b: Value): boolean =>
  a.kind !== "tensor" ||
  b.kind !== "tensor" ||
  sameShape(typeOf(interpreter, a.node).shape, typeOf(interpreter, b.node).shape);
