/**
 * @file A product folded while it is made: a workgroup keeps a band of rows (or of columns), walks the other side tile by tile, and
 * folds each tile of accumulators into running values. The product itself is never stored.
 */
import { leftPitch, leftVectors, tileThreads } from "../../matmul/matmul";
import { meetingCells } from "../reduce-schedule";
import { gridOf, programOf, type Job } from "../../../emit/kernel-frame";
import type { Index } from "../../../emit/index-space";
import { literal, type KernelProgram, type Reg } from "../../../emit/kernel-ir";
import { gridIndex, leftLoads, multiply, tilePositionOf, rightLoads, rightWidth } from "../../matmul/write/matmul-tile";
import type { TileLoad, Tiling } from "../../matmul/write/tile-loads";
import { Reduce } from "./reduce";
import { lowerReduceFinish } from "./reduce-finish";
import { columnsPerThread, rowPerThread, type Band } from "./accumulator-placement";
import { namesOf, partialLowering } from "../../../emit/split";

/** Variant `reduce-tile`: one kernel; or one that folds the other side chunk by chunk, and one that joins the chunks. */
export function lowerReduceTile(job: Job): KernelProgram[] {
  const split = job.schedule.chunks > 1;
  const f = split ? new Reduce(job, partialLowering(job)) : new Reduce(job);
  const band = bandOf(job, f);
  const placement = f.sizes.alongColumns ? rowPerThread(band) : columnsPerThread(band);
  const { passing, again } = f.parts;
  const walk = walkOf(band);
  let last: Parameters<Visit> | null = null;
  walk("Fold this tile of the matmul.", (accs, past) => {
    last = [accs, past];
    placement.fold(accs, past);
    placement.store(passing, accs, past);
  });
  if (!split) {
    placement.finish();
    if (again.length > 0) {
      f.completed();
      placement.share();
      const store: Visit = (accs, past) => placement.store(again, accs, past);
      if (f.twice) walk("Store what follows from this tile and from whole rows.", store);
      else store(...last!);
    }
    return [programOf(f.low, job, { template: "contract-reduce", ...describe(band) })];
  }
  placement.leave(job);
  const partial = programOf(f.low, job, {
    template: "contract-reduce",
    ...namesOf(job, "partials"),
    ...describe(band),
  });
  return [partial, lowerReduceFinish(job, f.parts)];
}

function bandOf(job: Job, f: Reduce): Band {
  const { matmul, chunks, chunkLength } = job.schedule;
  const tile = matmul!;
  const { low, space, product: c } = f;
  const { alongColumns, outer, batch: matrices } = f.sizes;
  const threads = tileThreads(tile);
  const bands = Math.ceil(outer / (alongColumns ? tile.m : tile.n));
  const count = bands * chunks * matrices;
  const [gx, gy] = gridOf(count, job.target);
  const grid = gridIndex(c, gx, gy, count, job.target.maxWorkgroupsPerDimension);
  const tid = space.of(space.variable("tid", threads - 1, 0, "tid"));
  const zero = space.int(0);
  const band = space.mod(grid, bands);
  const chunk = chunks === 1 ? zero : low.bind("chunk", space.mod(space.div(grid, bands), chunks));
  const [step, iterations] = alongColumns ? [tile.n / 4, chunkLength / tile.n] : [tile.m, chunkLength / tile.m];
  const start = space.mul(chunk, (alongColumns ? step : step / 4) * iterations);
  const [top, left] = alongColumns ? [space.mul(band, tile.m / 4), start] : [start, space.mul(band, tile.n / 4)];
  const batch = matrices === 1 ? zero : space.mod(space.div(grid, bands * chunks), matrices);
  const tiling: Tiling = {
    c,
    tid,
    threads,
    top: space.mul(low.bind("top", top), 4),
    left: low.bind("left", left),
    batch: low.bind("batch", batch),
  };
  const position = tilePositionOf(low, tid, tile);
  const a = low.sharedArray(
    "a_tile",
    c.scalar,
    Math.max(leftVectors(tile), meetingCells(job.graph, f.parts, tile, alongColumns)),
    4,
  );
  const b = low.sharedArray("b_tile", c.scalar, tile.k * rightWidth(job, c.alongK(1)), 4);
  return { ...position, f, tile, tiling, step, iterations, chunk, a, b, grid: [gx, gy] };
}

