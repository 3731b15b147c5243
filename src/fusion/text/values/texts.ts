/** @file Texts that are known while the program is read: their methods, their letters, what is written into them. */
import type { Interpreter } from "../interpreter";
import type { Identifier } from "../reading/syntax";
import { filledIn, printed } from "../reading/strings";
import { BROKEN, type GivenArgument, isBroken, numberValue, type Operand, type Value } from "./values";

const loose = (value: Value): Operand => ({ value, path: "", expr: null });

/** A text as a value. */
export const textValue = (value: string): Value => ({ kind: "string", value });
const flag = (value: boolean): Value => ({ kind: "bool", value });
const whole = (value: number): Value => numberValue(value, true);
const texts = (items: readonly string[], list = true): Value => ({
  kind: "sequence",
  items: items.map((item) => loose(textValue(item))),
  ...(list && { list }),
});

/** `text` without those of `letters` at one end. */
function stripped(text: string, letters: string | undefined, left: boolean, right: boolean): string {
  const goes = (letter: string | undefined): boolean =>
    letter !== undefined && (letters === undefined ? letter.trim() === "" : letters.includes(letter));
  let [from, to] = [0, text.length];
  while (left && from < to && goes(text[from])) from++;
  while (right && to > from && goes(text[to - 1])) to--;
  return text.slice(from, to);
}

/** Python's `split`: at white space, or at `by`; at most so often. */
function split(text: string, by: string | undefined, most: number | undefined): readonly string[] {
  const parts = by === undefined ? text.trim().split(/\s+/) : text.split(by);
  if (most === undefined || most < 0 || parts.length <= most + 1) return text === "" && by === undefined ? [] : parts;
  return [...parts.slice(0, most), parts.slice(most).join(by ?? " ")];
}

/** What stands before, `by` itself, and what stands behind, where `by` stands at `at`. */
function parted(text: string, by: string, at: number, last: boolean): Value {
  if (at < 0) return texts(last ? ["", "", text] : [text, "", ""], false);
  return texts([text.slice(0, at), by, text.slice(at + by.length)], false);
}

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1).toLowerCase();

type Method = (text: string, words: readonly (string | undefined)[], numbers: readonly (number | undefined)[]) => Value;

/** By name; texts among the arguments by position, and numbers. */
const METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  ["lower", (text) => textValue(text.toLowerCase())],
  ["casefold", (text) => textValue(text.toLowerCase())],
  ["upper", (text) => textValue(text.toUpperCase())],
  ["capitalize", (text) => textValue(capital(text))],
  ["title", (text) => textValue(text.replaceAll(/[A-Za-z]+/g, capital))],
  ["strip", (text, [letters]) => textValue(stripped(text, letters, true, true))],
  ["lstrip", (text, [letters]) => textValue(stripped(text, letters, true, false))],
  ["rstrip", (text, [letters]) => textValue(stripped(text, letters, false, true))],
  ["split", (text, [by], [, most]) => texts(split(text, by, most))],
  ["rsplit", (text, [by], [, most]) => texts(backwards(text, by, most))],
  ["splitlines", (text) => texts(text.split("\n"))],
  ["partition", (text, [by = ""]) => parted(text, by, text.indexOf(by), false)],
  ["rpartition", (text, [by = ""]) => parted(text, by, text.lastIndexOf(by), true)],
  ["replace", (text, [was = "", now = ""]) => textValue(text.replaceAll(was, () => now))],
  ["removeprefix", (text, [start = ""]) => textValue(text.startsWith(start) ? text.slice(start.length) : text)],
  [
    "removesuffix",
    (text, [end = ""]) => textValue(text.endsWith(end) ? text.slice(0, text.length - end.length) : text),
  ],
  ["find", (text, [part = ""]) => whole(text.indexOf(part))],
  ["rfind", (text, [part = ""]) => whole(text.lastIndexOf(part))],
  ["count", (text, [part = ""]) => whole(text.split(part).length - 1)],
  ["zfill", (text, _words, [size = 0]) => textValue(text.padStart(size, "0"))],
  ["ljust", (text, _words, [size = 0]) => textValue(text.padEnd(size))],
  ["rjust", (text, _words, [size = 0]) => textValue(text.padStart(size))],
  ["isdigit", (text) => flag(/^\d+$/.test(text))],
  ["isnumeric", (text) => flag(/^\d+$/.test(text))],
  ["isalpha", (text) => flag(/^[A-Za-z]+$/.test(text))],
  ["isalnum", (text) => flag(/^[A-Za-z\d]+$/.test(text))],
  ["isupper", (text) => flag(text !== text.toLowerCase() && text === text.toUpperCase())],
  ["islower", (text) => flag(text !== text.toUpperCase() && text === text.toLowerCase())],
]);

/** `split` that counts from the end. */
function backwards(text: string, by: string | undefined, most: number | undefined): readonly string[] {
  const parts = split(text, by, undefined);
  if (most === undefined || most < 0 || parts.length <= most + 1) return parts;
  const at = parts.length - most;
  return [parts.slice(0, at).join(by ?? " "), ...parts.slice(at)];
}

/** One text, or a tuple of them, of which any will do. */
const anyOf = (value: Value | undefined): readonly string[] | null =>
  value?.kind === "string"
    ? [value.value]
    : value?.kind === "sequence"
      ? value.items.flatMap((item) => (item.value.kind === "string" ? [item.value.value] : []))
      : null;

/** `act.lower()`, `mode.startswith("b")`, `"_".join(names)`, `"{}-{}".format(a, b)`; null of a method that no text has. */
function known(text: string, name: string, args: readonly GivenArgument[]): Value | null {
  const values = args.map(({ operand }) => operand.value);
  const [first] = values;
  if (name === "format") return filledIn(text, args);
  if (name === "startswith" || name === "endswith") {
    const parts = anyOf(first);
    return parts && flag(parts.some((part) => (name === "startswith" ? text.startsWith(part) : text.endsWith(part))));
  }
  if (name === "join") {
    const items = first?.kind === "sequence" ? first.items.map(({ value }) => printed(value)) : null;
    if (first?.kind === "string") return textValue(Array.from(first.value).join(text));
    return items && !items.includes(null) ? textValue(items.join(text)) : null;
  }
  if (name === "index" && first?.kind === "string" && text.includes(first.value))
    return whole(text.indexOf(first.value));
  return (
    METHODS.get(name)?.(
      text,
      values.map((value) => (value.kind === "string" ? value.value : undefined)),
      values.map((value) => (value.kind === "number" ? value.value : undefined)),
    ) ?? null
  );
}

/** What a method of a text answers. */
export function textMethod(
  interpreter: Interpreter,
  text: string,
  name: Identifier,
  args: readonly GivenArgument[],
): Value {
  if (args.some(({ operand }) => isBroken(operand.value))) return BROKEN;
  const found = known(text, name.text, args);
  if (found) return found;
  interpreter.diagnostics.add(
    "bad-method",
    name.span,
    `A text has no .${name.text}() here: it has .lower(), .split(), .join(texts), .format(…), .replace(a, b) and .startswith(text).`,
  );
  return BROKEN;
}

/** A text as the sequence of its letters: what indices, slices and loops see. */
export const lettersOf = (text: string): Extract<Value, { kind: "sequence" }> => ({
  kind: "sequence",
  items: Array.from(text, (letter) => loose(textValue(letter))),
});

/** The text of letters. */
export const textOf = ({ items }: Extract<Value, { kind: "sequence" }>): Value =>
  textValue(items.map(({ value }) => (value.kind === "string" ? value.value : "")).join(""));
