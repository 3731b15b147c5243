/** @file Flash attention with one thread per row or two: no workgroup memory, four columns at a time. For CPU adapters. */
import { programOf, threadPerItem, type Job } from "../frame";
import type { Index } from "../index-space";
import { literal, type KernelProgram, type Reg, type Value } from "../kernel-ir";
import { Flash } from "./flash";

/** Variant `flash-thread`. */
export function lowerFlashThread(job: Job): KernelProgram {
  const f = new Flash(job);
  const { low, space, sizes, values } = f;
  const perThread = job.schedule.flash!.rm;
  const bands = Math.ceil(sizes.m / perThread);
  const grid = threadPerItem(low, sizes.batch * bands, job.schedule.threadsPerWorkgroup, job.target, "band");
  const batch = low.bind("batch", space.div(grid.index, bands));
  const top = low.bind("top", space.mul(space.mod(grid.index, bands), perThread));
  const rows = Array.from({ length: perThread }, (_, i) => space.add(top, space.int(i)));
  const units = Array.from({ length: Math.ceil(sizes.width / 4) }, (_, t) => space.int(t));
  const state = rows.map((_, i) => f.row(`_${i}`));
  const results = rows.map((_, i) => units.map((__, t) => f.result(`o_${i}_${t}`)));
  low.loop("quad", Math.ceil(sizes.n / 4), (quad) => {
    const dots = f.scores ? dotProducts(f, batch, rows, quad) : null;
    const points = rows.map((row, i) => f.quad(batch, row, quad, dots?.[i] ?? null));
    const weights = rows.map((_, i): Value => {
      const top = state[i]!.highest([points[i]!]);
      if (top !== null) {
        const fade = state[i]!.raise(top);
        state[i]!.fadeFolds(fade);
        f.fade(results[i]!, fade);
      }
      state[i]!.fold(points[i]!);
      const weight = state[i]!.weights(points[i]!);
      state[i]!.settle();
      return weight;
    });
    for (const lane of [0, 1, 2, 3]) {
      const k = space.clamp(space.add(space.mul(quad, 4), space.int(lane)), sizes.n - 1);
      units.forEach((unit, t) => {
        const right = values.right(batch, k, values.quad(unit, sizes.width).at);
        results.forEach((row, i) => values.fma(row[t]!, weights[i]!, lane, right));
      });
    }
  });
  rows.forEach((row, i) => {
    state[i]!.complete(sizes.n, null);
    f.store(batch, row, results[i]!, units, null);
  });
  return programOf(low, job, {
    template: "flash",
    schedule: `One thread per ${perThread === 1 ? "row" : `${perThread} rows`}, four columns at a time; results stay in registers.`,
    workgroupSize: grid.workgroupSize,
    workgroups: grid.workgroups,
  });
}

/** Four scores of each row. */
function dotProducts(f: Flash, batch: Index, rows: readonly Index[], quad: Index): Reg[] {
  const { low, space, sizes } = f;
  const scores = f.scores!;
  const dots = rows.map((_, i) => low.variable(`s_${i}`, "f32", 4, literal(0, "f32"), [scores.id]));
  const n = scores.quad(quad, sizes.n).at;
  const byFours = sizes.head % 4 === 0 && scores.alongK(0);
  low.loop("k", byFours ? sizes.head / 4 : sizes.head, (k) => {
    if (!byFours) {
      const right = scores.right(batch, k, n);
      dots.forEach((dot, i) => scores.fma(dot, scores.left(batch, f.held(rows[i]!), k), null, right));
      return;
    }
    const first = space.mul(k, 4);
    const left = rows.map((row) => scores.left(batch, f.held(row), space.add(first, space.of(space.lane))));
    for (const lane of [0, 1, 2, 3]) {
      const right = scores.right(batch, space.add(first, space.int(lane)), n);
      dots.forEach((dot, i) => scores.fma(dot, left[i]!, lane, right));
    }
  });
  return dots;
}
