/** @file What a value became, leaf by leaf, through lists and dictionaries of the same form. */
import type { Value } from "./values";

export interface Ending {
  /** The name, and where in what it holds. */
  readonly path: readonly string[];
  readonly from: Value;
  readonly to: Value;
}

/** Leaves that are others now. */
export function* endings(first: Value, last: Value, ...path: readonly string[]): Generator<Ending> {
  if (first.kind === "sequence") {
    if (last.kind !== "sequence" || last.items.length !== first.items.length) return;
    for (const [i, item] of first.items.entries()) yield* endings(item.value, last.items[i]!.value, ...path, `${i}`);
  } else if (first.kind === "dict") {
    if (last.kind !== "dict") return;
    for (const [key, item] of first.entries) {
      const other = last.entries.get(key);
      if (other) yield* endings(item.value, other.value, ...path, key);
    }
  } else if (first.kind === "object" && last.kind === "object" && first.object.of === last.object.of) {
    if (first.object === last.object) return;
    for (const [key, field] of first.object.fields) {
      const other = last.object.fields.get(key);
      if (other) yield* endings(field, other, ...path, key);
    }
  } else if (first.kind === "tensor" ? last.kind !== "tensor" || first.node !== last.node : first !== last)
    yield { path, from: first, to: last };
}
