/**
 * @file Matmul through workgroup memory: tiles of both operands, prefetched into registers one tile ahead. A thread owns rows
 * ty + i·NTY and vector columns tx + j·NTX, so that neighbouring threads read neighbouring words; accumulators are named values.
 */
import { programOf, type Job } from "../kernel-frame";
import { gridOf } from "../kernel-frame";
import type { Cond, Index } from "../index-space";
import { literal, type KernelProgram, type Reg, type SharedArray, type Value } from "../kernel-ir";
import { Contraction, finishAll, productsIn } from "./contraction";
import { lowerJoin } from "./matmul-join";
import { namesOf, partialLowering } from "./split";

export interface Tiling {
  readonly c: Contraction;
  readonly tid: Index;
  readonly batch: Index;
  /** First row and first vector column of the tile. */
  readonly top: Index;
  readonly left: Index;
  /** The chunk of k that the workgroup walks, and its first step. Absent: all of k. */
  readonly chunk?: Index;
  readonly first?: Index;
  readonly threads: number;
}

/** A vector of one operand that a thread brings in for each tile of k. */
export interface TileLoad {
  readonly reg: Reg;
  readonly array: SharedArray;
  readonly cell: Index;
  /** @param shift rows of the left or vector columns of the right operand past the workgroup's first */
  readonly fetch: (tile: Index, shift?: Index) => Value;
  /** Where the vector lies within k: what lies outside must count as 0. Asked only when it is stored, so that no one waits for the load. */
  readonly inside: (tile: Index) => Cond;
}

/** A workgroup's tile, multiplied: accumulators of rows × vector columns. */
export interface Tiled {
  readonly tiling: Tiling;
  readonly products: readonly Contraction[];
  readonly tx: Index;
  readonly ty: Index;
  readonly rows: readonly Index[];
  readonly columns: readonly Index[];
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
  const [acrossThreads, downThreads] = [tile.n / tile.rn, tile.m / tile.rm];
  const threads = acrossThreads * downThreads;
  const products = productsIn(job, c);
  // Products share the tile: as many of its columns each.
  const own = tile.n / products.length;
  const [across, down] = [Math.ceil(sizes.n / own), Math.ceil(sizes.m / tile.m)];
  const { chunks } = job.schedule;
  const count = across * down * sizes.batch * chunks;
  const [gx, gy] = gridOf(count, job.target);
  const grid = gridIndex(c, gx, gy, count, job.target.maxWorkgroupsPerDimension);
  const tiles = Math.ceil((chunks === 1 ? sizes.k : job.schedule.chunkLength) / tile.k);
  const chunk =
    chunks === 1 ? space.int(0) : low.bind("chunk", space.mod(space.div(grid, across * down * sizes.batch), chunks));
  const first = space.mul(chunk, tiles);
  const tid = space.of(space.variable("tid", threads - 1, 0, "tid"));
  const tiling: Tiling = {
    c,
    tid,
    threads,
    chunk,
    first,
    left: low.bind("left", space.mul(space.mod(grid, across), own / 4)),
    top: low.bind("top", space.mul(space.mod(space.div(grid, across), down), tile.m)),
    batch: low.bind("batch", sizes.batch === 1 ? space.int(0) : space.mod(space.div(grid, across * down), sizes.batch)),
  };
  const tx = low.bind("tx", space.mod(tid, acrossThreads));
  const ty = low.bind("ty", space.div(tid, acrossThreads));
  const pitch = tile.k / 4 + 1;
  const transposed = products.map((product) => product.alongK(1));
  const width = rightWidth(job, transposed.includes(true));
  const a = low.sharedArray("a_tile", c.scalar, tile.m * pitch, 4);
  const b = low.sharedArray("b_tile", c.scalar, tile.k * width, 4);
  low.comment("The first tile of both operands, on its way to workgroup memory.");
  low.lean = true;
  const share = { n: own, k: tile.k };
  const loads = [
    ...leftLoads(tiling, a, tile, pitch),
    ...products.flatMap((product, p) =>
      rightLoads({ ...tiling, c: product }, b, share, width, transposed[p]!, (p * own) / 4),
    ),
  ];
  const rows = Array.from({ length: tile.rm }, (_, i) => space.add(ty, space.int(i * downThreads)));
  const columns = Array.from({ length: tile.rn / 4 }, (_, j) => space.add(tx, space.int(j * acrossThreads)));
  const accs = rows.map((_, i) =>
    columns.map((__, j) => low.variable(`c_${i}_${j}`, c.scalar, 4, literal(0, c.scalar), [c.id])),
  );
  low.loop("tile", tiles, (step) => {
    const index = space.add(first, step);
    for (const { reg, array, cell, inside } of loads) {
      const within = inside(index);
      const staged = within.kind === "always" ? reg : low.let(`${reg.name}_now`, reg.scalar, 4, reg, [c.id]);
      const value = c.masked(staged, within);
      low.emit({ kind: "storeShared", array, index: cell, value, lane: null, nodes: [c.id] });
    }
    low.barrier();
    if (tiles > 1) {
      // The last iteration fetches the first tile again: cheaper than a branch, and every index stays provable.
      low.comment("Fetch the next tile while this one is multiplied.");
      const next = low.bind("next", space.mod(space.add(step, space.int(1)), tiles));
      for (const load of loads) low.set(load.reg, load.fetch(space.add(first, next)), [c.id]);
    }
    for (let quad = 0; quad < tile.k / 4; quad++) multiply(c, a, b, accs, rows, columns, quad, pitch, width);
    low.barrier();
  });
  low.lean = false;
  return {
    tiling,
    products,
    tx,
    ty,
    rows,
    columns,
    accs,
    a,
    grid: { workgroupSize: [threads, 1, 1], workgroups: [gx, gy, 1] },
  };
}

