/** @file Python's own functions on what is known while the program is read: range, enumerate, zip, len, casts. */
import { isHostFunction, hostCall } from "./host-functions";
import { itemsOf, itemsStill } from "../statements/iterate";
import type { Interpreter, StatementRun } from "../interpreter";
import { typeOf } from "../interpreter";
import { keysOf, printed } from "../reading/strings";
import { castTo, sizeMethod } from "../calls/member";
import { DTYPES } from "../calls/names";
import { asked as askedOf, partsOf } from "../objects/operators";
import type { DType } from "../../ir";
import type { CallExpr } from "../reading/syntax";
import { foldBinary, truthOf } from "./constants";
import { change, exhaust } from "./grown";
import { onceThrough } from "../statements/generators";
import { mathCall } from "./python-math";
import { writtenNumber } from "./written-numbers";
import { walkCall } from "./walks";
import { BROKEN, describe, isBroken, numberValue, type Operand, type Value } from "./values";

const MAX_ITERATIONS = 10_000;

/** Numbers that `range(…)` goes through. */
function rangeOf(interpreter: Interpreter, { span }: CallExpr, operands: readonly Operand[]): Value {
  if (operands.some((operand) => isBroken(operand.value))) return BROKEN;
  const numbers = operands.flatMap(({ value }) =>
    value.kind === "number" && Number.isInteger(value.value) ? [value.value] : [],
  );
  const [start, stop, step] = numbers.length === 1 ? [0, numbers[0]!, 1] : [numbers[0]!, numbers[1]!, numbers[2] ?? 1];
  const count = step === 0 ? Infinity : Math.max(0, Math.ceil((stop - start) / step));
  if (numbers.length !== operands.length || numbers.length < 1 || numbers.length > 3 || !(count <= MAX_ITERATIONS)) {
    const what =
      count > MAX_ITERATIONS
        ? `At most ${MAX_ITERATIONS} iterations are unrolled.`
        : "Range takes one to three whole numbers that are known before the graph runs.";
    interpreter.diagnostics.add("bad-range", span, what);
    return BROKEN;
  }
  return {
    kind: "sequence",
    list: true,
    items: Array.from({ length: count }, (_, i) => loose(numberValue(start + i * step, true))),
  };
}

const loose = (value: Value): Operand => ({ value, path: "", expr: null });
const ZERO: Operand = loose(numberValue(0, true));
const isEndless = ({ value }: Operand): boolean => value.kind === "sequence" && value.isEndless === true;

const FOR_EVER =
  "This generator goes on for ever: take as many as are needed, by zip(range(n), …), itertools.islice or next.";

/** `next(rows)`: the first, which whoever asks next no longer finds; null of what has no items. */
function nextOf(
  interpreter: Interpreter,
  run: StatementRun,
  { expr, path }: { readonly expr: CallExpr; readonly path: string },
  [list, otherwise]: readonly Operand[],
): Value | null {
  const items =
    list?.value.kind === "sequence" && list.value.isOnce
      ? list.value.items
      : list && itemsOf(interpreter, run, list, `${path}/in`);
  if (!list || !items) return null;
  const [first, ...rest] = items;
  if (first && list.value.kind === "sequence" && list.value.isOnce && !list.value.isEndless)
    exhaust(interpreter, list.value, rest);
  else if (first && list.value.kind === "sequence" && !list.value.parametersOf)
    change(interpreter, list.value, { ...list.value, items: rest });
  if (first || otherwise) return (first ?? otherwise)!.value;
  interpreter.diagnostics.add("bad-argument", expr.span, "Nothing is left to take here.", {
    raises: ["StopIteration"],
  });
  return BROKEN;
}

/** `zip(ws, bs)`, as long as the shortest; null when something in it has no items. */
function zipped(lists: readonly (readonly Operand[] | null)[], operands: readonly Operand[]): Value | null {
  const found = lists.flatMap((list) => (list ? [list] : []));
  if (found.length < lists.length) return null;
  const count = Math.min(...found.map((list) => list.length));
  const items = Array.from({ length: count }, (_, i) =>
    loose({ kind: "sequence", items: found.map((list) => list[i]!) }),
  );
  const shortest = found.findIndex((list) => list.length === count);
  // Those before the shortest have handed out one more when its end is met.
  const sources = operands.map(({ value }, i) => ({ of: value, ahead: Number(i < shortest) }));
  return { ...onceThrough(items, ...sources), ...(operands.every(isEndless) && { isEndless: true }) };
}

