/** @file Flash attention with one thread per row or two: no workgroup memory, four columns at a time. For CPU adapters. */
import { programOf, threadPerItem, type Job } from "../../../emit/kernel-frame";
import type { Index } from "../../../emit/index-space";
import { literal, type KernelProgram, type Reg, type SharedArray, type Value } from "../../../emit/kernel-ir";
import { accumulator, foldLanes } from "../../../emit/accumulate";
import type { Contraction } from "../../matmul/write/contraction";
import { Flash } from "./flash";
import { completeRows } from "./workgroup-row-reduce";

/** Variant `flash-thread`. */
export function lowerFlashThread(job: Job): KernelProgram {
  const f = new Flash(job);
  const { low, space, sizes } = f;
  const perThread = job.schedule.flash!.rm;
  const bands = Math.ceil(sizes.m / perThread);
  const grid = threadPerItem(low, sizes.batch * bands, job.schedule.threadsPerWorkgroup, job.target, "band");
  const batch = low.bind("batch", space.div(grid.index, bands));
  const top = low.bind("top", space.mul(space.mod(grid.index, bands), perThread));
  const rows = Array.from({ length: perThread }, (_, i) => space.add(top, space.int(i)));
  const width = Math.ceil(sizes.width / 4);
  const results = low.threadArray("results", "f32", perThread * width, 4);
  const state = rows.map((_, i) => f.row(`_${i}`));
  const walk = (quad: Index): void => {
    const dots = f.scores.map((scores) => dotProducts(f, scores, batch, rows, quad));
    const shares = rows.map((row, i): Share => {
      const point = f.quad(
        batch,
        row,
        quad,
        dots.map((each) => each[i]!),
      );
      const peak = state[i]!.highest([point]);
      const factor = peak === null ? null : state[i]!.raise(peak);
      if (factor) state[i]!.rescaleFolds(factor);
      state[i]!.fold([point]);
      const weights = state[i]!.weights(point);
      state[i]!.commitPeak();
      return { weights, factor };
    });
    low.loop("column", width, (column) => addValues(f, results, shares, batch, quad, column, width));
  };
  low.loop("quad", Math.ceil(sizes.n / 4), (quad) =>
    low.branch(f.sees(space.mul(quad, 4), 4, top, perThread), () => walk(quad)),
  );
  const last = completeRows(state, sizes.n, null);
  rows.forEach((row, i) => {
    const own = (column: Index): Reg => {
      const index = space.add(space.int(i * width), column);
      const sum = low.let(`sum_${i}`, "f32", 4, { kind: "loadShared", array: results, index }, [f.values.id]);
      const acc = low.variable(`o_${i}`, "f32", 4, sum, [f.values.id]);
      if (last[i]) f.rescale([acc], last[i]);
      return acc;
    };
    state[i]!.enter();
    for (const id of f.parts.resultFolds) {
      const fold = accumulator(low, id, 4, `_${i}`);
      low.loop("column", width, (column) => f.foldResult(fold, own(column), batch, row, column));
      state[i]!.complete(sizes.width, [foldLanes(low, fold)]);
      state[i]!.enter();
    }
    f.storeRow(batch, row, { kind: "always" });
    low.loop("column", width, (column) => f.store(batch, row, [own(column)], [column]));
  });
  return programOf(low, job, {
    template: "flash",
    schedule: `One thread per ${perThread === 1 ? "row" : `${perThread} rows`}, four columns at a time; results stay with the thread.`,
    workgroupSize: grid.workgroupSize,
    workgroups: grid.workgroups,
  });
}

/** Four weights of a row, and what its results are multiplied by before they are added. */
interface Share {
  readonly weights: Value;
  readonly factor: Value | null;
}

/** Four rows of the values, one vector column of them, into every row's results. */
function addValues(
  f: Flash,
  results: SharedArray,
  shares: readonly Share[],
  batch: Index,
  quad: Index,
  column: Index,
  width: number,
): void {
  const { low, space, sizes, values } = f;
  const nodes = [values.id];
  const at = values.quad(column, sizes.width).at;
  const right = [0, 1, 2, 3].map((lane) => {
    const k = space.clamp(space.add(space.mul(quad, 4), space.int(lane)), sizes.n - 1);
    return values.right(batch, k, at);
  });
  shares.forEach(({ weights, factor }, i) => {
    const index = space.add(space.int(i * width), column);
    const own = low.let(`own_${i}`, "f32", 4, { kind: "loadShared", array: results, index }, nodes);
    const acc = low.variable(`o_${i}`, "f32", 4, own, nodes);
    if (factor) f.rescale([acc], factor);
    right.forEach((value, lane) => values.fma(acc, weights, lane, value));
    low.emit({ kind: "storeShared", array: results, index, value: acc, lane: null, nodes });
  });
}

/** Four scores of each row. */
function dotProducts(f: Flash, scores: Contraction, batch: Index, rows: readonly Index[], quad: Index): Reg[] {
  const { low, space, sizes } = f;
  const head = scores.sizes.k;
  const dots = rows.map((_, i) => low.variable(`s_${i}`, "f32", 4, literal(0, "f32"), [scores.id]));
  const n = scores.quad(quad, sizes.n).at;
  const byFours = head % 4 === 0 && scores.alongK(0);
  const transposed = byFours && scores.alongK(1);
  low.loop("k", byFours ? head / 4 : head, (k) => {
    if (!byFours) {
      const right = scores.right(batch, k, n);
      dots.forEach((dot, i) => scores.fma(dot, scores.left(batch, f.held(rows[i]!), k), null, right));
      return;
    }
    const first = space.mul(k, 4);
    const left = rows.map((row) => scores.left(batch, f.held(row), space.add(first, space.of(space.lane))));
    const rights = transposed ? transposedKeys(f, scores, batch, quad, first) : null;
    for (const lane of [0, 1, 2, 3]) {
      const right = rights?.[lane] ?? scores.right(batch, space.add(first, space.int(lane)), n);
      dots.forEach((dot, i) => scores.fma(dot, left[i]!, lane, right));
    }
  });
  return dots;
}

/** Four keys at four inner indices, loaded key by key and handed out index by index. */
function transposedKeys(f: Flash, scores: Contraction, batch: Index, quad: Index, first: Index): Reg[] {
  const { low, space, sizes } = f;
  const keys = [0, 1, 2, 3].map((c) => {
    const n = space.clamp(space.add(space.mul(quad, 4), space.int(c)), sizes.n - 1);
    return scores.right(batch, space.add(first, space.of(space.lane)), n);
  });
  return [0, 1, 2, 3].map((lane) => {
    const parts = keys.map((key) => low.part(key, lane, [scores.id]));
    return low.let("keys", "f32", 4, { kind: "pack", parts }, [scores.id]);
  });
}
