/** @file Lists, dictionaries and chains of modules: `nn.ModuleList`, `nn.ModuleDict`, `nn.Sequential`, and classes that inherit from them. */
import type { CallAt, Interpreter, StatementRun } from "../interpreter";
import { attach } from "../layers/weights";
import { lastNameOf } from "../reading/syntax";
import {
  BROKEN,
  type ClassInfo,
  type GivenArgument,
  isBroken,
  type ObjectInfo,
  type Operand,
  type Value,
} from "../values/values";

/** Lists of modules, and what else of a library has a meaning without being one function. */
export const CONTAINERS: ReadonlySet<string> = new Set(["Sequential", "ModuleList", "ModuleDict"]);

/** Whether a class that inherits from one of this name is a list, or a dictionary, of what it holds. */
export const isContainerClass = (name: string): boolean => CONTAINERS.has(name) || name === "list";

/** Where an object that is a list of modules keeps them. */
export const ITEMS = "items of the container";
export const attachItems = (value: Value, object: ObjectInfo): void => {
  if (value.kind === "sequence") value.items.forEach((item, i) => attach(item.value, object, `${i}`));
  if (value.kind === "dict") for (const [key, item] of value.entries) attach(item.value, object, key);
};

/** Pairs of names and modules as a dictionary; null of anything else. */
function entriesOf(pairs: readonly Operand[]): ReadonlyMap<string, Operand> | null {
  const entries = new Map<string, Operand>();
  for (const { value } of pairs) {
    const [name, module] = value.kind === "sequence" ? value.items : [];
    if (name?.value.kind !== "string" || !module) return null;
    entries.set(name.value.value, module);
  }
  return entries;
}

/** `nn.Sequential(a, b)`, `nn.ModuleList(layers)`; null of anything else. */
export function containerOf(name: string, given: readonly GivenArgument[]): Value | null {
  const args = given.filter((arg) => arg.name?.text !== "name");
  const [only] = args;
  const chain = name === "Sequential";
  if (!CONTAINERS.has(name) && name !== "ParameterList" && name !== "ParameterDict") return null;
  if (args.length === 1 && only!.operand.value.kind === "dict") return { ...only!.operand.value, chain };
  const pairs =
    name.endsWith("Dict") && only?.operand.value.kind === "sequence" ? entriesOf(only.operand.value.items) : null;
  if (pairs) return { kind: "dict", entries: pairs, chain };
  if (name.endsWith("Dict")) return args.length === 0 ? { kind: "dict", entries: new Map(), chain } : null;
  const one = args.length === 1 && only!.operand.value.kind === "sequence" && !only!.operand.value.chain;
  const items =
    one && only!.operand.value.kind === "sequence" ? only!.operand.value.items : args.map(({ operand }) => operand);
  return { kind: "sequence", items, list: true, chain };
}

/** Calls what a chain of modules holds, one after the other. */
export function callChain(
  interpreter: Interpreter,
  run: StatementRun,
  at: CallAt,
  items: readonly Operand[],
  args: readonly GivenArgument[],
): Value {
  if (items.length === 0) return args[0]?.operand.value ?? BROKEN;
  let given = args;
  let value: Value = BROKEN;
  const { steps = 0 } = at;
  for (const [i, item] of items.entries()) {
    const isLast = i === items.length - 1;
    const path = isLast ? at.path : `${at.path}#${steps + i}`;
    value = interpreter.call(run, { ...at, path, steps: isLast ? steps + i : 0 }, item.value, given);
    if (isBroken(value)) return BROKEN;
    given = [{ name: null, operand: { value, path, expr: at.expr }, span: at.expr.span }];
  }
  return value;
}

const isNamedTuple = ({ statement, bases }: ClassInfo): boolean =>
  statement.bases.some((base) => lastNameOf(base) === "NamedTuple") || bases.some(isNamedTuple);

/** The list that an object of a class like nn.ModuleList or NamedTuple is; any other value as it is. */
export function contentsOf(value: Value): Value {
  if (value.kind !== "object") return value;
  const { fields, of } = value.object;
  if (isNamedTuple(of))
    return { kind: "sequence", items: [...fields.values()].map((field) => ({ value: field, path: "", expr: null })) };
  return fields.get(ITEMS) ?? value;
}
