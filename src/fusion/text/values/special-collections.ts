/** @file Python's `collections`: deques that hold so many items, dictionaries that make what they lack, counters. */
import type { DType } from "../../ir";
import type { CallAt, Interpreter, StatementRun } from "../interpreter";
import { dictKey, entryUnder, keysOf } from "../reading/strings";
import { itemsOf } from "../statements/iterate";
import { change } from "./grown";
import { type GivenArgument, numberValue, type Operand, type Value } from "./values";

const loose = (value: Value): Operand => ({ value, path: "", expr: null });

const COUNTED = numberValue(0, true);
export const isCounter = (value: Value): value is Dict => value.kind === "dict" && value.missing === COUNTED;
export type Dict = Extract<Value, { kind: "dict" }>;

/** A counter with what is counted besides: each item once more, or as often as another dictionary says. */
export function counted(
  interpreter: Interpreter,
  run: StatementRun,
  was: Dict,
  more: Operand,
  sign: 1 | -1,
): Dict | null {
  const entries = new Map(was.entries);
  const add = (key: Operand, often: number): void => {
    const word = dictKey(interpreter, key);
    const before = word === null ? undefined : entries.get(word)?.value;
    const now = (before?.kind === "number" ? before.value : 0) + sign * often;
    if (word !== null) entries.set(word, entryUnder(key, loose(numberValue(now, true))));
  };
  if (more.value.kind === "dict") {
    const often = [...more.value.entries.values()];
    for (const [i, key] of keysOf(more.value.entries).entries()) {
      const { value } = often[i]!;
      if (value.kind === "number") add(key, value.value);
    }
    return { ...was, entries };
  }
  const items = itemsOf(interpreter, run, more, `${run.root}/counted`);
  for (const item of items ?? []) add(item, 1);
  return items && { ...was, entries };
}

/** `collections.deque(items, maxlen=4)`, `defaultdict(list)`, `Counter(words)`; null of anything else. */
export function collectionOf(
  interpreter: Interpreter,
  run: StatementRun,
  name: string,
  args: readonly GivenArgument[],
): Value | null {
  const [first, second] = args.filter((arg) => arg.name === null).map(({ operand }) => operand);
  if (name === "deque") {
    const most = (args.find((arg) => arg.name?.text === "maxlen")?.operand ?? second)?.value;
    const items = first ? itemsOf(interpreter, run, first, `${run.root}/in`) : [];
    const at = most?.kind === "number" ? most.value : undefined;
    return (
      items && {
        kind: "sequence",
        list: true,
        items: items.slice(-(at ?? Infinity)),
        ...(at !== undefined && { most: at }),
      }
    );
  }
  const named = args.flatMap((arg) => (arg.name ? [[arg.name.text, arg.operand] as const] : []));
  if (name === "Counter") {
    const none: Dict = { kind: "dict", entries: new Map(named), missing: COUNTED };
    return first ? counted(interpreter, run, none, first, 1) : none;
  }
  if (name !== "defaultdict") return null;
  const known = second?.value.kind === "dict" ? second.value.entries : [];
  const missing = first && first.value.kind !== "none" ? { missing: first.value } : {};
  return { kind: "dict", entries: new Map([...known, ...named]), ...missing };
}

/** What a dictionary answers for a key that it lacks, and has from then on; null where it makes nothing. */
export function missingEntry(
  interpreter: Interpreter,
  run: StatementRun,
  at: CallAt,
  was: Dict,
  key: Operand,
): Value | null {
  const { missing } = was;
  const word = missing ? dictKey(interpreter, key) : null;
  if (!missing || word === null) return null;
  if (missing === COUNTED) return missing;
  const value = missing.kind === "dtype" ? zeroOf(missing.dtype) : interpreter.call(run, at, missing, []);
  interpreter.madeEntries.push({ of: was, key, word, value });
  change(interpreter, was, { ...was, entries: new Map([...was.entries, [word, entryUnder(key, loose(value))]]) });
  return value;
}

/** `int()`, `float()`, `bool()`. */
const zeroOf = (dtype: DType): Value =>
  dtype === "bool" ? { kind: "bool", value: false } : numberValue(0, dtype === "i32");
