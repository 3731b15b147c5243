/**
 * @file A product folded while it is made: a workgroup keeps a band of rows (or of columns), walks the other side tile by tile, and
 * folds each tile of accumulators into running values. The product itself is never stored.
 */
import { gridOf, programOf, type Job } from "../frame";
import type { Index } from "../index-space";
import { literal, type KernelProgram, type Reg, type SharedArray } from "../kernel-ir";
import { gridIndex, leftParcels, multiply, rightParcels, type Parcel, type Tiling } from "./matmul-tile";
import { Reduce } from "./reduce";
import type { RunningRow, Share } from "./running-row";

/** Variant `reduce-tile`. */
export function lowerReduceTile(job: Job): KernelProgram {
  const tile = job.schedule.matmul!;
  const f = new Reduce(job);
  const { low, space, sizes, product: c } = f;
  const [across, down] = [tile.n / tile.rn, tile.m / tile.rm];
  const threads = across * down;
  const [own, walked] = sizes.alongColumns ? [tile.m, tile.n] : [tile.n, tile.m];
  const bands = Math.ceil(sizes.kept / own);
  const [gx, gy] = gridOf(bands * sizes.batch, job.target);
  const grid = gridIndex(c, gx, gy, bands * sizes.batch, job.target.maxWorkgroupsPerDimension);
  const tid = space.of(space.variable("tid", threads - 1, 0, "tid"));
  const first = low.bind(sizes.alongColumns ? "top" : "left", space.mul(space.mod(grid, bands), sizes.alongColumns ? own : own / 4)); // prettier-ignore
  const zero = space.int(0);
  const tiling: Tiling = {
    c,
    tid,
    threads,
    top: sizes.alongColumns ? first : zero,
    left: sizes.alongColumns ? zero : first,
    batch: low.bind("batch", sizes.batch === 1 ? zero : space.mod(space.div(grid, bands), sizes.batch)),
  };
  const { batch } = tiling;
  const tx = low.bind("tx", space.mod(tid, across));
  const ty = low.bind("ty", space.div(tid, across));
  const pitch = tile.k / 4 + 1;
  const turned = c.alongK(1);
  const width = tile.n / 4 + (turned ? 1 : 0);
  // The operands' tile serves as the meeting place of the threads in the end.
  const meeting = sizes.alongColumns ? tile.m * (across / 4) : (tile.n / 4) * down;
  const a = low.sharedArray("a_tile", c.scalar, Math.max(tile.m * pitch, meeting), 4);
  const b = low.sharedArray("b_tile", c.scalar, tile.k * width, 4);
  low.comment("The first tile of both operands, on its way to workgroup memory.");
  const [lefts, rights] = [leftParcels(tiling, a, tile, pitch), rightParcels(tiling, b, tile, width, turned)];
  const rows = Array.from({ length: tile.rm }, (_, i) => space.add(ty, space.int(i * down)));
  const columns = Array.from({ length: tile.rn / 4 }, (_, j) => space.add(tx, space.int(j * across)));
  const kept = sizes.alongColumns ? rows : columns;
  const state = kept.map((_, i) => f.row(`_${i}`));
  const [turns, tiles] = [Math.ceil(sizes.folded / walked), Math.ceil(sizes.k / tile.k)];
  const shiftOf = (turn: Index, side: "left" | "right"): Index =>
    (side === "right") === sizes.alongColumns ? space.mul(turn, sizes.alongColumns ? walked / 4 : walked) : zero;
  low.loop("turn", turns, (turn) => {
    const accs = rows.map((_, i) =>
      columns.map((__, j) => low.variable(`c_${i}_${j}`, c.scalar, 4, literal(0, c.scalar), [c.id])),
    );
    low.loop("tile", tiles, (index) => {
      for (const parcel of [...lefts, ...rights]) carry(f, parcel, index);
      low.barrier();
      if (turns * tiles > 1) {
        low.comment("Fetch the next tile while this one is multiplied.");
        const after = space.add(index, space.int(1));
        const next = low.bind("next", space.mod(after, tiles));
        const then = low.bind("then", space.mod(space.add(turn, space.div(after, tiles)), turns));
        for (const { reg, fetch } of lefts) low.set(reg, fetch(next, shiftOf(then, "left")), [c.id]);
        for (const { reg, fetch } of rights) low.set(reg, fetch(next, shiftOf(then, "right")), [c.id]);
      }
      for (let quad = 0; quad < tile.k / 4; quad++) multiply(c, a, b, accs, rows, columns, quad, pitch, width);
      low.barrier();
    });
    low.comment("Fold this tile of the product.");
    const [m, unit] = [shiftOf(turn, "left"), shiftOf(turn, "right")];
    foldTile(f, state, accs, { batch, rows: rows.map((row) => space.add(space.add(tiling.top, m), row)), units: columns.map((column) => space.add(space.add(tiling.left, unit), column)) }); // prettier-ignore
  });
  low.comment("The threads of a row join what they folded.");
  state.forEach((row, i) => {
    const share = sizes.alongColumns ? rowShare(f, a, rows[i]!, tx, across) : columnShare(f, a, columns[i]!, ty, down);
    row.agree(share);
    row.complete(sizes.folded, share);
    if (sizes.alongColumns) f.storeRow(batch, space.add(tiling.top, rows[i]!), space.less(tx, 1));
    else f.storeColumns(batch, space.add(tiling.left, columns[i]!), space.less(ty, 1));
  });
  const side = sizes.alongColumns ? `${tile.m} rows, ${tile.n} columns` : `${tile.n} columns, ${tile.m} rows`;
  return programOf(low, job, {
    template: "contract-reduce",
    schedule: `One workgroup of ${threads} threads per ${side} at a time; each tile of the product is folded in registers.`,
    workgroupSize: [threads, 1, 1],
    workgroups: [gx, gy, 1],
  });
}

