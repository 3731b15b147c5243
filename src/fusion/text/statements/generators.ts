/** @file Generators: a def that yields is read at once, and what it hands out is a list; of one that never ends, as much as anybody may ask for. */
import type { Frame } from "../interpreter";
import { bodiesOf, type DefStatement, type Statement } from "../reading/syntax";
import type { Value } from "../values/values";

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

/** What a generator that was read has handed out. */
export const generated = ({ items, isEndless }: NonNullable<Frame["yields"]>): Value => ({
  kind: "sequence",
  items,
  isOnce: true,
  ...(isEndless && { isEndless }),
});
