/**
 * @file Who keeps what is known of a row while the tiles of its product come by. Along columns, each thread keeps one row: the
 * threads that made parts of it hand them over after every tile. Along rows, each thread keeps its own columns to the end.
 */
import { node, type NodeId } from "../../../../ir";
import { meetingCells, meetingRows } from "../reduce-schedule";
import type { MatmulTile } from "../../../types";
import type { Job } from "../../../emit/kernel-frame";
import { wordFor } from "../../../emit/emitter";
import type { Cond, Index } from "../../../emit/index-space";
import type { Reg, Scalar, SharedArray, Value } from "../../../emit/kernel-ir";
import type { Accumulator } from "../../../emit/accumulate";
import type { Tiling } from "../../matmul/write/tile-loads";
import { rowAt, type TilePosition } from "../../matmul/write/matmul-tile";
import type { Reduce } from "./reduce";
import { Partials } from "./reduce-finish";
import { agreeOnPeaks, completeRows, foldsOf, SharedParts, type Share } from "./workgroup-row-reduce";
import { nameRows } from "./online-softmax-state";

/** What a workgroup owns: a band of rows (or columns), and a chunk of the side that it walks. */
export interface Band extends TilePosition {
  readonly f: Reduce;
  readonly tile: MatmulTile;
  readonly tiling: Tiling;
  /** Rows, or vector columns, from one tile of the chunk to the next, and how many there are. */
  readonly step: number;
  readonly iterations: number;
  readonly chunk: Index;
  /** Tiles of the operands. Between two iterations the left one serves as the memory where threads meet. */
  readonly a: SharedArray;
  readonly b: SharedArray;
  readonly grid: readonly [number, number];
}

/** What becomes of each tile of accumulators, and of the rows in the end. */
export interface AccumulatorPlacement {
  /** @param past rows or vector columns of the chunk before this tile */
  readonly fold: (accs: readonly (readonly Reg[])[], past: Index) => void;
  /** Completes the rows, and stores what has one value of each. */
  readonly finish: () => void;
  /** Lets every thread know the rows that it makes parts of, once they are complete. */
  readonly share: () => void;
  /** Stores elements of this tile, as far as their rows are known. */
  readonly store: (ids: readonly NodeId[], accs: readonly (readonly Reg[])[], past: Index) => void;
  /** Stores what is known for the kernel that joins the chunks. */
  readonly leave: (job: Job) => void;
}

/** Rows are folded: each thread keeps one of the band, in the order in which threads hand them over. */
export function rowPerThread(band: Band): AccumulatorPlacement {
  const { f, tile, tiling, rows, columns } = band;
  const { low, space, sizes } = f;
  const { tid, top, batch } = tiling;
  const held = rows.map((row) => f.held(space.add(top, row)));
  nameRows(low, held);
  const own = f.row("");
  const atOnce = meetingRows(low.graph, f.parts, tile, true);
  const groups = Array.from({ length: Math.ceil(tile.rm / atOnce) }, (_, i) => ({
    first: i * atOnce,
    rows: rows.slice(i * atOnce, (i + 1) * atOnce),
  }));
  const handOver = handing(band, atOnce);
  const at = space.add(top, rowAt(space, tid, tile));
  const mine = space.less(tid, tile.m);
  const unitsAt = (past: Index): Index[] =>
    columns.map((column) => low.bind("unit", space.add(space.add(tiling.left, past), column)));
  let known: readonly (readonly (readonly [NodeId, Value])[])[] = rows.map(() => []);
  return {
    fold(accs, past) {
      const units = unitsAt(past);
      for (const { first, rows: some } of groups) {
        some.forEach((row, j) => {
          const quads = units.map((unit, u) => f.quad(batch, space.add(top, row), unit, accs[first + j]![u]!));
          own.partial(quads).forEach((value, v) => handOver.put(value, v, j));
        });
        low.barrier();
        const down = tile.m / tile.rm;
        const holders = space.and(space.atLeast(tid, first * down), space.less(tid, (first + some.length) * down));
        low.branch(holders, () => own.takeIn((number, scalar, id) => handOver.read(number, scalar, id)));
        low.barrier();
      }
    },
    finish() {
      completeRows([own], sizes.folded, null);
      own.enter();
      f.storeRow(batch, at, mine);
    },
    share() {
      known = handOver.all(own.known(), mine);
    },
    store(ids, accs, past) {
      if (ids.length === 0) return;
      const units = unitsAt(past);
      rows.forEach((row, i) => {
        for (const [id, value] of known[i]!) low.setRowValue(id, value);
        units.forEach((unit, u) => f.storeElements(ids, accs[i]![u]!, batch, space.add(top, row), unit));
      });
    },
    leave(job) {
      const folds = [...own.peakFold(), ...foldsOf([own], null)[0]!];
      const partials = new Partials(low, job, folds);
      f.atRow(batch, at, mine, (linear) => folds.forEach((acc) => partials.store(acc, band.chunk, linear)));
    },
  };
}

