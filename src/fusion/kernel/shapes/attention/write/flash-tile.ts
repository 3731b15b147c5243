/**
 * @file Flash attention through workgroup memory. A workgroup owns a band of rows; keys and then values pass through one tile, the
 * weights of the band through another. A thread owns rows ty + i·TY and four neighbouring columns of the scores, and the same rows
 * of the results, so that peak, folds and results of a row stay in the registers of the threads that share it.
 */
import type { NodeId } from "../../../../ir";
import { flashAcross } from "../flash-factors";
import type { FlashTile } from "../../../types";
import { gridOf, programOf, type Job } from "../../../emit/kernel-frame";
import type { Cond, Index } from "../../../emit/index-space";
import {
  literal,
  type Expr,
  type KernelProgram,
  type Reg,
  type SharedArray,
  type Value,
} from "../../../emit/kernel-ir";
import type { Contraction } from "../../matmul/write/contraction";
import { bandOf, fours, type Band } from "./flash-band";
import { lowerFlashFinish } from "./flash-finish";
import { accumulator, foldLanes } from "../../../emit/accumulate";
import { completeRows, foldsOf, joined, SharedParts, type Share } from "./workgroup-row-reduce";
import { Partials } from "./reduce-finish";
import { namesOf } from "../../../emit/split";
import { nameRows, type Quad, type OnlineSoftmaxState } from "./online-softmax-state";

/** A vector that a thread carries from memory into a tile. */
interface TileLoad {
  readonly cell: Index;
  /** Not every thread has one in the last iteration. */
  readonly exists: Cond;
  readonly fetch: (iteration: Index) => Value;
  /** Lanes that count as 0 outside the matrix. */
  readonly inside: Cond;
}

/** Variant `flash-tile`: one kernel; or one that goes over the keys chunk by chunk, and one that joins the chunks. */
export const lowerFlashTile = (job: Job): KernelProgram[] =>
  job.schedule.chunks === 1 ? [lowerBands(job)] : [lowerBands(job), lowerFlashFinish(job)];

