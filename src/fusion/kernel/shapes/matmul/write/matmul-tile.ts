/**
 * @file Matmul through workgroup memory: tiles of both operands, step of k after step of k, prefetched into registers one tile ahead. A
 * thread owns vectors of rows ty + i·NTY and vector columns tx + j·NTX, so that a step of k takes few loads of whole vectors and
 * neighbouring threads read neighbouring ones; accumulators are named values.
 */
import { programOf, type Job } from "../../../emit/kernel-frame";
import { gridOf } from "../../../emit/kernel-frame";
import { ALWAYS, type Cond, type Index, type IndexSpace } from "../../../emit/index-space";
import { longestAt } from "../../../indices/bands";
import { literal, type KernelProgram, type Reg, type SharedArray } from "../../../emit/kernel-ir";
import { Contraction, finishAll, finishTransposed, liesAlongRows, productsIn } from "./contraction";
import type { Lowering } from "../../../emit/lowering";
import { leftPitch, leftVectors, sliceThreads, slicesOf, tileThreads } from "../matmul";
import type { MatmulTile, ProductBand } from "../../../types";
import { tileLoads, type TileLoad, type Tiling } from "./tile-loads";
import { lowerJoin } from "./matmul-join";
import { addSlices } from "./matmul-slices";
import { namesOf, partialLowering } from "../../../emit/split";

/** A thread's outputs in the tile of its workgroup. */
export interface TilePosition {
  readonly tx: Index;
  readonly ty: Index;
  /** Its vectors of four rows, and the rows one by one. */
  readonly quads: readonly Index[];
  readonly rows: readonly Index[];
  /** Its vector columns. */
  readonly columns: readonly Index[];
}

/** Threads side by side, and one above the other, that are next to one another in number: together they read few vectors of either tile. */
const [ACROSS, DOWN] = [8, 4];

/**
 * Where the outputs of thread `tid` are.
 * @param alongRows rows lie side by side in the outputs: neighbouring threads then go down the rows first
 */
export function tilePositionOf(low: Lowering, tid: Index, tile: MatmulTile, alongRows = false): TilePosition {
  const { space } = low;
  const [across, down] = [tile.n / tile.rn, tile.m / tile.rm];
  const [wide, high] = alongRows ? [DOWN, ACROSS] : [ACROSS, DOWN];
  const inBlocks = across % wide === 0 && down % high === 0;
  const [width, height] = inBlocks ? [wide, high] : [across, down];
  const [within, block] = [space.mod(tid, width * height), space.div(tid, width * height)];
  const [besides, beneath] = [space.mod(block, across / width), space.div(block, across / width)];
  const tx = low.bind("tx", space.add(space.mul(besides, width), space.mod(within, width)));
  const ty = low.bind("ty", space.add(space.mul(beneath, height), space.div(within, width)));
  const quads = Array.from({ length: tile.rm / 4 }, (_, i) => space.add(ty, space.int(i * down)));
  const columns = Array.from({ length: tile.rn / 4 }, (_, j) => space.add(tx, space.int(j * across)));
  const rows = Array.from({ length: tile.rm }, (_, i) => rowAt(space, space.add(space.int(i * down), ty), tile));
  return { tx, ty, quads, rows, columns };
}

/** The row of the tile that is `position`th where the first rows of all threads come first, then the second ones, and so on. */
export function rowAt(space: IndexSpace, position: Index, { m, rm }: MatmulTile): Index {
  const down = m / rm;
  const [thread, row] = [space.mod(position, down), space.div(position, down)];
  const quad = space.add(thread, space.mul(space.div(row, 4), down));
  return space.add(space.mul(quad, 4), space.mod(row, 4));
}

/** A workgroup's tile, multiplied: accumulators of rows × vector columns. */
export interface Tiled extends TilePosition {
  readonly tiling: Tiling;
  readonly products: readonly Contraction[];
  readonly accs: readonly (readonly Reg[])[];
  /** The left operand's tile, free once the product is done. */
  readonly a: SharedArray;
  readonly grid: Pick<KernelProgram, "workgroupSize" | "workgroups">;
}