/** Variant `matmul-tile`: one kernel, or one that multiplies chunks of k and one that joins them. */
export function lowerMatmulTile(job: Job): KernelProgram[] {
  return job.schedule.chunks === 1 ? [lowerTiles(job)] : [lowerTiles(job), lowerJoin(job)];
}

function lowerTiles(job: Job): KernelProgram {
  const { chunks, chunkLength } = job.schedule;
  const tile = job.schedule.matmul!;
  const { tiling, products, rows, columns, accs, grid } = multiplyTiles(job);
  const { low, space } = tiling.c;
  const perProduct = columns.length / products.length;
  low.comment(chunks === 1 ? "Finish and store from the accumulators." : "Leave this chunk's part.");
  rows.forEach((row, i) =>
    columns.slice(0, perProduct).forEach((column, j) => {
      const [m, unit] = [space.add(tiling.top, row), space.add(tiling.left, column)];
      const own = products.map((_, p) => accs[i]![j + p * perProduct]!);
      if (chunks === 1) finishAll(products, own, tiling.batch, m, unit);
      else products.forEach((product, p) => product.leave(own[p]!, tiling.chunk!, tiling.batch, m, unit));
    }),
  );
  return programOf(low, job, {
    ...(chunks > 1 && namesOf(job, "partials")),
    template: "matmul",
    schedule: `Tiles of ${tile.m}×${tile.n}, ${tile.k} of k at a time: ${tiling.threads} threads with ${tile.rm}×${tile.rn} outputs each${products.length === 1 ? "" : `, as many of each of the ${products.length} products`}${chunks === 1 ? "" : `; ${chunks} chunks of k, ${chunkLength} each`}.`,
    ...grid,
  });
}

