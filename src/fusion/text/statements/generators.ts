/** @file Generators: a def that yields is read at once, and what it hands out is a list; of one that never ends, as much as anybody may ask for. */
import type { Frame } from "../interpreter";
import { bodiesOf, type DefStatement, type Statement } from "../reading/syntax";
import type { Operand, Value } from "../values/values";

/** So many values of a generator are read. */
export const MOST_YIELDED = 256;

const known = new WeakMap<DefStatement, boolean>();

const yieldsIn = (statements: readonly Statement[]): boolean =>
  statements.some(
    (each) => each.kind === "yield" || (each.kind !== "def" && each.kind !== "class" && bodiesOf(each).some(yieldsIn)),
  );

/** Whether a call of `def` makes a generator. */
export function isGenerator(def: DefStatement): boolean {
  const found = known.get(def) ?? yieldsIn(def.body);
  known.set(def, found);
  return found;
}

/** What goes through others as somebody goes through it: `enumerate(rows)`, `zip(xs, ys)`. */
export function onceThrough(
  items: readonly Operand[],
  ...sources: readonly { readonly of: Value; readonly ahead?: number }[]
): Extract<Value, { kind: "sequence" }> {
  const from = sources.flatMap(({ of, ahead = 0 }) =>
    of.kind === "sequence" && of.isOnce ? [{ of, total: items.length, ahead }] : [],
  );
  return { kind: "sequence", items, isOnce: true, ...(from.length > 0 && { from }) };
}

/** Where a def yields in its own sequence of statements; -1 where it does so in a branch or a loop, or more than once. */
export function yieldAt({ body }: DefStatement): number {
  const found = body.flatMap(({ kind }, i) => (kind === "yield" ? [i] : []));
  return found.length === 1 && !body.some((each) => bodiesOf(each).some(yieldsIn)) ? found[0]! : -1;
}

/** What a generator that was read has handed out. */
export const generated = ({ items, isEndless }: NonNullable<Frame["yields"]>): Value => ({
  kind: "sequence",
  items,
  isOnce: true,
  ...(isEndless && { isEndless }),
});