/** The product in tiles, left in registers. */
export function multiplyTiles(job: Job): Tiled {
  const tile = job.schedule.matmul!;
  const c = job.schedule.chunks === 1 ? new Contraction(job) : new Contraction(job, undefined, partialLowering(job));
  const { low, space, sizes } = c;
  const threads = tileThreads(tile);
  const products = productsIn(job, c);
  // Products share the tile: as many of its columns each.
  const own = tile.n / products.length;
  const [across, down] = [Math.ceil(sizes.n / own), Math.ceil(sizes.m / tile.m)];
  const { chunks } = job.schedule;
  const count = across * down * sizes.batch * chunks;
  const [gx, gy] = gridOf(count, job.target);
  const grid = gridIndex(c, gx, gy, count, job.target.maxWorkgroupsPerDimension);
  const tiles = Math.ceil((chunks === 1 ? sizes.k : job.schedule.chunkLength) / tile.k);
  const banded = job.schedule.band ?? null;
  const order = banded ? bandedOrder(c, grid, [across, down], banded) : rowsFirst(c, grid, [across, down]);
  const chunk =
    chunks === 1 ? space.int(0) : low.bind("chunk", space.mod(space.div(grid, across * down * sizes.batch), chunks));
  const span = banded && banded.side !== "result" ? walkOf(c, order, banded, tile, tiles) : null;
  const first = span ? span.from : space.mul(chunk, tiles);
  const tid = space.of(space.variable("tid", threads - 1, 0, "tid"));
  const tiling: Tiling = {
    c,
    tid,
    threads,
    chunk,
    first,
    left: low.bind("left", space.mul(order.column, own / 4)),
    top: space.mul(low.bind("top", space.mul(order.row, tile.m / 4)), 4),
    batch: low.bind("batch", order.batch),
  };
  const slices = slicesOf(tile);
  const mine = slices === 1 ? tid : low.bind("own", space.mod(tid, sliceThreads(tile)));
  const slice = slices === 1 ? space.int(0) : low.bind("slice", space.div(tid, sliceThreads(tile)));
  const position = tilePositionOf(low, mine, tile, chunks === 1 && liesAlongRows(products));
  const transposed = products.map((product) => product.alongK(1));
  const width = rightWidth(job, transposed.includes(true));
  const a = low.sharedArray("a_tile", c.scalar, leftVectors(tile), 4);
  const b = low.sharedArray("b_tile", c.scalar, tile.k * width, 4);
  low.comment("The first tile of both operands, on its way to workgroup memory.");
  low.lean = true;
  const share = { n: own, k: tile.k };
  const loads = [
    ...leftLoads(tiling, a, tile),
    ...products.flatMap((product, p) =>
      rightLoads({ ...tiling, c: product }, b, share, width, transposed[p]!, (p * own) / 4),
    ),
  ];
  const accs = position.rows.map((_, i) =>
    position.columns.map((__, j) => low.variable(`c_${i}_${j}`, c.scalar, 4, literal(0, c.scalar), [c.id])),
  );
  const depth = tile.k / slices;
  /** Where in a tile the slice's first step of k has these vectors. */
  const inSlice = (at: readonly Index[], pitch: number): Index[] =>
    slices === 1 ? [...at] : at.map((each) => low.named(space.add(space.mul(slice, depth * pitch), each)));
  const cells = { quads: inSlice(position.quads, leftPitch(tile)), columns: inSlice(position.columns, width) };
  const walk = (step: Index): void => {
    const index = span ? step : space.add(first, step);
    for (const { reg, array, cell, lane = null, inside } of loads) {
      const within = inside(index);
      const staged = within.kind === "always" ? reg : low.let(`${reg.name}_now`, reg.scalar, reg.width, reg, [c.id]);
      const value = c.masked(staged, within);
      low.emit({ kind: "storeShared", array, index: cell, value, lane, nodes: [c.id] });
    }
    low.barrier();
    if (tiles > 1) {
      low.comment("Fetch the next tile while this one is multiplied.");
      const wrapped = (): Index => space.mod(space.add(step, space.int(1)), tiles);
      const next = low.bind("next", span ? nextIn(space, step, span.to, tiles) : wrapped());
      for (const load of loads) low.set(load.reg, load.fetch(span ? next : space.add(first, next)), [c.id]);
    }
    for (let k = 0; k < depth; k++) multiply(c, { a, b, pitch: leftPitch(tile), width }, cells, accs, k);
    low.barrier();
  };
  if (span) low.between("tile", span.from, span.to, walk);
  else
    low.branch(banded ? isWanted(tiling, tile, banded) : ALWAYS, () => {
      low.loop("tile", tiles, walk);
    });
  low.lean = false;
  if (slices > 1) addSlices(c, { a, own: mine, slice }, tile, accs);
  return {
    ...position,
    tiling,
    products,
    accs,
    a,
    grid: { workgroupSize: [threads, 1, 1], workgroups: [gx, gy, 1] },
  };
}

/** Which tile of which matrix a workgroup takes. */
interface TileOrder {
  readonly row: Index;
  readonly column: Index;
  readonly batch: Index;
}

/** Tiles of a band of rows side by side, one band after another, one matrix after another. */
function rowsFirst({ space, sizes }: Contraction, grid: Index, [across, down]: readonly [number, number]): TileOrder {
  return {
    column: space.mod(grid, across),
    row: space.mod(space.div(grid, across), down),
    batch: sizes.batch === 1 ? space.int(0) : space.mod(space.div(grid, across * down), sizes.batch),
  };
}