/** Parts of `atOnce` rows of each thread in workgroup memory: value after value, row after row, a vector for four threads. */
function handing({ f, tile, tiling, tx, ty, quads, a }: Band, atOnce: number) {
  const { low, space } = f;
  const [across, down] = [tile.n / tile.rn, tile.m / tile.rm];
  const group = atOnce * down;
  const parts = new SharedParts(low, a, meetingCells(low.graph, f.parts, tile, true), 1);
  const cell = (value: number, row: Index): Index => space.mul(space.add(space.int(value * group), row), across / 4);
  return {
    put(value: Value, number: number, row: number): void {
      const index = space.add(cell(number, space.add(space.int(row * down), ty)), space.div(tx, 4));
      low.emit({
        kind: "storeShared",
        array: parts.of(value.scalar),
        index,
        value,
        lane: space.mod(tx, 4),
        nodes: [],
      });
    },
    /** What is known of all rows of the band, handed back: for each row of a thread. */
    all(known: readonly (readonly [NodeId, Value])[], mine: Cond): (readonly [NodeId, Value])[][] {
      const own = rowAt(space, tiling.tid, tile);
      const at = (number: number, quad: Index): Index => space.add(space.int((number * tile.m) / 4), quad);
      low.branch(mine, () =>
        known.forEach(([id, value], v) =>
          low.emit({
            kind: "storeShared",
            array: parts.of(value.scalar),
            index: at(v, space.div(own, 4)),
            value,
            lane: space.mod(own, 4),
            nodes: [id],
          }),
        ),
      );
      low.barrier();
      const read = known.map(([id, { scalar }], v) =>
        quads.map((quad) =>
          low.let(
            `${wordFor(node(low.graph, id))}_rows`,
            scalar,
            4,
            { kind: "loadShared", array: parts.of(scalar), index: at(v, quad) },
            [id],
          ),
        ),
      );
      low.barrier();
      return Array.from({ length: tile.rm }, (_, i) =>
        known.map(([id], v) => [id, low.part(read[v]![i >> 2]!, i % 4, [id])] as const),
      );
    },
    read(number: number, scalar: Scalar, id: NodeId): Reg[] {
      const start = cell(number, space.mod(tiling.tid, group));
      return Array.from({ length: across / 4 }, (_, c) =>
        low.let(
          "part",
          scalar,
          4,
          { kind: "loadShared", array: parts.of(scalar), index: space.add(start, space.int(c)) },
          [id],
        ),
      );
    },
  };
}

/** Columns are folded: each thread keeps those that it makes, four neighbours at a time; in the end they are joined with the other threads'. */
export function columnsPerThread(band: Band): AccumulatorPlacement {
  const { f, tile, tiling, rows, columns, tx, ty, a } = band;
  const { low, space, sizes } = f;
  const { batch, left, top } = tiling;
  const state = columns.map((_, i) => f.row(`_${i}`));
  const units = columns.map((column) => space.add(left, column));
  const mine = space.less(ty, 1);
  const shares = (): Share[] => {
    low.comment("The threads of a column join what they folded.");
    const [down, atOnce] = [tile.m / tile.rm, meetingRows(low.graph, f.parts, tile, false)];
    const parts = new SharedParts(low, a, meetingCells(low.graph, f.parts, tile, false), atOnce);
    const cells = parts.cells / atOnce;
    return columns.map((_, i) => {
      const slot = space.int((i % atOnce) * cells);
      const at = (cell: Index): Index => space.add(slot, space.add(space.mul(tx, down), cell));
      return { parts, index: at(ty), lane: null, cells: Array.from({ length: down }, (__, d) => at(space.int(d))) };
    });
  };
  return {
    fold(accs, past) {
      const ms = rows.map((row) => space.add(space.add(top, past), row));
      state.forEach((column, s) => {
        const quads = ms.map((m, i) => f.quad(batch, m, units[s]!, accs[i]![s]!));
        const highest = column.highest(quads);
        if (highest !== null) column.rescaleFolds(column.raise(highest));
        column.fold(quads);
        column.commitPeak();
      });
    },
    finish() {
      const met = shares();
      agreeOnPeaks(state, met);
      completeRows(state, sizes.folded, met);
      state.forEach((column, i) => {
        column.enter();
        f.storeColumns(batch, units[i]!, mine);
      });
    },
    // Every thread of a column knows what they came to.
    share() {},
    store(ids, accs, past) {
      if (ids.length === 0) return;
      state.forEach((column, j) => {
        column.enter();
        rows.forEach((row, i) =>
          f.storeElements(ids, accs[i]![j]!, batch, space.add(space.add(top, past), row), units[j]!),
        );
      });
    },
    leave(job) {
      const met = shares();
      agreeOnPeaks(state, met);
      const folds = foldsOf(state, met).map((own, i) => [...state[i]!.peakFold(), ...own]);
      const partials = new Partials(low, job, folds[0]!);
      folds.forEach((own, i) =>
        f.atColumns(
          batch,
          units[i]!,
          mine,
          () => (linear, lane) => leaveColumn(f, partials, own, { chunk: band.chunk, linear, lane }),
        ),
      );
    },
  };
}

interface Left {
  readonly chunk: Index;
  readonly linear: Index;
  readonly lane: number | null;
}

function leaveColumn(
  { low }: Reduce,
  partials: Partials,
  folds: readonly Accumulator[],
  { chunk, linear, lane }: Left,
): void {
  for (const acc of folds) {
    const part = (value: Reg): Value => (lane === null ? value : low.part(value, lane, [acc.id]));
    partials.store({ id: acc.id, value: part(acc.value), position: acc.position && part(acc.position) }, chunk, linear);
  }
}
