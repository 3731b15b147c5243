/** @file What the statements of an order mean: two elements of workgroup memory exchanged, and the search in two runs that are merged. */
import type { Stmt, Value } from "../emit/kernel-ir";
import type { SharedTrace } from "./access-log";
import type { Indices } from "./indices";
import type { NumberOf } from "./threads";

/** The two elements that a thread puts in order. */
export function pairsOf(
  { pair, stride, mirrored }: Extract<Stmt, { kind: "exchangePair" }>,
  indices: Indices,
): (thread: number, lane: number) => readonly [near: number, far: number] {
  const [number, apart] = [indices.index(pair), indices.index(stride)];
  return (thread, lane) => {
    const [at, step] = [number(thread, lane), apart(thread, lane)];
    const near = 2 * at - (at & (step - 1));
    return [near, mirrored ? near ^ (2 * step - 1) : near + step];
  };
}

/** Whether the element of a thread comes before the last of those that are retained. */
export function waitsBy(
  { key, bar, index, barIndex }: Extract<Stmt, { kind: "wait" }>,
  numberOf: (value: Value) => NumberOf,
): (thread: number) => boolean {
  const [own, last] = [numberOf(key), numberOf(bar)];
  const [ownIndex, lastIndex] = [index && numberOf(index), barIndex && numberOf(barIndex)];
  return (thread) => {
    const [a, b] = [own(thread, 0), last(thread, 0)];
    return a < b || (ownIndex && lastIndex ? a === b && ownIndex(thread, 0) < lastIndex(thread, 0) : false);
  };
}

/** Swaps two elements in workgroup memory that do not stand as they should; `phase` is the one between two barriers. */
export function putInOrder(
  key: Pick<SharedTrace, "read" | "write">,
  indices: Pick<SharedTrace, "read" | "write"> | null,
  [near, far]: readonly [number, number],
  thread: number,
  phase: number,
): void {
  const [a, b] = [key.read(near, thread, phase), key.read(far, thread, phase)];
  const i = indices ? indices.read(near, thread, phase) : 0;
  const j = indices ? indices.read(far, thread, phase) : 0;
  if (!(b < a || (b === a && j < i))) return;
  key.write(near, b, thread, phase);
  key.write(far, a, thread, phase);
  indices?.write(near, j, thread, phase);
  indices?.write(far, i, thread, phase);
}

/** Where element number `at` of two neighbouring runs stands, both in order, when they are merged: as the shader searches for it. */
export function mergedFrom(
  keyAt: (position: number) => number,
  start: number,
  left: number,
  right: number,
  at: number,
): number {
  const other = start + left;
  let [low, high] = [Math.max(0, at - right), Math.min(at, left)];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (keyAt(other + at - 1 - middle) < keyAt(start + middle)) high = middle;
    else low = middle + 1;
  }
  const far = at - low;
  return low === left || (far < right && keyAt(other + far) < keyAt(start + low)) ? other + far : start + low;
}
