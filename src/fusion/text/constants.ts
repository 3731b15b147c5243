/** @file Arithmetic that happens while the program is read: numbers, tuples of sizes, truth values. Python's rules. */
import type { Value } from "./values";
import { numberValue } from "./values";

const MOST_ITEMS = 65_536;
const floorMod = (a: number, b: number): number => a - Math.floor(a / b) * b;

const ARITHMETIC: ReadonlyMap<string, (a: number, b: number) => number> = new Map([
  ["+", (a, b) => a + b],
  ["-", (a, b) => a - b],
  ["*", (a, b) => a * b],
  ["/", (a, b) => a / b],
  ["//", (a, b) => Math.floor(a / b)],
  ["%", floorMod],
  ["**", (a, b) => a ** b],
]);
const COMPARE: ReadonlyMap<string, (a: number, b: number) => boolean> = new Map([
  ["==", (a, b) => a === b],
  ["!=", (a, b) => a !== b],
  ["<", (a, b) => a < b],
  ["<=", (a, b) => a <= b],
  [">", (a, b) => a > b],
  [">=", (a, b) => a >= b],
]);

const asNumber = (value: Value): { value: number; whole: boolean } | null =>
  value.kind === "number"
    ? value.dtype
      ? null
      : value
    : value.kind === "bool"
      ? { value: Number(value.value), whole: true }
      : null;

/** `a op b` when both are known; null when it is not arithmetic of constants. */
export function foldBinary(op: string, left: Value, right: Value): Value | null {
  if (left.kind === "sequence" && right.kind === "sequence" && op === "+") {
    return { kind: "sequence", items: [...left.items, ...right.items] };
  }
  if (
    left.kind === "sequence" &&
    right.kind === "number" &&
    right.whole &&
    op === "*" &&
    left.items.length * right.value <= MOST_ITEMS
  ) {
    return { kind: "sequence", items: Array.from({ length: right.value }, () => left.items).flat() };
  }
  const [a, b] = [asNumber(left), asNumber(right)];
  if (!a || !b) return null;
  const compare = COMPARE.get(op);
  if (compare) return { kind: "bool", value: compare(a.value, b.value) };
  if (op === "and" || op === "&") return { kind: "bool", value: a.value !== 0 && b.value !== 0 };
  if (op === "or" || op === "|") return { kind: "bool", value: a.value !== 0 || b.value !== 0 };
  const arithmetic = ARITHMETIC.get(op);
  if (!arithmetic) return null;
  const result = arithmetic(a.value, b.value);
  return numberValue(result, a.whole && b.whole && op !== "/" && Number.isInteger(result));
}

/** `op a` when it is known. */
export function foldUnary(op: string, operand: Value): Value | null {
  const a = asNumber(operand);
  if (!a) return null;
  if (op === "not") return { kind: "bool", value: a.value === 0 };
  if (op === "-") return numberValue(-a.value, a.whole);
  return op === "+" ? numberValue(a.value, a.whole) : null;
}