/** Vectors of one step of k in the right tile. One more puts the columns of a turned operand into different banks, where there is room. */
export function rightWidth({ schedule, target }: Job, turned: boolean): number {
  const { n, k } = schedule.matmul!;
  return n / 4 + (turned && schedule.workgroupBytes + 16 * k <= target.maxWorkgroupBytes ? 1 : 0);
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

/** Vectors along k of the left tile, stored row by row. Neighbouring threads follow the direction in which the operand is contiguous. */
export function leftLoads(
  { c, tid, batch, top, threads, first }: Tiling,
  array: SharedArray,
  tile: { m: number; k: number },
  pitch: number,
): TileLoad[] {
  const { low, space, sizes } = c;
  const quads = tile.k / 4;
  const alongK = c.alongK(0);
  return tileLoads(tile.m * quads, threads, tid, space, (unit, i) => {
    const row = alongK ? space.div(unit, quads) : space.mod(unit, tile.m);
    const quad = alongK ? space.mod(unit, quads) : space.div(unit, tile.m);
    const kAt = (index: Index): ReturnType<typeof c.quad> => c.quad(space.add(space.mul(index, quads), quad), sizes.k);
    const fetch = (index: Index, shift = space.int(0)): Value =>
      c.left(batch, space.clamp(space.add(space.add(top, shift), row), sizes.m - 1), kAt(index).at);
    const reg = low.variable(`a_next_${i}`, c.scalar, 4, fetch(first ?? space.int(0)), [c.id]);
    return {
      reg,
      array,
      cell: low.named(space.add(space.mul(row, pitch), quad)),
      fetch,
      inside: (index) => kAt(index).inside,
    };
  });
}

/** Vectors along n of the right tile. */
export function rightLoads(
  { c, tid, batch, left, threads, first }: Tiling,
  array: SharedArray,
  tile: { n: number; k: number },
  width: number,
  turned: boolean,
  offset = 0,
): TileLoad[] {
  const { low, space, sizes } = c;
  const quads = tile.n / 4;
  return tileLoads(tile.k * quads, threads, tid, space, (unit, i) => {
    const row = turned ? space.mod(unit, tile.k) : space.div(unit, quads);
    const quad = turned ? space.div(unit, tile.k) : space.mod(unit, quads);
    const kAt = (index: Index): Index => space.add(space.mul(index, tile.k), row);
    const fetch = (index: Index, shift = space.int(0)): Value =>
      c.right(batch, space.clamp(kAt(index), sizes.k - 1), c.quad(space.add(space.add(left, shift), quad), sizes.n).at);
    const reg = low.variable(`b_next_${i}`, c.scalar, 4, fetch(first ?? space.int(0)), [c.id]);
    return {
      reg,
      array,
      cell: low.named(space.add(space.mul(row, width), space.add(quad, space.int(offset)))),
      fetch,
      inside: (index) => space.less(kAt(index), sizes.k),
    };
  });
}

/** One load of each thread in each iteration; the last iteration must be full. */
function tileLoads(
  units: number,
  threads: number,
  tid: Index,
  space: Contraction["space"],
  make: (unit: Index, i: number) => TileLoad,
): TileLoad[] {
  return Array.from({ length: Math.ceil(units / threads) }, (_, i) => make(space.add(tid, space.int(i * threads)), i));
}

/** Four steps of k: outer products of what lies in workgroup memory. */
export function multiply(
  c: Contraction,
  a: SharedArray,
  b: SharedArray,
  accs: readonly (readonly Reg[])[],
  rows: readonly Index[],
  columns: readonly Index[],
  quad: number,
  pitch: number,
  width: number,
): void {
  const { low, space, id, scalar } = c;
  low.comment(`k = ${4 * quad} … ${4 * quad + 3}`);
  const read = (name: string, array: SharedArray, index: Index): Reg =>
    low.let(name, scalar, 4, { kind: "loadShared", array, index }, [id]);
  const left = rows.map((row, i) => read(`a_${quad}_${i}`, a, space.add(space.mul(row, pitch), space.int(quad))));
  for (const lane of [0, 1, 2, 3]) {
    const k = 4 * quad + lane;
    const right = columns.map((column, j) => read(`b_${k}_${j}`, b, space.add(space.int(k * width), column)));
    accs.forEach((row, i) => row.forEach((acc, j) => c.fma(acc, left[i]!, lane, right[j]!)));
  }
}
