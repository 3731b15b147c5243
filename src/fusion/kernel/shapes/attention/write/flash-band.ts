/** @file Which rows and which chunk of the keys a workgroup of attention owns, and what its threads keep of them in workgroup memory. */
import { flashAcross, flashThreads } from "../flash-factors";
import type { FlashTile } from "../../../types";
import { gridOf, type Job } from "../../../emit/kernel-frame";
import type { Index } from "../../../emit/index-space";
import type { SharedArray } from "../../../emit/kernel-ir";
import { Flash } from "./flash";
import { gridIndex } from "../../matmul/write/matmul-tile";
import { partialLowering } from "../../../emit/split";
import { longestAt } from "../../../indices/bands";

/** Vectors that hold `size` values. */
export const fours = (size: number): number => Math.ceil(size / 4);

export interface Band {
  readonly f: Flash;
  readonly tile: FlashTile;
  readonly threads: number;
  readonly tid: Index;
  readonly tx: Index;
  readonly batch: Index;
  readonly chunk: Index;
  readonly top: Index;
  /** Rows of this thread, counted from `top`. */
  readonly rows: readonly Index[];
  readonly passing: SharedArray;
  readonly weights: SharedArray;
  /** Vectors from one row of `weights` to the next. */
  readonly pitch: number;
}

export function bandOf(job: Job): Band {
  const tile = job.schedule.flash!;
  const { chunks } = job.schedule;
  const f = chunks === 1 ? new Flash(job) : new Flash(job, partialLowering(job));
  const { low, space, sizes } = f;
  const bands = Math.ceil(sizes.m / tile.m);
  const count = sizes.batch * bands * chunks;
  const [gx, gy] = gridOf(count, job.target);
  const grid = gridIndex(f.values, gx, gy, count, job.target.maxWorkgroupsPerDimension);
  const threads = flashThreads(tile);
  const tid = space.of(space.variable("tid", threads - 1, 0, "tid"));
  const across = flashAcross(tile);
  const own =
    longestAt(f.parts.band) === null || sizes.batch === 1
      ? inOrder(f, grid, bands, chunks)
      : longestFirst(f, grid, bands, chunks);
  const top = low.bind("top", space.mul(own.band, tile.m));
  const chunk = low.bind("chunk", own.chunk);
  const batch = low.bind("batch", own.batch);
  const tx = low.bind("tx", space.mod(tid, across));
  const ty = low.bind("ty", space.div(tid, across));
  const pitch = across + 1;
  const passing = Math.max(...f.scores.map((each) => 4 * fours(each.sizes.k) * pitch), tile.n * fours(sizes.width));
  return {
    f,
    tile,
    threads,
    tid,
    tx,
    batch,
    chunk,
    top,
    rows: Array.from({ length: tile.rm }, (_, i) => space.add(ty, space.int(i * (tile.m / tile.rm)))),
    passing: low.sharedArray(f.scores.length > 0 ? "kv_tile" : "v_tile", "f32", passing, 4),
    weights: low.sharedArray("weight_tile", "f32", tile.m * pitch, 4),
    pitch,
  };
}

/** Which band of which matrix a workgroup takes, and which chunk of the keys. */
interface Own {
  readonly band: Index;
  readonly chunk: Index;
  readonly batch: Index;
}

function inOrder({ space, sizes }: Flash, grid: Index, bands: number, chunks: number): Own {
  const beyond = space.div(grid, bands);
  return {
    band: space.mod(grid, bands),
    chunk: space.mod(beyond, chunks),
    batch: sizes.batch === 1 ? space.int(0) : space.mod(space.div(beyond, chunks), sizes.batch),
  };
}

/**
 * Under a diagonal the last bands walk furthest, beyond one the first: they of all matrices begin, so that no multiprocessor is left
 * with them alone.
 */
function longestFirst({ low, space, sizes, parts }: Flash, grid: Index, bands: number, chunks: number): Own {
  const beyond = space.div(grid, sizes.batch);
  const iteration = low.bind("turn_of", space.mod(space.div(beyond, chunks), bands));
  const band =
    longestAt(parts.band) === "start" ? iteration : space.add(space.int(bands - 1), space.mul(iteration, -1));
  return { band, chunk: space.mod(beyond, chunks), batch: space.mod(grid, sizes.batch) };
}
