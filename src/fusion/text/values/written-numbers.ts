/** @file Tensors whose elements stand in the text, as Python's own numbers and lists: `item()`, `tolist()`, `float(x)`. */
import type { Interpreter } from "../interpreter";
import { typeOf } from "../interpreter";
import { writtenValues } from "./constant-values";
import { isScalarTensor, numberValue, type Operand, type Value } from "./values";

/** More numbers than a person goes through in a list. */
const MOST = 4096;

const loose = (value: Value): Operand => ({ value, path: "", expr: null });

/** A tensor as the number that it is, or the nested lists of its numbers; null where only the run knows them. */
export function asWritten(interpreter: Interpreter, value: Value): Value | null {
  if (value.kind === "number") return isScalarTensor(value) ? numberValue(value.value, value.whole) : value;
  if (value.kind === "bool") return { kind: "bool", value: value.value };
  if (value.kind !== "tensor" || interpreter.unknown.has(value.node)) return null;
  const { dtype, shape } = typeOf(interpreter, value.node);
  if (shape.reduce((size, extent) => size * extent, 1) > MOST) return null;
  const numbers = writtenValues(interpreter.nodes, value.node);
  if (!numbers) return null;
  const leaf = (number: number): Value =>
    dtype === "bool" ? { kind: "bool", value: number !== 0 } : numberValue(number, dtype === "i32");
  let level: readonly Value[] = numbers.map(leaf);
  for (const extent of shape.toReversed()) {
    const rows = extent === 0 ? 0 : level.length / extent;
    level = Array.from({ length: rows }, (_, i): Value => {
      return { kind: "sequence", list: true, items: level.slice(i * extent, (i + 1) * extent).map(loose) };
    });
  }
  return level[0] ?? null;
}

/** The number that a tensor of one element is; null where only the run knows it. */
export function writtenNumber(interpreter: Interpreter, value: Value): Value | null {
  let found = asWritten(interpreter, value);
  while (found?.kind === "sequence") found = found.items.length === 1 ? found.items[0]!.value : null;
  return found;
}
