/** @file What Python goes through one after the other: items of a list, keys of a dictionary, rows of a tensor. */
import type { Machine, Place } from "./machine";
import { typeOf } from "./machine";
import { rowsOf } from "./pairs";
import type { Slot } from "./values";

/** Rows of a tensor that are written out, at most. */
const MOST_ROWS = 4096;

/**
 * The items of what stands behind `in`, in order.
 * @param root identity of the rows that a tensor is taken apart into
 * @returns null for what has no items, or more rows than are written out
 */
export function itemsOf(machine: Machine, place: Place, slot: Slot, root: string): readonly Slot[] | null {
  const { value } = slot;
  if (value.kind === "sequence") return value.items;
  if (value.kind === "dict")
    return [...value.entries.keys()].map((key) => ({ value: { kind: "string", value: key }, path: "", expr: null }));
  if (value.kind !== "tensor" || machine.unknown.has(value.node)) return null;
  const rows = typeOf(machine, value.node).shape[0] ?? 0;
  return rows === 0 || rows > MOST_ROWS ? null : rowsOf(machine, place, slot, root);
}