function carry({ product: c, low }: Reduce, { reg, array, cell, inside }: Parcel, tile: Index): void {
  const within = inside(tile);
  const staged = within.kind === "always" ? reg : low.let(`${reg.name}_now`, reg.scalar, 4, reg, [c.id]);
  low.emit({ kind: "storeShared", array, index: cell, value: c.masked(staged, within), lane: null, nodes: [c.id] });
}

interface Place {
  readonly batch: Index;
  readonly rows: readonly Index[];
  readonly units: readonly Index[];
}

/** Every accumulator goes into the fold of its row or column. */
function foldTile(
  f: Reduce,
  state: readonly RunningRow[],
  accs: readonly (readonly Reg[])[],
  { batch, rows, units }: Place,
): void {
  state.forEach((row, s) => {
    const quads = f.sizes.alongColumns
      ? units.map((unit, j) => f.quad(batch, rows[s]!, unit, accs[s]![j]!))
      : rows.map((m, i) => f.quad(batch, m, units[s]!, accs[i]![s]!));
    const top = row.highest(quads);
    if (top !== null) row.fadeFolds(row.raise(top));
    for (const quad of quads) row.fold(quad);
    row.settle();
  });
}

function rowShare({ space }: Reduce, array: SharedArray, row: Index, tx: Index, across: number): Share {
  const count = across / 4;
  const at = (cell: Index): Index => space.add(space.mul(row, count), cell);
  return { array, index: at(space.div(tx, 4)), lane: space.mod(tx, 4), cells: Array.from({ length: count }, (_, c) => at(space.int(c))) }; // prettier-ignore
}

function columnShare({ space }: Reduce, array: SharedArray, column: Index, ty: Index, down: number): Share {
  const at = (cell: Index): Index => space.add(space.mul(column, down), cell);
  return { array, index: at(ty), lane: null, cells: Array.from({ length: down }, (_, d) => at(space.int(d))) };
}
