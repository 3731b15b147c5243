/** @file Walking several row-major tensors at once: strides of broadcast operands, and as few loops as they allow. */
import { sizeOf, stridesOf, type Shape } from "../ir";

/** Strides of `shape` for loops over `space`; 0 where it is broadcast. */
export function stridesIn(shape: Shape, space: Shape): number[] {
  const own = stridesOf(shape);
  const offset = space.length - shape.length;
  return space.map((_, axis) => (axis < offset || shape[axis - offset] === 1 ? 0 : own[axis - offset]!));
}

export interface Walk {
  /** Extents of the merged loops, outermost first; at least one. */
  readonly extents: readonly number[];
  /** For each operand its stride in each loop. */
  readonly strides: readonly (readonly number[])[];
}

/** Merges neighbouring axes that all operands walk as one; axes of size 1 vanish. */
export function mergedWalk(space: Shape, operands: readonly (readonly number[])[]): Walk {
  const extents: number[] = [];
  const strides: number[][] = operands.map(() => []);
  for (let axis = space.length - 1; axis >= 0; axis--) {
    const extent = space[axis]!;
    if (extent === 1) continue;
    const last = extents.length - 1;
    const joins = last >= 0 && operands.every((own, k) => own[axis] === strides[k]![last]! * extents[last]!);
    if (joins) extents[last]! *= extent;
    else {
      extents.push(extent);
      operands.forEach((own, k) => strides[k]!.push(own[axis]!));
    }
  }
  if (extents.length === 0) {
    extents.push(sizeOf(space) === 0 ? 0 : 1);
    for (const own of strides) own.push(0);
  }
  return { extents: extents.toReversed(), strides: strides.map((own) => own.toReversed()) };
}

/** Calls `row` for each innermost loop, with every operand's offset where it begins. Innermost extent and strides are the walk's last. */
export function eachRow({ extents, strides }: Walk, row: (offsets: readonly number[]) => void): void {
  if (extents.includes(0)) return;
  const loops = extents.length - 1;
  const at = extents.map(() => 0);
  const offsets = strides.map(() => 0);
  for (;;) {
    row(offsets);
    let axis = loops - 1;
    for (; axis >= 0; axis--) {
      at[axis]!++;
      for (let k = 0; k < offsets.length; k++) offsets[k]! += strides[k]![axis]!;
      if (at[axis]! < extents[axis]!) break;
      for (let k = 0; k < offsets.length; k++) offsets[k]! -= strides[k]![axis]! * extents[axis]!;
      at[axis] = 0;
    }
    if (axis < 0) return;
  }
}

/** Coordinates of the `flat`-th element of a row-major `shape`. */
export function coordinatesOf(flat: number, shape: Shape): number[] {
  const at = shape.map(() => 0);
  for (let axis = shape.length - 1, rest = flat; axis >= 0; axis--) {
    at[axis] = rest % shape[axis]!;
    rest = Math.floor(rest / shape[axis]!);
  }
  return at;
}