/** `slice(0, -4)`: what stands between brackets as `0:-4`; null of a tensor, whose op has this name. */
function sliceOf(operands: readonly Operand[]): Value | null {
  const bounds = operands.map(({ value }) =>
    value.kind === "none" ? null : value.kind === "number" && value.whole ? value.value : undefined,
  );
  if (bounds.includes(undefined) || bounds.length === 0 || bounds.length > 3) return null;
  const [start, stop, step] = (bounds.length === 1 ? [null, ...bounds] : bounds) as (number | null)[];
  return { kind: "slice", start: start ?? null, stop: stop ?? null, step: step ?? null };
}

/** `np.float32(2)`, `bool(items)`: a number or a truth that is known; null of what is none. */
function asType(value: Value, dtype: DType): Value | null {
  const holds = truthOf(value);
  if (dtype === "bool") return holds === null ? null : { kind: "bool", value: holds };
  if (value.kind !== "number" && value.kind !== "bool") return null;
  const number = Number(value.value);
  return dtype === "i32" ? numberValue(Math.trunc(number), true) : numberValue(number, false);
}

/** NumPy's functions of sizes, by the methods that answer the same. */
const SIZES: ReadonlyMap<string, string> = new Map([
  ["shape", "size"],
  ["size", "numel"],
  ["ndim", "dim"],
]);

/** What an object says of itself, or a text with its marks. */
function spoken(
  interpreter: Interpreter,
  run: StatementRun,
  call: { readonly expr: CallExpr; readonly path: string },
  name: string,
  value: Value,
): Value | null {
  const text = name === "repr" ? printed(value) : null;
  if (text !== null) return { kind: "string", value: value.kind === "string" ? `'${text}'` : text };
  return (
    (name === "str" ? askedOf(interpreter, run, call, value, "__str__") : null) ??
    askedOf(interpreter, run, call, value, "__repr__")
  );
}

/** Functions that go through what they are given. */
const WALKS: ReadonlySet<string> = new Set(["list", "tuple", "reversed"]);

