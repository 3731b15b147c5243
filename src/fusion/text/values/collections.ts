/** @file Methods of what is known while the program is read: lists, dictionaries, strings. */
import type { Interpreter, StatementRun } from "../interpreter";
import { bindTargets } from "../statements/targets";
import { noteChanged } from "../symbols";
import type { Expr, Identifier } from "../reading/syntax";
import { bare } from "../reading/syntax";
import { dictKey, entryUnder, keysOf } from "../reading/strings";
import { foldBinary, truthOf } from "./constants";
import { change } from "./grown";
import { BROKEN, type GivenArgument, isBroken, NONE, numberValue, type Operand, type Value } from "./values";

const loose = (value: Value): Operand => ({ value, path: "", expr: null });
const list = (items: readonly Operand[]): Value => ({ kind: "sequence", items, list: true });

/** `name.append(x)`: the name stands for the longer list from here on; a list without a name is gone with it. */
function rebound(interpreter: Interpreter, run: StatementRun, object: Expr | null, value: Value, was: Value): Value {
  change(interpreter, was, value);
  const target = object && bare(object);
  if (target?.kind === "name" || target?.kind === "member" || target?.kind === "subscript")
    bindTargets(interpreter, run, target, value);
  if (target) noteChanged(interpreter, run, target);
  return NONE;
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
  if (name.text === "values") return list([...entries.values()]);
  if (name.text === "keys") return list(keysOf(entries));
  if (name.text === "items")
    return list(
      [...entries.values()].map((operand, i) => loose({ kind: "sequence", items: [keysOf(entries)[i]!, operand] })),
    );
  if (name.text === "copy") return { kind: "dict", entries };
  if (name.text === "update" && (!key || key.value.kind === "dict")) {
    const named = given.flatMap((arg) => (arg.name ? [[arg.name.text, arg.operand] as const] : []));
    const more = key?.value.kind === "dict" ? key.value.entries : [];
    return rebound(interpreter, run, object, { kind: "dict", entries: new Map([...entries, ...more, ...named]) }, was);
  }
  if ((name.text === "get" || name.text === "pop" || name.text === "setdefault") && key) {
    const wanted = dictKey(interpreter, key);
    const found = wanted === null ? null : (entries.get(wanted) ?? otherwise);
    if (name.text === "setdefault" && wanted !== null && otherwise && !entries.has(wanted))
      rebound(
        interpreter,
        run,
        object,
        { kind: "dict", entries: new Map([...entries, [wanted, entryUnder(key, otherwise)]]) },
        was,
      );
    if (name.text === "pop" && wanted !== null)
      rebound(
        interpreter,
        run,
        object,
        { kind: "dict", entries: new Map([...entries].filter(([each]) => each !== wanted)) },
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

/** `items.append(x)`, `.extend(xs)`, `.insert(0, x)`, `.pop()`, `.reverse()`, `.index(x)`, `.count(x)`. */
export function listMethod(
  interpreter: Interpreter,
  run: StatementRun,
  { value: was, object }: { readonly value: Extract<Value, { kind: "sequence" }>; readonly object: Expr | null },
  name: Identifier,
  [first, second]: readonly Operand[],
): Value {
  const { items, chain } = was;
  const now = (longer: readonly Operand[]): Value =>
    rebound(interpreter, run, object, { kind: "sequence", items: longer, list: true, ...(chain && { chain }) }, was);
  if (name.text === "append" && first) return now([...items, first]);
  if (name.text === "extend" && first?.value.kind === "sequence") return now([...items, ...first.value.items]);
  if (name.text === "insert" && first?.value.kind === "number" && second)
    return now(items.toSpliced(first.value.value, 0, second));
  if (name.text === "add_module" && second) return now([...items, second]);
  if (name.text === "register_module" && second) return now([...items, second]);
  if (name.text === "reverse") return now(items.toReversed());
  if (name.text === "clear") return now([]);
  const isFirst = ({ value }: Operand): boolean =>
    first !== undefined && truthOf(foldBinary("==", value, first.value) ?? NONE) === true;
  const found = /^(remove|index|count)$/.test(name.text) ? items.findIndex(isFirst) : -1;
  if (found >= 0 && name.text === "remove") return now(items.toSpliced(found, 1));
  if (found >= 0 && name.text === "index") return numberValue(found, true);
  if (name.text === "count" && first) return numberValue(items.filter(isFirst).length, true);
  if (name.text === "copy") return list(items);
  if (name.text === "numel")
    return numberValue(
      items.reduce((product, { value }) => product * (value.kind === "number" ? value.value : 1), 1),
      true,
    );
  if (name.text === "pop" && items.length > 0 && (!first || first.value.kind === "number")) {
    const at = first?.value.kind === "number" ? first.value.value : -1;
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
