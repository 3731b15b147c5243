/** @file What Python goes through one after the other: items of a list, keys of a dictionary, rows of a tensor. */
import type { Interpreter, StatementRun } from "../interpreter";
import { typeOf } from "../interpreter";
import { rowsOf } from "../calls/multi-results";
import type { NodeId } from "../../ir";
import { partsOf } from "../objects/operators";
import { isHeld, weightValue } from "../layers/weights";
import { namedWeights } from "../objects/modules";
import { exhaust, isMade } from "../values/grown";
import { homesIn, isTrained } from "../objects/parameters";
import { keysOf } from "../reading/strings";
import { numberValue, type Operand, tensorValue } from "../values/values";

/** Rows of a tensor that are written out, at most. */
const MAX_ROWS = 4096;

/** `torch.linspace(0, rate, depth)` that Python goes through: rates of layers, known while the program is read. */
function numbersOf(interpreter: Interpreter, node: NodeId): readonly Operand[] | null {
  const { op, attrs } = interpreter.sites.get(node) ?? {};
  const numbers = attrs && op?.numbers?.(attrs);
  return numbers ? numbers.map((number) => ({ value: numberValue(number, false), path: "", expr: null })) : null;
}

/** The items of what goes on being held: somebody goes through it later. */
export function itemsStill(
  interpreter: Interpreter,
  run: StatementRun,
  operand: Operand,
  root: string,
): readonly Operand[] | null {
  const { value } = operand;
  return value.kind === "sequence" && value.isOnce ? value.items : itemsOf(interpreter, run, operand, root);
}

/**
 * The items of what stands behind `in`, in order.
 * @param root identity of the rows that a tensor is taken apart into
 * @returns null for what has no items, or more rows than are written out
 */
export function itemsOf(
  interpreter: Interpreter,
  run: StatementRun,
  operand: Operand,
  root: string,
): readonly Operand[] | null {
  const value = partsOf(interpreter, run, { expr: operand.expr, path: root }, operand.value);
  if (value.kind === "sequence" && value.parametersOf) {
    // Those of a model that was not called yet are made first.
    namedWeights(interpreter, run, value.parametersOf);
    return [...homesIn(value.parametersOf)]
      .filter(({ node }) => isTrained(interpreter, node))
      .map(({ node }) => ({ value: tensorValue(node), path: "", expr: null }));
  }
  exhaust(interpreter, value, [], isMade(operand.expr));
  if (value.kind === "sequence")
    return value.items.map((item, i) =>
      item.value.kind === "weight" && isHeld(item.value.weight)
        ? { ...item, value: weightValue(interpreter, run, item.value, `${root}/${i}`) }
        : item,
    );
  if (value.kind === "string")
    return Array.from(value.value, (each) => ({ value: { kind: "string", value: each }, path: "", expr: null }));
  if (value.kind === "dict") return keysOf(value.entries);
  if (value.kind !== "tensor" || interpreter.unknown.has(value.node)) return null;
  const numbers = numbersOf(interpreter, value.node);
  if (numbers) return numbers;
  const rows = typeOf(interpreter, value.node).shape[0] ?? 0;
  return rows === 0 || rows > MAX_ROWS ? null : rowsOf(interpreter, run, operand, root);
}
