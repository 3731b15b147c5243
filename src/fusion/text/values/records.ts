/** @file Classes of records that a call makes, `namedtuple("Step", "obs reward")`, and what `dataclasses` does with records. */
import type { Interpreter } from "../interpreter";
import { attach } from "../layers/weights";
import { newMaking } from "../objects/classes";
import type { CallExpr, Expr, Identifier } from "../reading/syntax";
import { type GivenArgument, type ObjectInfo, type Operand, Scope, unnamed, type Value } from "./values";

const loose = (value: Value): Operand => ({ value, path: "", expr: null });

/** Names of fields: `"obs reward"`, `["obs", "reward"]`, `[("obs", Tensor)]`. */
function namesIn(value: Value): readonly string[] {
  if (value.kind === "string") return value.value.split(/[\s,]+/).filter((name) => name !== "");
  return value.kind === "sequence" ? value.items.flatMap((item) => namesIn(firstOf(item.value)).slice(0, 1)) : [];
}

const firstOf = (value: Value): Value => (value.kind === "sequence" ? (value.items[0]?.value ?? value) : value);

/** The class that `namedtuple("Step", "obs reward", defaults=(None,))` makes; null where it says no fields. */
export function namedTuple(interpreter: Interpreter, { span }: CallExpr, args: readonly GivenArgument[]): Value | null {
  const positional = args.filter(({ name }) => name === null).map(({ operand }) => operand.value);
  const [title, fields] = positional;
  if (title?.kind !== "string" || !fields) return null;
  const names = namesIn(fields);
  const given = args.find(({ name }) => name?.text === "defaults")?.operand.value;
  const usual = given?.kind === "sequence" ? given.items : [];
  const name: Identifier = { text: title.value, span };
  const base: Expr = { kind: "name", name: "NamedTuple", span };
  const late = names.length - usual.length;
  return {
    kind: "class",
    of: {
      name: title.value,
      statement: { kind: "class", span, name, bases: [base], body: [] },
      scope: new Scope(null, ""),
      bases: [],
      layer: null,
      attributes: new Map(),
      fields: new Map(names.map((field, i) => [field, usual[i - late] ?? null])),
      making: newMaking(interpreter),
    },
  };
}

/** Answers with the names that PyTorch gives them: `return_types("values indices", v, i)`. */
export const namedAnswer = ([names, ...items]: readonly Operand[]): Value | null =>
  names?.value.kind === "string" ? { kind: "sequence", items, names: names.value.value.split(" ") } : null;

/** `state._replace(step=1)`, `dataclasses.replace(state, step=1)`: another object with other fields. */
export function replaced({ of, layer, making, fields, buffers }: ObjectInfo, args: readonly GivenArgument[]): Value {
  const now = new Map(fields);
  for (const { name, operand } of args) if (name) now.set(name.text, operand.value);
  const own: ObjectInfo = { ...unnamed(), of, layer, making, fields: now, buffers };
  for (const [name, value] of now) attach(value, own, name);
  return { kind: "object", object: own };
}

/** The fields of an object by their names. */
export const asDictionary = ({ fields }: ObjectInfo): Value => ({
  kind: "dict",
  entries: new Map([...fields].map(([key, value]) => [key, loose(value)])),
});
