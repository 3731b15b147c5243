/** @file What the statements of an order mean: two elements of workgroup memory exchanged, and the search in two runs that are merged. */
import type { SharedTrace } from "./access-log";

/** Swaps two elements in workgroup memory that do not stand as they should; `phase` is the one between two barriers. */
export function putInOrder(
  key: Pick<SharedTrace, "read" | "write">,
  place: Pick<SharedTrace, "read" | "write"> | null,
  [near, far]: readonly [number, number],
  upwards: boolean,
  thread: number,
  phase: number,
): void {
  const [a, b] = [key.read(near, thread, phase), key.read(far, thread, phase)];
  const i = place ? place.read(near, thread, phase) : 0;
  const j = place ? place.read(far, thread, phase) : 0;
  if ((b < a || (b === a && j < i)) !== upwards) return;
  key.write(near, b, thread, phase);
  key.write(far, a, thread, phase);
  place?.write(near, j, thread, phase);
  place?.write(far, i, thread, phase);
}

/** Where element number `at` of two neighbouring runs stands, both in order, when they are merged: as the shader searches for it. */
export function mergedFrom(
  keyAt: (place: number) => number,
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
