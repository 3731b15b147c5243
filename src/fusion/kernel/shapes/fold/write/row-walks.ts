/** @file How a thread walks what it takes of a row: turn after turn, several at once where their loads are on their way together. */
import type { NodeId } from "../../../../ir";
import type { Job } from "../../../emit/kernel-frame";
import type { Cond, Index } from "../../../emit/index-space";
import type { Lowering } from "../../../emit/lowering";
import type { FoldThreads } from "./fold-threads";
import { existing, nameChunks, pointIn, pointAt, spread, type Rows } from "./rows";

/** What a thread takes of a row in one turn: which columns, and whether they exist. */
export interface Chunk {
  readonly column: Index;
  readonly inside: Cond;
  /** The column for those that exist: written without holding it back. */
  readonly bare: () => Index;
}

/** Visits what a thread takes of a row. @param first values that all chunks of an iteration ask for before one of them is folded or stored */
export type ChunkWalk = (first: readonly NodeId[], visit: (chunk: Chunk, turn: Index) => void) => void;

/** The chunks of one iteration. Their loads are on their way together: none waits behind what is computed, folded or stored. */
export function visitAll(
  low: Lowering,
  rows: Rows,
  row: Index,
  own: readonly { readonly turn: Index; readonly some: Chunk }[],
  first: readonly NodeId[],
  visit: (chunk: Chunk, turn: Index) => void,
): void {
  const points = own.map(({ some }) => pointAt(low.space, rows, row, some.column));
  if (own.length > 1) {
    nameChunks(
      low,
      own.map(({ some }) => some),
      rows,
      row,
    );
    low.together(
      points.map((at) => () => {
        for (const id of first) low.valueAt(id, rows.layouts.has(id) ? pointIn(low.space, rows, id, at) : at);
      }),
    );
  }
  for (const { some, turn } of own) visit(some, turn);
}

/** Visits what a thread takes of the part of a row that is its workgroup's. */
export function partWalk(low: Lowering, { schedule }: Job, rows: Rows, threads: FoldThreads): ChunkWalk {
  const { space } = low;
  const { lanes, turns, ahead, wide } = threads.factors;
  const four = wide.folded === 4;
  const [each, units] = [schedule.chunkLength / wide.folded, rows.columns / wide.folded];
  const first = space.mul(threads.part, each);
  const start = lanes === 1 ? first : low.bind("start", first);
  const chunk = (turn: Index): Chunk => {
    const unit = space.add(start, space.add(threads.lane, space.mul(turn, lanes)));
    const inside = space.less(unit, units);
    const bare = (): Index =>
      inside.kind === "always" ? spread(space, unit, four) : spread(space, existing(low, unit, units, "unit"), four);
    return { column: spread(space, space.clamp(unit, units - 1), four), inside, bare };
  };
  return (asked, visit) =>
    low.loop("turn", turns / ahead, (iteration) => {
      const own = threads.turnsOf(iteration).map((turn) => ({ turn, some: chunk(turn) }));
      visitAll(low, rows, threads.row, own, asked, visit);
    });
}
