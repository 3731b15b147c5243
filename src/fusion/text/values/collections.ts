/** @file Methods of what is known while the program is read: lists, dictionaries, strings. */
import type { Interpreter, StatementRun } from "../interpreter";
import { itemsOf } from "../statements/iterate";
import { bindTargets } from "../statements/targets";
import { noteChanged } from "../symbols";
import type { Expr, Identifier } from "../reading/syntax";
import { bare } from "../reading/syntax";
import { dictKey, entryUnder, keysOf } from "../reading/strings";
import { foldBinary, truthOf } from "./constants";
import { change } from "./grown";
import { counted, type Dict, isCounter } from "./special-collections";
import { BROKEN, type GivenArgument, isBroken, NONE, numberValue, type Operand, type Value } from "./values";

const loose = (value: Value): Operand => ({ value, path: "", expr: null });
const list = (items: readonly Operand[]): Value => ({ kind: "sequence", items, list: true });

/** `name.append(x)`: the name stands for the longer list from here on; a list without a name is gone with it. */
export function rebound(
  interpreter: Interpreter,
  run: StatementRun,
  object: Expr | null,
  value: Value,
  was: Value,
): Value {
  change(interpreter, was, value);
  const target = object && bare(object);
  if (target?.kind === "name" || target?.kind === "member" || target?.kind === "subscript")
    bindTargets(interpreter, run, target, value);
  if (target) noteChanged(interpreter, run, target);
  return NONE;
}

/** `counter.most_common(3)`, `.total()`, `.elements()`, `.subtract(words)`; null of another method. */
function counterMethod(
  interpreter: Interpreter,
  run: StatementRun,
  { value: was, object }: { readonly value: Dict; readonly object: Expr | null },
  name: string,
  [first]: readonly Operand[],
): Value | null {
  const often = [...was.entries.values()].map(({ value }) => (value.kind === "number" ? value.value : 0));
  const keys = keysOf(was.entries);
  if (name === "total")
    return numberValue(
      often.reduce((sum, each) => sum + each, 0),
      true,
    );
  if (name === "elements")
    return list(keys.flatMap((key, i) => Array.from({ length: Math.max(0, often[i]!) }, () => key)));
  if (name === "most_common") {
    const order = keys.map((_, i) => i).toSorted((a, b) => often[b]! - often[a]! || a - b);
    const some = first?.value.kind === "number" ? order.slice(0, first.value.value) : order;
    return list(some.map((i) => loose({ kind: "sequence", items: [keys[i]!, loose(numberValue(often[i]!, true))] })));
  }
  if ((name !== "update" && name !== "subtract") || !first) return null;
  const now = counted(interpreter, run, was, first, name === "update" ? 1 : -1);
  return now && rebound(interpreter, run, object, now, was);
}

/** `d.items()`, `d.values()`, `d.keys()`, `d.get("w")`, `d.pop("w")`, `d.update(other)`. */
export function dictMethod(
  interpreter: Interpreter,
  run: StatementRun,
  { value: was, object }: { readonly value: Extract<Value, { kind: "dict" }>; readonly object: Expr | null },
  name: Identifier,
  given: readonly GivenArgument[],
): Value {
  const { entries } = was;
  const args = given.filter((arg) => arg.name === null).map(({ operand }) => operand);
  const [key, otherwise] = args;
  if (args.some(({ value }) => value.kind === "broken")) return BROKEN;
  const ofCounter = isCounter(was) ? counterMethod(interpreter, run, { value: was, object }, name.text, args) : null;
  if (ofCounter) return ofCounter;
  if (name.text === "values") return list([...entries.values()]);
  if (name.text === "keys") return list(keysOf(entries));
  if (name.text === "items")
    return list(
      [...entries.values()].map((operand, i) => loose({ kind: "sequence", items: [keysOf(entries)[i]!, operand] })),
    );
  if (name.text === "copy") return { ...was };
  if (name.text === "update" && (!key || key.value.kind === "dict")) {
    const named = given.flatMap((arg) => (arg.name ? [[arg.name.text, arg.operand] as const] : []));
    const more = key?.value.kind === "dict" ? key.value.entries : [];
    return rebound(interpreter, run, object, { ...was, entries: new Map([...entries, ...more, ...named]) }, was);
  }
  if ((name.text === "get" || name.text === "pop" || name.text === "setdefault") && key) {
    const wanted = dictKey(interpreter, key);
    const found = wanted === null ? null : (entries.get(wanted) ?? otherwise);
    if (name.text === "setdefault" && wanted !== null && otherwise && !entries.has(wanted))
      rebound(
        interpreter,
        run,
        object,
        { ...was, entries: new Map([...entries, [wanted, entryUnder(key, otherwise)]]) },
        was,
      );
    if (name.text === "pop" && wanted !== null)
      rebound(
        interpreter,
        run,
        object,
        { ...was, entries: new Map([...entries].filter(([each]) => each !== wanted)) },
        was,
      );
    return wanted === null ? BROKEN : (found?.value ?? NONE);
  }
  interpreter.diagnostics.add(
    "bad-method",
    name.span,
    "A dictionary has .items(), .values(), .keys(), .get(key), .pop(key) and .update(other).",
  );
  return BROKEN;
}

