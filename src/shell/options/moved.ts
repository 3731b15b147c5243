/** @file Where a moved pass ends up. */

/** `name` before the pass that now stands at `place`, counted from 0; at the end when none does. */
export function movedTo(order: readonly string[], name: string, place: number): string[] {
  const from = order.indexOf(name);
  const others = order.filter((other) => other !== name);
  return others.toSpliced(Math.max(0, place > from ? place - 1 : place), 0, name);
}