/** @param past rows or vector columns of the chunk before the tile */
type Visit = (accs: readonly (readonly Reg[])[], past: Index) => void;

/** Makes every tile of the chunk; after the last one, the first is on its way again. */
function walkOf(band: Band): (doing: string, visit: Visit) => void {
  const { f, tile, tiling, step, iterations, rows, columns, a, b } = band;
  const { low, space, product: c } = f;
  const { alongColumns, k } = f.sizes;
  const width = b.length / tile.k;
  low.comment("The first tile of both operands, on its way to workgroup memory.");
  low.lean = true;
  const [lefts, rights] = [leftLoads(tiling, a, tile), rightLoads(tiling, b, tile, width, c.alongK(1))];
  low.lean = false;
  const tiles = Math.ceil(k / tile.k);
  const zero = space.int(0);
  const turnOf = (turn: Index): (readonly Reg[])[] => {
    const accs = rows.map((_, i) =>
      columns.map((__, j) => low.variable(`c_${i}_${j}`, c.scalar, 4, literal(0, c.scalar), [c.id])),
    );
    low.lean = true;
    low.loop("tile", tiles, (index) => {
      for (const load of [...lefts, ...rights]) stage(f, load, index);
      low.barrier();
      if (iterations * tiles > 1) {
        low.comment("Fetch the next tile while this one is multiplied.");
        const after = space.add(index, space.int(1));
        const next = low.bind("next", space.mod(after, tiles));
        const then = low.bind("then", space.mod(space.add(turn, space.div(after, tiles)), iterations));
        const past = space.mul(then, step);
        for (const { reg, fetch } of lefts) low.set(reg, fetch(next, alongColumns ? zero : past), [c.id]);
        for (const { reg, fetch } of rights) low.set(reg, fetch(next, alongColumns ? past : zero), [c.id]);
      }
      for (let k = 0; k < tile.k; k++) multiply(c, { a, b, pitch: leftPitch(tile), width }, band, accs, k);
      low.barrier();
    });
    low.lean = false;
    return accs;
  };
  return (doing, visit) =>
    low.loop("turn", iterations, (turn) => {
      const accs = turnOf(turn);
      low.comment(doing);
      visit(accs, space.mul(turn, step));
    });
}

function describe({ f, tile, tiling, grid }: Band): Pick<KernelProgram, "schedule" | "workgroupSize" | "workgroups"> {
  const { schedule } = f.job;
  const side = f.sizes.alongColumns ? `${tile.m} rows, ${tile.n} columns` : `${tile.n} columns, ${tile.m} rows`;
  const among = schedule.chunks === 1 ? "" : ` of one of ${schedule.chunks} chunks`;
  return {
    schedule: `One workgroup of ${tiling.threads} threads per ${side}${among} at a time; each tile of the matmul is folded in registers${f.says}.`,
    workgroupSize: [tiling.threads, 1, 1],
    workgroups: [...grid, 1],
  };
}

function stage({ product: c, low }: Reduce, { reg, array, cell, lane, inside }: TileLoad, tile: Index): void {
  const within = inside(tile);
  const staged = within.kind === "always" ? reg : low.let(`${reg.name}_now`, reg.scalar, reg.width, reg, [c.id]);
  low.emit({
    kind: "storeShared",
    array,
    index: cell,
    value: c.masked(staged, within),
    lane: lane ?? null,
    nodes: [c.id],
  });
}
