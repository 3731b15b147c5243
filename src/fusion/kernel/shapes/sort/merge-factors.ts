/** @file Long rows in order by runs that a workgroup sorts and kernels merge two by two: how long a run is, in how many threads, and what each kernel takes. */
import type { Knobs } from "../../../ir";
import { MAX_SORTED } from "../../../ops";
import type { Machine } from "../../nest/nest";
import { START } from "../../nest/price";
import { THREADS } from "../../nest/waves";
import { networkMicros } from "./network-price";
import { sumOf } from "./sort-factors";

/** Rows whose runs are merged. */
export interface MergeShape {
  readonly rows: number;
  readonly columns: number;
  /** How many of the first are wanted. */
  readonly count: number;
  /** Whether somebody asks where an element stood. */
  readonly indices: boolean;
  /** Elements of the row in order that each element of the results is made of: the last kernel searches for each of them. */
  readonly searches: number;
}

export interface MergeFactors {
  /** Elements that a workgroup sorts. */
  readonly run: number;
  readonly threads: number;
}

/** What one kernel of a merged order leaves of each row: runs, each of them in order. */
export interface OrderStage {
  readonly runs: number;
  /** Elements of every run but the last, which may be shorter. */
  readonly run: number;
  /** Elements of all of them. */
  readonly length: number;
}

/**
 * Stages of a row of `columns` elements whose first `count` are wanted: the runs of the first kernel, then of each merge; one run is left.
 * @param sorted elements of each run that the first kernel sorts
 */
export function orderStages({ columns, count }: Pick<MergeShape, "columns" | "count">, sorted: number): OrderStage[] {
  let runs = Math.ceil(columns / sorted);
  let run = Math.min(sorted, count);
  let last = Math.min(columns - (runs - 1) * sorted, count);
  const stages: OrderStage[] = [{ runs, run, length: (runs - 1) * run + last }];
  while (runs > 1) {
    // A run without a partner goes on as it is.
    if (runs % 2 === 0) last = Math.min(count, run + last);
    run = Math.min(count, 2 * run);
    runs = Math.ceil(runs / 2);
    stages.push({ runs, run, length: (runs - 1) * run + last });
  }
  return stages;
}

/** Bytes that each kernel but the last leaves to the next. */
export const handedOver = (shape: MergeShape, run: number): number[] =>
  orderStages(shape, run)
    .slice(0, -1)
    .map(({ length }) => shape.rows * length * (shape.indices ? 8 : 4));

/** µs of a step of a search whose keys a cache holds: with nobody else to wait for, and where every multiprocessor has all threads it can. */
const STEP_ALONE = 0.125;
const STEP_FULL = 0.3;

/** A search for another element than the thread's own, in steps of that: its neighbours search elsewhere. */
const ELSEWHERE = 2.1;

/** µs in which each of so many threads searches two runs of this length for the element of its own index. */
const mergeMicros = (elements: number, run: number, machine: Machine): number =>
  START +
  Math.ceil(Math.log2(Math.max(2, run))) *
    Math.max(STEP_ALONE, (STEP_FULL * elements) / (machine.multiprocessors * THREADS));

/** µs of each kernel that sorts runs or merges them, without launches. */
export function mergedMicros(shape: MergeShape, { run, threads }: MergeFactors, machine: Machine): number[] {
  const { rows, columns, indices, searches } = shape;
  const stages = orderStages(shape, run);
  const runs = { rows: rows * stages[0]!.runs, columns: run, retained: 0, indices, count: run };
  const left = handedOver(shape, run);
  return stages.map(({ length }, i) => {
    const moved = (i === 0 ? 4 * rows * columns : left[i - 1]!) + (left[i] ?? 0);
    const merged = (): number =>
      mergeMicros(rows * length, stages[i - 1]!.run, machine) *
      (i === stages.length - 1 ? 1 + ELSEWHERE * (searches - 1) : 1);
    const sorted = i === 0 ? networkMicros(runs, threads, 1, machine) : merged();
    return sorted + (moved / machine.bandwidth) * 1e6;
  });
}

const RUNS = [256, 512, 1024, MAX_SORTED];
const WORKGROUPS = [64, 128, 256, 512, 1024];

/** The factors of least price: short runs keep more multiprocessors busy, and take more merges. */
export function mergeFactors(shape: MergeShape, machine: Machine, knobs: Knobs): MergeFactors {
  const runs = knobs.run === undefined ? RUNS : [Number(knobs.run)];
  const sizes =
    knobs.threads === undefined
      ? WORKGROUPS.filter((threads) => threads <= machine.maxThreads)
      : [Number(knobs.threads)];
  let best: MergeFactors | null = null;
  let least = Infinity;
  for (const run of runs)
    for (const threads of sizes.filter((each) => each <= run / 2 || sizes.length === 1)) {
      const micros = mergedMicros(shape, { run, threads }, machine);
      const whole = sumOf(micros) + micros.length * machine.launchMicros;
      if (whole < least) [best, least] = [{ run, threads }, whole];
    }
  return best!;
}