function lowerBands(job: Job): KernelProgram {
  const band = bandOf(job);
  const { f, tile, threads, tx, batch, top, rows } = band;
  const { low, space, sizes } = f;
  const { chunks, chunkLength } = job.schedule;
  const whole = Math.ceil(sizes.n / tile.n);
  const turns = chunks === 1 ? whole : chunkLength / tile.n;
  const start = space.mul(band.chunk, turns);
  const across = flashAcross(tile);
  const ours = rows.map((row) => space.add(top, row));
  const units = Array.from({ length: Math.ceil(fours(sizes.width) / across) }, (_, t) =>
    space.add(tx, space.int(t * across)),
  );
  const products = f.scores.map((scores, p): Product => ({
    scores,
    queries: queryTile(band, scores, p),
    loads: keyLoads(band, scores),
  }));
  const [first, ...others] = products;
  if (first) low.comment("The first keys, on their way to workgroup memory.");
  const { low: least } = f.parts.band;
  const begin = least === -Infinity ? start : space.clamp(space.div(space.beyond(top, -least), tile.n), turns - 1);
  const keys = (first?.loads ?? []).map((load, i) => ({
    load,
    reg: low.variable(`key_${i}`, "f32", 4, load.fetch(begin), [first!.scores.id]),
  }));
  const state = ours.map((_, i) => f.row(`_${i}`));
  const results = ours.map((_, i) => units.map((__, t) => f.result(`o_${i}_${t}`)));
  const shared = f.parts.peak !== null || f.parts.folds.length + f.parts.resultFolds.length > 0;
  const tops = shared ? low.sharedArray("tops", "f32", tile.m * (across / 4), 4) : null;
  const parts = tops && new SharedParts(low, tops, tops.length, tile.rm);
  const shares = rows.map((row) => parts && shareOf(band, parts, row));
  nameRows(
    low,
    ours.map((row) => f.held(row)),
  );
  const walk = (step: Index): void => {
    const iteration = space.add(start, step);
    if (first) {
      for (const { load, reg } of keys) stage(band, load, reg, first.scores);
      low.barrier();
    }
    low.comment("Values are on their way while the scores are computed.");
    const loads = valueLoads(band);
    const values = loads.map((load) => load.fetch(iteration));
    const unit = space.add(space.mul(iteration, across), tx);
    if (first) low.comment("Scores of this thread's rows: queries times keys.");
    const dots = first ? [dotProducts(band, first, ours, batch)] : [];
    for (const product of others) dots.push(nextDots(band, product, iteration, ours, batch));
    const points = ours.map((row, i) =>
      f.quad(
        batch,
        row,
        unit,
        dots.map((each) => each[i]!),
      ),
    );
    points.forEach((point, i) => offerTop(band, state[i]!, point, shares[i]!));
    low.barrier();
    if (f.parts.peak !== null) low.comment("The row's highest score so far; what was summed under an older one fades.");
    points.forEach((point, i) => {
      takeTop(band, state[i]!, results[i]!, shares[i]!);
      state[i]!.fold([point]);
      const index = space.add(space.mul(rows[i]!, band.pitch), tx);
      low.emit({
        kind: "storeShared",
        array: band.weights,
        index,
        value: state[i]!.weights(point),
        lane: null,
        nodes: [f.values.id],
      });
      state[i]!.commitPeak();
    });
    loads.forEach((load, i) => stage(band, load, values[i]!, f.values));
    low.barrier();
    if (first && turns > 1) {
      low.comment("Fetch the next keys while the values are summed.");
      const next = low.bind("next", space.add(start, space.mod(space.add(step, space.int(1)), turns)));
      for (const { load, reg } of keys) low.set(reg, asExpr(load.fetch(next)), [first.scores.id]);
    }
    low.comment("Values under their weights.");
    inParts(band, tile.n / 4, "quad", (quad, number) => addValues(band, results, units, quad, number));
    low.barrier();
  };
  low.loop("turn", turns, (step) => {
    const first = space.add(start, step);
    const sees = f.sees(space.mul(first, tile.n), tile.n, top, tile.m);
    low.branch(space.and(sees, space.less(first, whole)), () => walk(step));
  });
  const sharing = shares.filter((share) => share !== null);
  const keysSay = first ? "keys and values pass" : "values pass";
  const among = chunks === 1 ? "" : ` and one of ${chunks} chunks of ${chunkLength} columns`;
  const rest = {
    template: "flash",
    schedule: `One workgroup of ${threads} threads per ${tile.m} rows${among}; ${keysSay} through workgroup memory ${tile.n} at a time.`,
    workgroupSize: [threads, 1, 1],
    workgroups: [...gridOf(sizes.batch * Math.ceil(sizes.m / tile.m) * chunks, job.target), 1],
  } as const;
  if (chunks > 1) {
    leaveParts(band, state, results, units, sharing);
    return programOf(low, job, { ...rest, ...namesOf(job, "partials") });
  }
  low.comment("The threads of a row join what they summed; then each finishes its results.");
  completeRows(state, sizes.n, shared ? sharing : null).forEach((factor, i) => {
    if (factor) f.rescale(results[i]!, factor);
  });
  for (const id of f.parts.resultFolds) foldResults(band, id, state, results, units, sharing);
  state.forEach((row, i) => {
    row.enter();
    f.store(batch, ours[i]!, results[i]!, units);
    f.storeRow(batch, ours[i]!, space.less(tx, 1));
  });
  return programOf(low, job, rest);
}

const asExpr = (value: Value): Expr => value;

/** `count` vectors dealt out to the threads. */
function dealt(band: Band, count: number, make: (unit: Index) => Omit<TileLoad, "exists">): TileLoad[] {
  const { f, threads, tid } = band;
  return Array.from({ length: Math.ceil(count / threads) }, (_, i) => {
    const unit = f.space.add(tid, f.space.int(i * threads));
    return { ...make(f.space.clamp(unit, count - 1)), exists: f.space.less(unit, count) };
  });
}

function stage(
  { f, passing }: Band,
  load: TileLoad,
  value: Value,
  of: Contraction,
  array: SharedArray = passing,
): void {
  const { low } = f;
  low.branch(load.exists, () => {
    const staged =
      load.inside.kind === "always" || value.kind === "literal"
        ? value
        : low.let(`${value.name}_now`, "f32", 4, value, [of.id]);
    low.emit({
      kind: "storeShared",
      array,
      index: load.cell,
      value: of.masked(staged, load.inside),
      lane: null,
      nodes: [of.id],
    });
  });
}

/** One of the contractions that make the scores: its left operand where that waits in workgroup memory, and its keys. */
interface Product {
  readonly scores: Contraction;
  readonly queries: SharedArray | null;
  readonly loads: readonly TileLoad[];
}

/** The band's left operand, row by row, vectors along the inner size; null when each step reads it from memory. */
function queryTile(band: Band, scores: Contraction, number: number): SharedArray | null {
  const { f, tile, batch, top } = band;
  const { low, space } = f;
  if (!tile.queries) return null;
  const quads = fours(scores.sizes.k);
  const array = low.sharedArray(number === 0 ? "q_tile" : `q_tile_${number + 1}`, "f32", tile.m * (quads + 1), 4);
  low.comment("The band's queries, once.");
  const loads = dealt(band, tile.m * quads, (unit) => {
    const [row, quad] = [space.div(unit, quads), space.mod(unit, quads)];
    const { at, inside } = scores.quad(quad, scores.sizes.k);
    return {
      cell: space.add(space.mul(row, quads + 1), quad),
      inside,
      fetch: () => scores.left(batch, f.held(space.add(top, row)), at),
    };
  });
  for (const load of loads) stage(band, load, load.fetch(space.int(0)), scores, array);
  return array;
}

