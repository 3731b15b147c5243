/** @file Methods of what is known while the program is read: lists, dictionaries, texts. */
import type { Machine, Place } from "./machine";
import { bindName } from "./symbols";
import type { Expr, Identifier } from "./syntax";
import { bare } from "./syntax";
import { keyOf } from "./texts";
import type { Slot, Value } from "./values";
import { BROKEN, NONE, isBroken, numberValue } from "./values";

const loose = (value: Value): Slot => ({ value, path: "", expr: null });
const list = (items: readonly Slot[]): Value => ({ kind: "sequence", items, list: true });

/** `name.append(x)`: the name stands for the longer list from here on; a list without a name is gone with it. */
function rebound(machine: Machine, place: Place, object: Expr | null, value: Value): Value {
  const name = object && bare(object);
  if (name?.kind === "name") bindName(machine, place, name, value);
  return NONE;
}

/** `d.items()`, `d.values()`, `d.keys()`, `d.get("w")`, `d.pop("w")`, `d.update(other)`. */
export function dictMethod(
  machine: Machine,
  place: Place,
  { entries, object }: { readonly entries: ReadonlyMap<string, Slot>; readonly object: Expr | null },
  name: Identifier,
  args: readonly Slot[],
): Value {
  const text = (value: string): Slot => loose({ kind: "string", value });
  const [key, otherwise] = args;
  if (args.some(({ value }) => value.kind === "broken")) return BROKEN;
  if (name.text === "values") return list([...entries.values()]);
  if (name.text === "keys") return list([...entries.keys()].map(text));
  if (name.text === "items")
    return list([...entries].map(([each, slot]) => loose({ kind: "sequence", items: [text(each), slot] })));
  if (name.text === "copy") return { kind: "dict", entries };
  if (name.text === "update" && key?.value.kind === "dict")
    return rebound(machine, place, object, { kind: "dict", entries: new Map([...entries, ...key.value.entries]) });
  if ((name.text === "get" || name.text === "pop" || name.text === "setdefault") && key) {
    const said = keyOf(machine, key);
    const found = said === null ? null : (entries.get(said) ?? otherwise);
    if (name.text === "pop" && said !== null)
      rebound(machine, place, object, {
        kind: "dict",
        entries: new Map([...entries].filter(([each]) => each !== said)),
      });
    return said === null ? BROKEN : (found?.value ?? NONE);
  }
  machine.problems.add(
    "bad-method",
    name.span,
    "A dictionary has .items(), .values(), .keys(), .get(key), .pop(key) and .update(other).",
  );
  return BROKEN;
}

/** `items.append(x)`, `.extend(xs)`, `.insert(0, x)`, `.pop()`, `.reverse()`, `.index(x)`, `.count(x)`. */
export function listMethod(
  machine: Machine,
  place: Place,
  { items, object }: { readonly items: readonly Slot[]; readonly object: Expr | null },
  name: Identifier,
  [first, second]: readonly Slot[],
): Value {
  const now = (longer: readonly Slot[]): Value => rebound(machine, place, object, list(longer));
  if (name.text === "append" && first) return now([...items, first]);
  if (name.text === "extend" && first?.value.kind === "sequence") return now([...items, ...first.value.items]);
  if (name.text === "insert" && first?.value.kind === "number" && second)
    return now(items.toSpliced(first.value.value, 0, second));
  if (name.text === "reverse") return now(items.toReversed());
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
  machine.problems.add(
    "bad-method",
    name.span,
    "A list has .append(x), .extend(xs), .insert(i, x), .pop() and .reverse(); ops take its tensors by torch.stack or torch.cat.",
  );
  return BROKEN;
}

/** `act.lower()`, `mode.startswith("b")`. */
export function textMethod(machine: Machine, text: string, name: Identifier, [first]: readonly Slot[]): Value {
  const said = first?.value.kind === "string" ? first.value.value : null;
  if (name.text === "lower") return { kind: "string", value: text.toLowerCase() };
  if (name.text === "upper") return { kind: "string", value: text.toUpperCase() };
  if (name.text === "strip") return { kind: "string", value: text.trim() };
  if (name.text === "startswith" && said !== null) return { kind: "bool", value: text.startsWith(said) };
  if (name.text === "endswith" && said !== null) return { kind: "bool", value: text.endsWith(said) };
  if (name.text === "split") return list(text.split(said ?? /\s+/).map((value) => loose({ kind: "string", value })));
  machine.problems.add(
    "bad-method",
    name.span,
    "A text has .lower(), .upper(), .strip(), .split(), .startswith(text) and .endswith(text).",
  );
  return BROKEN;
}
