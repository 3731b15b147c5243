/** @file Strings with values in them, and dictionaries, whose keys are strings. */
import type { Interpreter } from "../interpreter";
import type { DictExpr, FormatExpr } from "./syntax";
import { describe, type GivenArgument, isBroken, type Operand, type Value } from "../values/values";

/** How Python prints a value that is known; null of one that is not. */
export function printed(value: Value): string | null {
  if (value.kind === "number")
    return !value.whole && Number.isInteger(value.value) ? `${value.value}.0` : `${value.value}`;
  if (value.kind === "string") return value.value;
  if (value.kind === "bool") return value.value ? "True" : "False";
  return value.kind === "none" ? "None" : null;
}

/** `value` as `spec` has it, `02d`, `.3f`, `>8`; null of a value that is not known. */
function shown(value: Value, spec: string): string | null {
  const text = printed(value);
  const [, align, zero, width, precision, letter] =
    /^(?:.?([<>^]))?[+ ]?(0?)(\d*),?(?:\.(\d+))?([a-z%]?)$/.exec(spec) ?? [];
  if (text === null || width === undefined) return text;
  const number = value.kind === "number" ? value.value : null;
  const bare = number === null ? text : numeral(number, text, letter, precision);
  const size = Number(width);
  if (zero) return bare.padStart(size, "0");
  return align === "<" || (number === null && align === undefined) ? bare.padEnd(size) : bare.padStart(size);
}

function numeral(number: number, text: string, letter: string | undefined, precision: string | undefined): string {
  const digits = precision === undefined ? 6 : Number(precision);
  if (letter === "%") return `${(100 * number).toFixed(digits)}%`;
  if (letter === "f") return number.toFixed(digits);
  if (letter === "e") return number.toExponential(digits).replace(/e([+-])(\d)$/, "e$10$2");
  if (letter === "d") return `${Math.trunc(number)}`;
  if (letter === "x") return number.toString(16);
  return precision === undefined ? text : `${Number(number.toPrecision(digits || 1))}`;
}

/** `"{}-{name:02d}".format(a, name=b)`. */
export function filledIn(text: string, args: readonly GivenArgument[]): Value {
  let next = 0;
  const plain = args.filter(({ name }) => !name);
  const value = text.replaceAll(
    /\{\{|\}\}|\{(\w*)(?:![rsa])?(?::([^{}]*))?\}/g,
    (whole, key?: string, spec?: string) => {
      if (key === undefined) return whole.slice(1);
      const arg = key === "" ? plain[next++] : (args.find(({ name }) => name?.text === key) ?? plain[Number(key)]);
      return (arg && shown(arg.operand.value, spec ?? "")) ?? "…";
    },
  );
  return { kind: "string", value };
}

/** `"block_%d" % i`, `"%s-%s" % (a, b)`, `"%(name)s" % {"name": a}`. */
export function percentFilled(text: string, given: Value): Value {
  const items = given.kind === "sequence" ? given.items.map(({ value }) => value) : [given];
  let next = 0;
  const value = text.replaceAll(
    /%(?:\((\w+)\))?([-+ 0]*[\d.]*)([a-zA-Z%])/g,
    (_, key: string | undefined, spec: string, letter: string) => {
      if (letter === "%") return "%";
      const of = key !== undefined && given.kind === "dict" ? given.entries.get(key)?.value : items[next++];
      return (of && shown(of, `${spec.replace("-", "<")}${letter === "i" ? "d" : letter}`)) ?? "…";
    },
  );
  return { kind: "string", value };
}

/** `f"layer{i}"`; what is not known stands as … in it, as in a message that nobody compares. */
export function formatted({ pieces, specs }: FormatExpr, operands: readonly Operand[]): Value {
  let next = 0;
  const texts = pieces.map((piece) => {
    if (typeof piece === "string") return piece;
    const spec = specs.get(piece) ?? "";
    return shown(operands[next++]!.value, spec) ?? "…";
  });
  return { kind: "string", value: texts.join("") };
}

/** A key in words: of a tuple, a class, a type or a function too; null of what can be no key. */
export function keyText(value: Value): string | null {
  if (value.kind === "sequence" && !value.list) {
    const parts = value.items.map((item) => keyText(item.value));
    return parts.includes(null) ? null : `(${parts.join(", ")})`;
  }
  if (value.kind === "number" && !value.whole) return `${value.value}`;
  return printed(value) ?? (/^(class|layer-class|op|def|dtype)$/.test(value.kind) ? describe(value) : null);
}

/** The key that stands between brackets, `d[a]`; of several, `d[a, b]`, their tuple. */
export const keyIn = (parts: readonly Operand[]): Operand | undefined =>
  parts.length > 1 ? { ...parts[0]!, value: { kind: "sequence", items: parts } } : parts[0];

/** An entry under `key`, which is remembered where it is no text. */
export const entryUnder = ({ value: key }: Operand, { value, path, expr }: Operand): Operand =>
  key.kind === "string" ? { value, path, expr } : { value, path, expr, key };

/** Keys of a dictionary, in order. */
export const keysOf = (entries: ReadonlyMap<string, Operand>): readonly Operand[] =>
  [...entries].map(([text, { key }]) => ({ value: key ?? { kind: "string", value: text }, path: "", expr: null }));

/** A key in words; a tensor that is a key stays the one that it began as, `self.state[p]`. */
export function keyOf({ optimizing }: Interpreter, value: Value): string | null {
  return value.kind === "tensor" ? `tensor ${optimizing.first.get(value.node) ?? value.node}` : keyText(value);
}

/** The text that `operand` names an entry by. Null after a diagnostic. */
export function dictKey(interpreter: Interpreter, { value, expr }: Operand): string | null {
  const text = keyOf(interpreter, value);
  if (text !== null) return text;
  if (!isBroken(value))
    interpreter.diagnostics.add(
      "bad-key",
      (expr ?? { span: { from: 0, to: 0 } }).span,
      `A key is a text, a number, a class or a tuple of them; this is ${describe(value)}.`,
    );
  return null;
}

/** Entries by their keys; operands are all keys that are written, then all values. */
export function dictOf(interpreter: Interpreter, { keys }: DictExpr, operands: readonly Operand[]): Value {
  const entries = new Map<string, Operand>();
  const values = operands.slice(operands.length - keys.length);
  let next = 0;
  keys.forEach((key, i) => {
    const operand = values[i]!;
    const name = key ? operands[next++]! : null;
    const text = name ? dictKey(interpreter, name) : null;
    if (name && text !== null) entries.set(text, entryUnder(name, operand));
    else if (!key && operand.value.kind === "dict")
      for (const [each, entry] of operand.value.entries) entries.set(each, entry);
    else if (!key && !isBroken(operand.value))
      interpreter.diagnostics.add(
        "bad-key",
        operand.expr!.span,
        `Only a dictionary has entries; this is ${describe(operand.value)}.`,
      );
  });
  return { kind: "dict", entries };
}