/** Vectors of four neighbouring keys at one inner index: the tile is stored turned, so that a row of it is read by all threads. */
function keyLoads(band: Band, scores: Contraction): TileLoad[] {
  const { f, tile, batch, pitch } = band;
  const { space, sizes } = f;
  const head = scores.sizes.k;
  const [inner, quads] = [4 * fours(head), flashAcross(tile)];
  const transposed = scores.alongK(1);
  return dealt(band, inner * quads, (unit) => {
    const k = transposed ? space.mod(unit, inner) : space.div(unit, quads);
    const quad = transposed ? space.div(unit, inner) : space.mod(unit, quads);
    return {
      cell: space.add(space.mul(k, pitch), quad),
      inside: space.less(k, head),
      fetch: (iteration) => {
        const n = scores.quad(space.add(space.mul(iteration, quads), quad), sizes.n).at;
        return scores.right(batch, space.clamp(k, head - 1), n);
      },
    };
  });
}

/** Vectors of the second contraction's right operand. Rows past the end meet weights of 0. */
function valueLoads(band: Band): TileLoad[] {
  const { f, tile, batch } = band;
  const { space, sizes, values } = f;
  const quads = fours(sizes.width);
  const transposed = values.alongK(1);
  return dealt(band, tile.n * quads, (unit) => {
    const row = transposed ? space.mod(unit, tile.n) : space.div(unit, quads);
    const quad = transposed ? space.div(unit, tile.n) : space.mod(unit, quads);
    return {
      cell: space.add(space.mul(row, quads), quad),
      inside: { kind: "always" },
      fetch: (iteration) =>
        values.right(
          batch,
          space.clamp(space.add(space.mul(iteration, tile.n), row), sizes.n - 1),
          values.quad(quad, sizes.width).at,
        ),
    };
  });
}

/** Scores of this thread's rows and columns. */
function dotProducts(band: Band, { scores, queries }: Product, ours: readonly Index[], batch: Index): Reg[] {
  const { f, rows, tx, passing, pitch } = band;
  const { low, space } = f;
  const quads = fours(scores.sizes.k);
  const dots = rows.map((_, i) => low.variable(`s_${i}`, "f32", 4, literal(0, "f32"), [scores.id]));
  inParts(band, quads, "part", (quad, number) => {
    const left = rows.map((row, i): Value => {
      if (!queries) {
        const { at, inside } = scores.quad(quad, scores.sizes.k);
        return scores.masked(scores.left(batch, f.held(ours[i]!), at), inside);
      }
      const index = space.add(space.mul(row, quads + 1), quad);
      return low.let(`q_${number}_${i}`, "f32", 4, { kind: "loadShared", array: queries, index }, [scores.id]);
    });
    for (const lane of [0, 1, 2, 3]) {
      const k = space.add(space.mul(quad, 4 * pitch), space.int(lane * pitch));
      const right = low.let(
        `k_${4 * number + lane}`,
        "f32",
        4,
        { kind: "loadShared", array: passing, index: space.add(k, tx) },
        [scores.id],
      );
      dots.forEach((dot, i) => scores.fma(dot, left[i]!, lane, right));
    }
  });
  return dots;
}

/** Scores of a further product: its keys pass through the same tile once those before have been read. */
function nextDots(band: Band, product: Product, iteration: Index, ours: readonly Index[], batch: Index): Reg[] {
  const { low } = band.f;
  low.barrier();
  low.comment("The next product's keys.");
  for (const load of product.loads) stage(band, load, load.fetch(iteration), product.scores);
  low.barrier();
  return dotProducts(band, product, ours, batch);
}

/** Steps written out at a time, measured: what leaves the instruction cache or the registers runs at half the speed. */
const writtenOut = ({ rm }: FlashTile): number => (rm < 4 ? 12 : 4);

/** Visits 0 … `count` − 1: written out where they are few, else in a loop over parts of the same length. */
function inParts({ f, tile }: Band, count: number, name: string, visit: (at: Index, number: number) => void): void {
  const { low, space } = f;
  const most = count <= 2 * writtenOut(tile) ? count : writtenOut(tile);
  const length = Array.from({ length: most }, (_, i) => most - i).find((each) => count % each === 0)!;
  const part = (first: Index): void => {
    for (let i = 0; i < length; i++) visit(space.add(first, space.int(i)), i);
  };
  if (length === count) part(space.int(0));
  else low.loop(name, count / length, (iteration) => part(space.mul(iteration, length)));
}

