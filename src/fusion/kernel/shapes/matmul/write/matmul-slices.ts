/** @file The end of a product whose k was multiplied in slices, each by threads of its own in one workgroup. */
import { opDef } from "../../../../ops";
import type { Index } from "../../../emit/index-space";
import type { Reg, SharedArray } from "../../../emit/kernel-ir";
import type { MatmulTile } from "../../../types";
import { leftVectors, sliceThreads, slicesOf } from "../matmul";
import type { Contraction } from "./contraction";

/**
 * Adds up what the slices of k came to: half of them hand over their accumulators through the left operand's tile, as many at a time as it
 * has room for, until the first slice has all; the others end.
 */
export function addSlices(
  c: Contraction,
  { a, own, slice }: { readonly a: SharedArray; readonly own: Index; readonly slice: Index },
  tile: MatmulTile,
  accs: readonly (readonly Reg[])[],
): void {
  const { low, space } = c;
  const threads = sliceThreads(tile);
  low.comment("Add up the slices of k.");
  for (let half = slicesOf(tile) / 2; half >= 1; half /= 2) {
    const room = Math.max(1, Math.floor(leftVectors(tile) / (half * threads)));
    const gives = space.and(space.below(space.int(half - 1), slice), space.less(slice, 2 * half));
    const all = accs.flat();
    for (let from = 0; from < all.length; from += room) {
      const handed = all.slice(from, from + room);
      const cell = (other: Index, i: number): Index =>
        space.add(space.int(i * half * threads), space.add(space.mul(other, threads), own));
      low.branch(gives, () =>
        handed.forEach((value, i) => {
          const index = cell(space.add(slice, space.int(-half)), i);
          low.emit({ kind: "storeShared", array: a, index, value, lane: null, nodes: [c.id] });
        }),
      );
      low.barrier();
      low.branch(space.less(slice, half), () =>
        handed.forEach((acc, i) => {
          const part = low.let("part", c.scalar, 4, { kind: "loadShared", array: a, index: cell(slice, i) }, [c.id]);
          low.set(acc, { kind: "combine", def: opDef("sum"), a: acc, b: part }, [c.id]);
        }),
      );
      low.barrier();
    }
  }
  low.emit({ kind: "guard", when: space.less(slice, 1) });
}