/** Tiles that walk furthest begin, those of all matrices, so that no multiprocessor is left with them alone. */
function bandedOrder(
  c: Contraction,
  grid: Index,
  [across, down]: readonly [number, number],
  { side, band }: ProductBand,
): TileOrder {
  const { space, sizes } = c;
  const longest = longestAt(band);
  if (side === "result" || longest === null) return rowsFirst(c, grid, [across, down]);
  const [inner, outer] = side === "left" ? [across, down] : [down, across];
  const beyond = space.div(grid, inner);
  const turn = space.mod(space.div(beyond, sizes.batch), outer);
  const walks = longest === "start" ? turn : space.add(space.int(outer - 1), space.mul(turn, -1));
  const other = space.mod(grid, inner);
  return {
    batch: sizes.batch === 1 ? space.int(0) : space.mod(beyond, sizes.batch),
    row: side === "left" ? walks : other,
    column: side === "left" ? other : walks,
  };
}

/** The tiles of k beside the band, from `from` to before `to`: those of all rows, or columns, that walk alike. */
function walkOf(
  { low, space, sizes }: Contraction,
  { row, column }: TileOrder,
  { side, band, rows }: ProductBand,
  tile: MatmulTile,
  tiles: number,
): { readonly from: Index; readonly to: Index } {
  const [own, all, extent] = side === "left" ? [row, sizes.m, tile.m] : [column, sizes.n, tile.n];
  const start = space.mul(space.div(own, rows / extent), rows);
  const end = space.clamp(space.add(start, space.int(rows)), all);
  const begin = (): Index => low.bind("begin", space.div(space.beyond(start, -band.low), tile.k));
  const last = (): Index => space.div(space.add(end, space.int(band.high + tile.k - 1)), tile.k);
  return {
    from: band.low === -Infinity ? space.int(0) : begin(),
    to: band.high === Infinity ? space.int(tiles) : low.bind("end", space.clamp(last(), tiles)),
  };
}

/**
 * The tile after `step`. The last iteration fetches one again, of all of k the first: cheaper than a branch, and no branch stands between
 * the loads and the products that hide them.
 */
function nextIn(space: IndexSpace, step: Index, end: Index, tiles: number): Index {
  const left = space.add(space.add(end, space.mul(step, -1)), space.int(-1));
  return space.clamp(space.add(step, space.clamp(left, 1)), tiles - 1);
}

/** Does anybody want an element of the tile? */
function isWanted({ c, top, left }: Tiling, tile: MatmulTile, { band }: ProductBand): Cond {
  const { space } = c;
  const column = space.mul(left, 4);
  const ends = band.high === Infinity ? ALWAYS : space.below(column, space.add(top, space.int(tile.m + band.high)));
  const begins = band.low === -Infinity ? ALWAYS : space.below(top, space.add(column, space.int(tile.n - band.low)));
  return space.and(ends, begins);
}

/** Registers of what is loaded beside the accumulators, once the operands are no longer on their way. */
const LOADED_BEHIND = 32;

/** Variant `matmul-tile`: one kernel, or one that multiplies chunks of k and one that joins them. */
export function lowerMatmulTile(job: Job): KernelProgram[] {
  return job.schedule.chunks === 1 ? [lowerTiles(job)] : [lowerTiles(job), lowerJoin(job)];
}

function lowerTiles(job: Job): KernelProgram {
  const { chunks, chunkLength } = job.schedule;
  const tile = job.schedule.matmul!;
  const { tiling, products, quads, rows, columns, accs, grid } = multiplyTiles(job);
  const { low, space } = tiling.c;
  const perProduct = columns.length / products.length;
  low.comment(chunks === 1 ? "Finish and store from the accumulators." : "Leave this chunk's part.");
  const of = (i: number, j: number): Reg[] => products.map((_, p) => accs[i]![j + p * perProduct]!);
  const blocks = quads.flatMap((quad, q) => columns.slice(0, perProduct).map((column, j) => ({ quad, q, column, j })));
  low.together(
    blocks.map(({ quad, q, column, j }) => () => {
      const own = [0, 1, 2, 3].map((i) => 4 * q + i);
      const unit = space.add(tiling.left, column);
      const fours = own.map((i) => of(i, j));
      if (
        chunks === 1 &&
        finishTransposed(products, fours, tiling.batch, space.add(space.exactly(tiling.top, 4)!, quad), unit)
      )
        return;
      own.forEach((i) => {
        const m = space.add(tiling.top, rows[i]!);
        if (chunks === 1) finishAll(products, of(i, j), tiling.batch, m, unit);
        else products.forEach((product, p) => product.leave(of(i, j)[p]!, tiling.chunk!, tiling.batch, m, unit));
      });
    }),
    LOADED_BEHIND,
  );
  return programOf(low, job, {
    ...(chunks > 1 && namesOf(job, "partials")),
    template: "matmul",
    schedule: `Tiles of ${tile.m}×${tile.n}, ${tile.k} of k at a time: ${tiling.threads} threads with ${tile.rm}×${tile.rn} outputs each${slicesOf(tile) === 1 ? "" : `, in ${slicesOf(tile)} slices of k`}${products.length === 1 ? "" : `, as many of each of the ${products.length} matmuls`}${chunks === 1 ? "" : `; ${chunks} chunks of k, ${chunkLength} each`}.`,
    ...grid,
  });
}

