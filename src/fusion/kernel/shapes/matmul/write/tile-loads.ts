/**
 * @file How the operands of a product come to workgroup memory: in vectors of four or, where they lie in no order (windows, weights of
 * which taps are taken), element by element. Neighbouring threads then load neighbouring elements, where vectors of a thread each would
 * ask for as many lines of memory as there are threads.
 */
import type { Cond, Index } from "../../../emit/index-space";
import type { Reg, SharedArray, Value } from "../../../emit/kernel-ir";
import type { Contraction } from "./contraction";

/** What a workgroup multiplies. */
export interface Tiling {
  readonly c: Contraction;
  readonly tid: Index;
  readonly batch: Index;
  /** First row of the tile, a multiple of four, and its first vector column. */
  readonly top: Index;
  readonly left: Index;
  /** The chunk of k that the workgroup walks, and its first step. Absent: all of k. */
  readonly chunk?: Index;
  readonly first?: Index;
  readonly threads: number;
}

/** A vector, or an element, of one operand that a thread brings in for each tile of k. */
export interface TileLoad {
  readonly reg: Reg;
  readonly array: SharedArray;
  readonly cell: Index;
  /** Of a single element: which of the four in the cell it is. */
  readonly lane?: Index;
  /** @param shift rows of the left or vector columns of the right operand past the workgroup's first */
  readonly fetch: (tile: Index, shift?: Index) => Value;
  /** Where the vector lies within k: what lies outside must count as 0. Asked only when it is stored, so that no one waits for the load. */
  readonly inside: (tile: Index) => Cond;
}

/** A tile in workgroup memory: `vectors` for each step of k, `width` from one step to the next, the first of them at `offset`. */
export interface StagedTile {
  readonly name: string;
  readonly array: SharedArray;
  readonly vectors: number;
  readonly width: number;
  readonly k: number;
  readonly offset: number;
}

/**
 * The loads of a thread in each iteration; the last one must be full.
 * @param width vectors of four neighbours across k, or single elements
 * @param alongK neighbouring threads go along k first, or along the other axis
 * @param load the vector, or the element, of that number at a step of k
 */
export function tileLoads(
  { c, tid, threads, first }: Tiling,
  { name, array, vectors, width: pitch, k: steps, offset }: StagedTile,
  width: 1 | 4,
  alongK: boolean,
  load: (item: Index, k: Index, shift: Index) => Value,
): TileLoad[] {
  const { low, space, sizes } = c;
  const beside = (4 / width) * vectors;
  return Array.from({ length: Math.ceil((beside * steps) / threads) }, (_, i) => {
    const unit = space.add(tid, space.int(i * threads));
    const step = alongK ? space.mod(unit, steps) : space.div(unit, beside);
    const item = alongK ? space.div(unit, steps) : space.mod(unit, beside);
    const vector = width === 4 ? item : space.div(item, 4);
    const kAt = (tile: Index): Index => space.add(space.mul(tile, steps), step);
    const fetch = (tile: Index, shift = space.int(0)): Value => load(item, space.clamp(kAt(tile), sizes.k - 1), shift);
    return {
      reg: low.variable(`${name}_${i}`, c.scalar, width, fetch(first ?? space.int(0)), [c.id]),
      array,
      cell: low.named(space.add(space.mul(step, pitch), space.add(vector, space.int(offset)))),
      ...(width === 1 && { lane: low.named(space.mod(item, 4)) }),
      fetch,
      inside: (tile) => space.less(kAt(tile), sizes.k),
    };
  });
}