/** Methods of sets by the operators that do the same. */
const SETS: ReadonlyMap<string, string> = new Map([
  ["union", "|"],
  ["intersection", "&"],
  ["difference", "-"],
  ["symmetric_difference", "^"],
]);

/** `items.sort()`: the name stands for the items in order. */
export const inOrderNow = (
  interpreter: Interpreter,
  run: StatementRun,
  { value: was, object }: { readonly value: Extract<Value, { kind: "sequence" }>; readonly object: Expr | null },
  ordered: Value,
): Value =>
  ordered.kind === "sequence" ? rebound(interpreter, run, object, { ...was, items: ordered.items }, was) : ordered;

/** `items.append(x)`, `.extend(xs)`, `.insert(0, x)`, `.pop()`, `.reverse()`, `.index(x)`, `.count(x)`. */
export function listMethod(
  interpreter: Interpreter,
  run: StatementRun,
  { value: was, object }: { readonly value: Extract<Value, { kind: "sequence" }>; readonly object: Expr | null },
  name: Identifier,
  [first, second]: readonly Operand[],
): Value {
  const { items, chain, most } = was;
  const same = { kind: "sequence", list: true, ...(chain && { chain }), ...(most !== undefined && { most }) } as const;
  const now = (longer: readonly Operand[]): Value => rebound(interpreter, run, object, { ...same, items: longer }, was);
  const atEnd = (more: readonly Operand[]): Value => now([...items, ...more].slice(-(most ?? Infinity)));
  const atFront = (more: readonly Operand[]): Value => now([...more.toReversed(), ...items].slice(0, most));
  if (name.text === "append" && first) return atEnd([first]);
  if (name.text === "appendleft" && first) return atFront([first]);
  const given = name.text.startsWith("extend") && first ? itemsOf(interpreter, run, first, `${run.root}/more`) : null;
  if (given) return name.text === "extendleft" ? atFront(given) : atEnd(given);
  if (name.text === "rotate" && items.length > 0) {
    const by = first?.value.kind === "number" ? first.value.value : 1;
    return now(items.map((_, i) => items.at((i - by) % items.length)!));
  }
  if (name.text === "insert" && first?.value.kind === "number" && second)
    return now(items.toSpliced(first.value.value, 0, second));
  if (name.text === "add_module" && second) return now([...items, second]);
  if (name.text === "register_module" && second) return now([...items, second]);
  if (name.text === "reverse") return now(items.toReversed());
  if (name.text === "clear") return now([]);
  const isFirst = ({ value }: Operand): boolean =>
    first !== undefined && truthOf(foldBinary("==", value, first.value) ?? NONE) === true;
  if (name.text === "add" && first) return items.some(isFirst) ? NONE : now([...items, first]);
  const joins = SETS.get(name.text);
  const joined = joins && first ? foldBinary(joins, was, first.value) : null;
  if (joined) return joined;
  const found = /^(remove|discard|index|count)$/.test(name.text) ? items.findIndex(isFirst) : -1;
  if (name.text === "discard" && found < 0 && first) return NONE;
  if (found >= 0 && (name.text === "remove" || name.text === "discard")) return now(items.toSpliced(found, 1));
  if (found >= 0 && name.text === "index") return numberValue(found, true);
  if (name.text === "count" && first) return numberValue(items.filter(isFirst).length, true);
  if (name.text === "copy") return list(items);
  if (name.text === "numel")
    return numberValue(
      items.reduce((product, { value }) => product * (value.kind === "number" ? value.value : 1), 1),
      true,
    );
  if (/^pop(left)?$/.test(name.text) && items.length > 0 && (!first || first.value.kind === "number")) {
    const at = name.text === "popleft" ? 0 : first?.value.kind === "number" ? first.value.value : -1;
    const taken = items.at(at);
    if (taken) now(items.toSpliced(at, 1));
    if (taken) return taken.value;
  }
  if (first && isBroken(first.value)) return BROKEN;
  interpreter.diagnostics.add(
    "bad-method",
    name.span,
    "A list has .append(x), .extend(xs), .insert(i, x), .remove(x), .index(x), .pop() and .reverse(); ops take its tensors by torch.stack or torch.cat.",
  );
  return BROKEN;
}