/** Vectors of one step of k in the right tile. One more puts the columns of a transposed operand into different banks, where there is room. */
export function rightWidth({ schedule, target }: Job, transposed: boolean): number {
  const { n, k } = schedule.matmul!;
  return n / 4 + (transposed && schedule.workgroupBytes + 16 * k <= target.maxWorkgroupBytes ? 1 : 0);
}

/** The workgroup's number. Its range is left open on purpose: the remainders below then stay, and prove every index in range. */
export function gridIndex(c: Contraction, gx: number, gy: number, count: number, limit: number): Index {
  const { low, space } = c;
  const x = space.of(space.variable("wid.x", limit - 1, 0, "wid.x"));
  if (gy === 1) return x;
  const y = space.of(space.variable("wid.y", limit - 1, 0, "wid.y"));
  const variable = space.variable(low.names.fresh("workgroup"), limit * limit, 0);
  low.emit({ kind: "bind", variable, value: space.add(x, space.mul(y, gx)) });
  const index = space.of(variable);
  if (gx * gy > count) low.emit({ kind: "guard", when: { kind: "less", index, bound: count } });
  return index;
}

/** Vectors along m of the left operand's tile. */
export function leftLoads(tiling: Tiling, array: SharedArray, tile: { m: number; k: number }): TileLoad[] {
  const { c, batch, top } = tiling;
  const { space, sizes } = c;
  const lies = c.lies(0);
  const staged = {
    name: "a_next",
    array,
    vectors: tile.m / 4,
    width: leftPitch(tile),
    k: tile.k,
    offset: 0,
  };
  if (lies.elements)
    return tileLoads(tiling, staged, 1, lies.elements.alongK, (row, k, shift) =>
      c.left(batch, space.clamp(space.add(space.add(top, shift), row), sizes.m - 1), k),
    );
  return tileLoads(tiling, staged, 4, lies.alongK, (vector, k, shift) => {
    const unit = space.add(space.exactly(space.add(top, shift), 4)!, vector);
    return c.left(batch, c.quad(unit, sizes.m).at, k);
  });
}

/** Vectors along n of the right operand's tile. */
export function rightLoads(
  tiling: Tiling,
  array: SharedArray,
  tile: { n: number; k: number },
  width: number,
  transposed: boolean,
  offset = 0,
): TileLoad[] {
  const { c, batch, left } = tiling;
  const { space, sizes } = c;
  const staged = { name: "b_next", array, vectors: tile.n / 4, width, k: tile.k, offset };
  const { elements } = c.lies(1);
  if (elements)
    return tileLoads(tiling, staged, 1, elements.alongK, (column, k, shift) =>
      c.right(batch, k, space.clamp(space.add(space.mul(space.add(left, shift), 4), column), sizes.n - 1)),
    );
  return tileLoads(tiling, staged, 4, transposed, (vector, k, shift) =>
    c.right(batch, k, c.quad(space.add(space.add(left, shift), vector), sizes.n).at),
  );
}

/** Tiles of both operands, and how many vectors lie from one step of k to the next. */
interface OperandTiles {
  readonly a: SharedArray;
  readonly b: SharedArray;
  readonly pitch: number;
  readonly width: number;
}

/** One step of k: the outer product of what a thread needs of either tile. */
export function multiply(
  c: Contraction,
  { a, b, pitch, width }: OperandTiles,
  { quads, columns }: Pick<TilePosition, "quads" | "columns">,
  accs: readonly (readonly Reg[])[],
  k: number,
): void {
  const { low, space, id, scalar } = c;
  if (k % 4 === 0) low.comment(`k = ${k} … ${k + 3}`);
  const read = (name: string, array: SharedArray, start: number, index: Index): Reg =>
    low.let(name, scalar, 4, { kind: "loadShared", array, index: space.add(space.int(start), index) }, [id]);
  const left = quads.map((quad, i) => read(`a_${k}_${i}`, a, k * pitch, quad));
  const right = columns.map((column, j) => read(`b_${k}_${j}`, b, k * width, column));
  accs.forEach((row, i) => row.forEach((acc, j) => c.fma(acc, left[i >> 2]!, i % 4, right[j]!)));
}