/** Where the threads of a row meet. */
function shareOf({ f, tile, tx }: Band, parts: SharedParts, row: Index): Share {
  const { space } = f;
  const count = flashAcross(tile) / 4;
  const at = (cell: Index): Index => space.add(space.mul(row, count), cell);
  const cells = Array.from({ length: count }, (_, c) => at(space.int(c)));
  return { parts, index: at(space.div(tx, 4)), lane: space.mod(tx, 4), cells };
}

/** This thread's highest score, for the others. */
function offerTop({ f }: Band, state: OnlineSoftmaxState, point: Quad, share: Share | null): void {
  const value = state.highest([point]);
  if (value === null || !share) return;
  f.low.emit({
    kind: "storeShared",
    array: share.parts.first,
    index: share.index,
    value,
    lane: share.lane,
    nodes: [f.parts.peak!],
  });
}

/** The row's new peak; what was summed under the old one is rescaled. */
function takeTop({ f }: Band, state: OnlineSoftmaxState, results: readonly Reg[], share: Share | null): void {
  const { low, parts } = f;
  if (parts.peak === null || !share) return;
  const seen = share.cells.map((index): Value =>
    low.let("seen", "f32", 4, { kind: "loadShared", array: share.parts.first, index }, [parts.peak!]),
  );
  const factor = state.raise(state.lanes(seen.reduce((a, b) => state.higher(a, b, 4)) as Reg));
  state.rescaleFolds(factor);
  f.rescale(results, factor);
}

/** What the chunk comes to: of each row its peak and its folds, and the results under that peak. */
function leaveParts(
  { f, batch, chunk, top, rows, tx }: Band,
  state: readonly OnlineSoftmaxState[],
  results: readonly (readonly Reg[])[],
  units: readonly Index[],
  shares: readonly Share[],
): void {
  const { low, space, sizes, job } = f;
  low.comment("The threads of a row join what they summed; the chunk's part is left for the next kernel.");
  const folds = foldsOf(state, shares.length > 0 ? shares : null).map((own, i) => [...state[i]!.peakFold(), ...own]);
  const partials = new Partials(low, job, folds[0]!);
  rows.forEach((own, i) => {
    const row = space.add(top, own);
    low.branch(space.and(space.less(row, sizes.m), space.less(tx, 1)), () => {
      const linear = space.add(space.mul(batch, sizes.m), f.held(row));
      for (const acc of folds[i]!) partials.store(acc, chunk, linear);
    });
    units.forEach((unit, t) => f.values.leave(results[i]![t]!, chunk, batch, row, unit));
  });
}

/** A fold of each row's results over the threads that share them: from here on every one of them knows it. */
function foldResults(
  { f, batch, top, rows }: Band,
  id: NodeId,
  state: readonly OnlineSoftmaxState[],
  results: readonly (readonly Reg[])[],
  units: readonly Index[],
  shares: readonly Share[],
): void {
  const { low, space, sizes } = f;
  const parts = state.map((row, i) => {
    row.enter();
    const fold = accumulator(low, id, 4, `_${i}`);
    units.forEach((unit, t) => f.foldResult(fold, results[i]![t]!, batch, space.add(top, rows[i]!), unit));
    return { ...foldLanes(low, fold), share: shares[i]! };
  });
  joined(low, parts).forEach((whole, i) =>
    state[i]!.complete(sizes.width, [{ ...parts[i]!, ...whole, settled: true }]),
  );
}

/** Four columns of the weights times four rows of the values. */
function addValues(
  band: Band,
  results: readonly (readonly Reg[])[],
  units: readonly Index[],
  quad: Index,
  number: number,
): void {
  const { f, rows, passing, weights, pitch } = band;
  const { low, space, sizes, values } = f;
  const width = fours(sizes.width);
  const left = rows.map((row, i) =>
    low.let(
      `w_${number}_${i}`,
      "f32",
      4,
      { kind: "loadShared", array: weights, index: space.add(space.mul(row, pitch), quad) },
      [values.id],
    ),
  );
  for (const lane of [0, 1, 2, 3]) {
    const k = space.add(space.mul(quad, 4 * width), space.int(lane * width));
    const right = units.map((unit, t) => {
      const index = space.add(k, space.clamp(unit, width - 1));
      return low.let(`v_${4 * number + lane}_${t}`, "f32", 4, { kind: "loadShared", array: passing, index }, [
        values.id,
      ]);
    });
    results.forEach((row, i) => row.forEach((acc, t) => values.fma(acc, left[i]!, lane, right[t]!)));
  }
}
