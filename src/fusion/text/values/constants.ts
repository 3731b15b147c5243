/**
 * @file Arithmetic that happens while the program is read: numbers, tuples of sizes, truth values. Python's rules.
 * @about and, or, not: Python decides them before it has read the whole.
 */
import { keyText, percentFilled } from "../reading/strings";
import { asScalarTensor, numberValue, type Operand, type Value } from "./values";

const MAX_ITEMS = 65_536;
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
const BITS: ReadonlyMap<string, (a: number, b: number) => number> = new Map([
  ["&", (a, b) => a & b],
  ["|", (a, b) => a | b],
  ["^", (a, b) => a ^ b],
  ["<<", (a, b) => a * 2 ** b],
  [">>", (a, b) => Math.floor(a / 2 ** b)],
]);
const COMPARE: ReadonlyMap<string, (a: number, b: number) => boolean> = new Map([
  ["==", (a, b) => a === b],
  ["!=", (a, b) => a !== b],
  ["<", (a, b) => a < b],
  ["<=", (a, b) => a <= b],
  [">", (a, b) => a > b],
  [">=", (a, b) => a >= b],
]);

/** Python's truth of a value that is known; null of a tensor. */
export function truthOf(value: Value): boolean | null {
  switch (value.kind) {
    case "number":
      return value.value !== 0;
    case "bool":
      return value.value;
    case "string":
      return value.value !== "";
    case "sequence":
      return value.items.length > 0;
    case "dict":
      return value.entries.size > 0;
    case "none":
      return false;
    case "dtype":
    case "op":
    case "def":
    case "transform":
    case "custom":
    case "pullback":
    case "partial":
    case "layer":
    case "class":
    case "object":
    case "module-method":
    case "super":
    case "layer-class":
    case "slice":
    case "key":
    case "module":
    case "self":
      return true;
    case "tensor":
    case "weight":
    case "selection":
    case "hole":
    case "broken":
      return null;
  }
}

/** Kinds of which two different ones are never equal. */
const PLAIN: ReadonlySet<Value["kind"]> = new Set(["dtype", "string", "sequence", "dict", "number"]);

/** What two values that are no numbers have in common: strings, types, None; null where that can't be said before the graph runs. */
function sameWord(left: Value, right: Value): boolean | null {
  if (left.kind === "none" || right.kind === "none") return left.kind === right.kind;
  if (left.kind === "string" && right.kind === "string") return left.value === right.value;
  if (left.kind === "dtype" && right.kind === "dtype") return left.dtype === right.dtype;
  // Types that are words here, `torch.bfloat16`, are none that a tensor has; a tuple is no text.
  if (left.kind !== right.kind && PLAIN.has(left.kind) && PLAIN.has(right.kind)) return false;
  if (left.kind === "bool" && right.kind === "bool") return left.value === right.value;
  if (left.kind === "sequence" && right.kind === "sequence") return sameItems(left.items, right.items);
  return null;
}

/** Tuples of numbers and words; deeper ones can't be compared. */
function sameItems(left: readonly Operand[], right: readonly Operand[]): boolean | null {
  if (left.length !== right.length) return false;
  const same = left.map(({ value }, i) => {
    const other = right[i]!.value;
    if (value.kind === "number" && other.kind === "number") return value.value === other.value;
    return value.kind === "sequence" || other.kind === "sequence" ? null : sameWord(value, other);
  });
  return same.includes(false) ? false : same.includes(null) ? null : true;
}

const truth = (value: boolean): Value => ({ kind: "bool", value });

/** Python's order of two texts, or of two tuples of numbers and texts; null where they have none. */
function orderOf(left: Value, right: Value): number | null {
  if (left.kind === "string" && right.kind === "string")
    return left.value === right.value ? 0 : left.value < right.value ? -1 : 1;
  const [a, b] = [asNumber(left), asNumber(right)];
  if (a && b) return Math.sign(a.value - b.value);
  if (left.kind !== "sequence" || right.kind !== "sequence") return null;
  for (const [i, { value }] of left.items.entries()) {
    const other = right.items[i];
    const order = other ? orderOf(value, other.value) : 1;
    if (order !== 0) return order;
  }
  return left.items.length - right.items.length;
}

/** `is`, `in`, `==` and the logic of what is no number. */
function foldWords(op: string, left: Value, right: Value): Value | null {
  const order = op.startsWith("<") || op.startsWith(">") ? orderOf(left, right) : null;
  if (order !== null && COMPARE.has(op)) return truth(COMPARE.get(op)!(order, 0));
  if (op === "is" || op === "is not" || op === "==" || op === "!=") {
    const same =
      op.startsWith("is") && left.kind === "tensor" && right.kind === "tensor"
        ? left.node === right.node
        : sameWord(left, right);
    // `x == None` asks each element of a tensor.
    const known = same !== null && (op.startsWith("is") || (left.kind !== "tensor" && right.kind !== "tensor"));
    return known ? truth(same === (op === "is" || op === "==")) : null;
  }
  if (op === "in" || op === "not in") {
    const key = right.kind === "dict" ? keyText(left) : null;
    if (right.kind === "dict" && key !== null) return truth(right.entries.has(key) === (op === "in"));
    if (right.kind === "string" && left.kind === "string")
      return truth(right.value.includes(left.value) === (op === "in"));
    const items = right.kind === "sequence" ? right.items : null;
    const found = items?.map(({ value }) =>
      value.kind === "number" && left.kind === "number" ? value.value === left.value : sameWord(left, value),
    );
    return found && !found.includes(null) ? truth(found.includes(true) === (op === "in")) : null;
  }
  if (op !== "and" && op !== "or") return null;
  // Python answers one of the two: `width or 4 * n`.
  const holds = truthOf(left);
  if (holds === null) return null;
  return holds === (op === "and") ? right : left;
}

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
  const found = folded(op, left, right);
  return found && !/^(and|or|is|is not|in|not in)$/.test(op) ? asScalarTensor(found, [left, right]) : found;
}