/** Python's own functions on constants, and casts written as calls. */
export function builtin(
  interpreter: Interpreter,
  run: StatementRun,
  call: { readonly expr: CallExpr; readonly path: string },
  name: string,
  operands: readonly Operand[],
): Value | null {
  const [only] = operands;
  if (name === "next" && operands.length > 0) return nextOf(interpreter, run, call, operands);
  if (name === "iter" && only?.value.kind === "sequence")
    return only.value.isOnce || only.value.parametersOf ? only.value : { ...only.value, isOnce: true };
  if (only && operands.length === 1 && isEndless(only) && /^(list|tuple|len|reversed|sorted|sum|max|min)$/.test(name)) {
    interpreter.diagnostics.add("too-long", call.expr.span, FOR_EVER);
    return BROKEN;
  }
  if (name === "range") return rangeOf(interpreter, call.expr, operands);
  const walked = walkCall(interpreter, run, call, name, operands);
  if (walked) return walked;
  const [first] = operands;
  const size = name === "len" && first ? askedOf(interpreter, run, call, first.value, "__len__") : null;
  if (size) return size;
  const given = first && partsOf(interpreter, run, call, first.value);
  if (!given && (name === "list" || name === "tuple")) return { kind: "sequence", items: [] };
  if (operands.length === 1 && given) {
    const value = /^(float|int|bool)$/.test(name) ? (writtenNumber(interpreter, given) ?? given) : given;
    if (name === "float" && value.kind === "string") {
      const word = value.value.trim().toLowerCase().replace("infinity", "inf");
      return numberValue(word.endsWith("inf") ? (word.startsWith("-") ? -Infinity : Infinity) : Number(word), false);
    }
    if (name === "int" && value.kind === "string" && /^\s*[-+]?\d+\s*$/.test(value.value))
      return numberValue(Number(value.value), true);
    if ((name === "float" || name === "int") && value.kind === "string") {
      const text = `${name} takes a text that is a number; this is ${describe(value)}.`;
      interpreter.diagnostics.add("bad-argument", call.expr.span, text, { raises: ["ValueError"] });
      return BROKEN;
    }
    if ((name === "float" || name === "int") && value.kind === "number") {
      return numberValue(name === "int" ? Math.trunc(value.value) : value.value, name === "int");
    }
    const own = name === "str" || name === "repr" ? spoken(interpreter, run, call, name, first!.value) : null;
    if (own) return own;
    const text = name === "str" ? printed(value) : null;
    if (text !== null) return { kind: "string", value: text };
    const items = WALKS.has(name) && first ? itemsOf(interpreter, run, first, `${call.path}/in`) : null;
    if (items && name === "reversed") return onceThrough(items.toReversed());
    if (items) return { kind: "sequence", items, ...(name !== "tuple" && { list: true }) };
    if (name === "len" && value.kind === "tensor")
      return sizeMethod(
        interpreter,
        { text: "size", span: call.expr.span },
        typeOf(interpreter, value.node),
        [ZERO],
        interpreter.unknown.has(value.node),
      );
    if (name === "len" && value.kind === "sequence") return numberValue(value.items.length, true);
    if (name === "len" && value.kind === "string") return numberValue(value.value.length, true);
    if (name === "ord" && value.kind === "string") return numberValue(value.value.codePointAt(0) ?? 0, true);
    if (name === "chr" && value.kind === "number") return { kind: "string", value: String.fromCodePoint(value.value) };
    if (name === "len" && value.kind === "dict") return numberValue(value.entries.size, true);
    const dtype = DTYPES.get(name);
    if (dtype === name && value.kind === "number") return { ...value, dtype };
    const plain = dtype && value.kind !== "tensor" ? asType(value, dtype) : null;
    if (plain) return plain;
    if (dtype && value.kind === "tensor" && first) {
      const number = castTo(interpreter, run, call, first, dtype);
      // `float(loss)` is told to the host, like `loss.item()`: alone it is no result.
      if (number.kind === "tensor" && number.node !== value.node && typeOf(interpreter, value.node).shape.length === 0)
        interpreter.spare.add(number.node);
      return number;
    }
  }
  if (name === "int" && operands.length === 2 && given?.kind === "string" && operands[1]!.value.kind === "number") {
    const number = Number.parseInt(given.value.replace(/^0[xbo]/i, ""), operands[1]!.value.value);
    if (Number.isInteger(number)) return numberValue(number, true);
  }
  const value = given;
  const asked = SIZES.get(name);
  if (asked && value?.kind === "tensor")
    return sizeMethod(
      interpreter,
      { text: operands.length > 1 ? "size" : asked, span: call.expr.span },
      typeOf(interpreter, value.node),
      operands.slice(1),
      interpreter.unknown.has(value.node),
    );
  if (name === "slice") return sliceOf(operands);
  if (name === "zip" && operands.length > 0)
    return zipped(
      operands.map((operand, i) => itemsStill(interpreter, run, operand, `${call.path}/in${i}`)),
      operands,
    );
  if (name === "divmod" && operands.length === 2) {
    const parts = ["//", "%"].map((op) => foldBinary(op, operands[0]!.value, operands[1]!.value));
    if (!parts.includes(null)) return { kind: "sequence", items: parts.map((part) => loose(part!)) };
  }
  if (name === "max" || name === "min") {
    const held = value?.kind === "dict" ? keysOf(value.entries) : value?.kind === "sequence" ? value.items : null;
    const all = operands.length === 1 && held ? held : operands;
    const numbers = all.flatMap((operand) => (operand.value.kind === "number" ? [operand.value] : []));
    if (numbers.length === all.length && numbers.length > 0) {
      const best = Math[name](...numbers.map((number) => number.value));
      return numberValue(
        best,
        numbers.every((number) => number.whole),
      );
    }
  }
  return mathCall(call.expr, name, operands) ?? hostCall(interpreter, run, call, name, operands);
}

const OWN: ReadonlySet<string> = new Set([
  "str",
  "repr",
  "range",
  "float",
  "int",
  "bool",
  "list",
  "tuple",
  "reversed",
  "sorted",
  "enumerate",
  "filter",
  "len",
  "ord",
  "chr",
  "zip",
  "next",
  "iter",
  "max",
  "min",
]);

/** Whether `name` is a function of Python's own here: one that is asked of something broken has nothing to say. */
export const isBuiltin = (name: string): boolean => OWN.has(name) || isHostFunction(name);