/** Sets together, what both have, what one of them alone has; null of another operator. */
function joinedSets(op: string, left: readonly Operand[], right: readonly Operand[]): readonly Operand[] | null {
  const isIn =
    (items: readonly Operand[]) =>
    ({ value }: Operand): boolean => {
      const same = items.map((item) => truthOf(folded("==", item.value, value) ?? { kind: "none" }));
      return same.includes(true);
    };
  const more = right.filter((item) => !isIn(left)(item));
  if (op === "|") return [...left, ...more];
  if (op === "&") return left.filter(isIn(right));
  if (op === "^") return [...left.filter((item) => !isIn(right)(item)), ...more];
  return op === "-" ? left.filter((item) => !isIn(right)(item)) : null;
}

type Dict = Extract<Value, { kind: "dict" }>;

/** Counters that are added or taken away: what is more than none. */
function addedUp(left: Dict, right: Dict, sign: 1 | -1): Value {
  const often = (of: Dict, key: string): number => {
    const value = of.entries.get(key)?.value;
    return value?.kind === "number" ? value.value : 0;
  };
  const all = [...new Map([...right.entries, ...left.entries])].flatMap(([key, operand]): [string, Operand][] => {
    const sum = often(left, key) + sign * often(right, key);
    return sum > 0 ? [[key, { ...operand, value: numberValue(sum, true) }]] : [];
  });
  return { ...left, entries: new Map(all) };
}

function folded(op: string, left: Value, right: Value): Value | null {
  if (left.kind === "dict" && right.kind === "dict" && op === "|")
    return { ...left, entries: new Map([...left.entries, ...right.entries]) };
  if (left.kind === "dict" && right.kind === "dict" && left.missing?.kind === "number" && (op === "+" || op === "-"))
    return addedUp(left, right, op === "+" ? 1 : -1);
  if (left.kind === "string" && right.kind === "string" && op === "+")
    return { kind: "string", value: left.value + right.value };
  if (left.kind === "string" && op === "%") return percentFilled(left.value, right);
  if (left.kind === "string" && right.kind === "number" && right.whole && op === "*")
    return { kind: "string", value: left.value.repeat(Math.min(Math.max(0, right.value), MAX_ITEMS)) };
  if (left.kind === "number" && (right.kind === "sequence" || right.kind === "string") && op === "*")
    return foldBinary(op, right, left);
  if (left.kind === "sequence" && right.kind === "sequence" && op === "+") {
    return { ...left, items: [...left.items, ...right.items] };
  }
  if (
    left.kind === "sequence" &&
    right.kind === "number" &&
    right.whole &&
    op === "*" &&
    left.items.length * right.value <= MAX_ITEMS
  ) {
    return { ...left, items: Array.from({ length: Math.max(0, right.value) }, () => left.items).flat() };
  }
  const set = left.kind === "sequence" && right.kind === "sequence" ? joinedSets(op, left.items, right.items) : null;
  if (set && left.kind === "sequence") return { ...left, items: set };
  const [a, b] = [asNumber(left), asNumber(right)];
  if (!a || !b || op.startsWith("is") || op.endsWith("in") || op === "and" || op === "or")
    return foldWords(op, left, right);
  const compare = COMPARE.get(op);
  if (compare) return { kind: "bool", value: compare(a.value, b.value) };
  const bits = BITS.get(op);
  if (bits && a.whole && b.whole) {
    const result = bits(a.value, b.value);
    return left.kind === "bool" && right.kind === "bool" ? truth(result !== 0) : numberValue(result, true);
  }
  const arithmetic = ARITHMETIC.get(op);
  if (!arithmetic) return null;
  const result = arithmetic(a.value, b.value);
  return numberValue(result, a.whole && b.whole && op !== "/" && Number.isInteger(result));
}

/** `op a` when it is known. */
export function foldUnary(op: string, operand: Value): Value | null {
  const a = asNumber(operand);
  if (!a) {
    const holds = op === "not" ? truthOf(operand) : null;
    return holds === null ? null : truth(!holds);
  }
  if (op === "not") return { kind: "bool", value: a.value === 0 };
  const value = op === "-" ? -a.value : op === "+" ? a.value : null;
  return value === null ? null : asScalarTensor(numberValue(value, a.whole), [operand]);
}
