/** @file The threads of a workgroup in lock-step: who runs a statement, and how many iterations a loop has. */
import type { Loop, Stmt } from "../emit/kernel-ir";
import type { Indices } from "./indices";

export type NumberOf = (thread: number, lane: number) => number;
export type Test = (thread: number) => boolean;
/** Threads that run a statement. */
export interface Active {
  readonly list: Int32Array;
  count: number;
}
export type Run = (active: Active) => void;

export const nobody = (threads: number): Active => ({ list: new Int32Array(threads), count: 0 });

/** A statement that every thread runs for itself. */
export const each =
  (work: (thread: number) => void): Run =>
  ({ list, count }) => {
    for (let i = 0; i < count; i++) work(list[i]!);
  };

/** The threads of `from` that pass, into `to` (which may be the same). */
export function keep(from: Active, to: Active, test: Test): void {
  let count = 0;
  for (let i = 0; i < from.count; i++) {
    const thread = from.list[i]!;
    if (test(thread)) to.list[count++] = thread;
  }
  to.count = count;
}

/** Which subgroup each thread is of, where so many make one. */
export function subgroupsIn(
  { threads, peers, own, count }: Extract<Stmt, { kind: "subgroups" }>,
  indices: Indices,
  most: number,
): Run {
  const size = Math.min(most, threads);
  const [sizes, numbers, counts] = [peers, own, count].map((variable) => indices.cellsOf(variable));
  return each((thread) => {
    sizes![thread] = size;
    numbers![thread] = Math.floor(thread / size);
    counts![thread] = threads / size;
  });
}

/** The values that a loop's variable takes: the same for all threads. */
export interface Iterations {
  readonly first: (thread: number) => number;
  readonly next: (iteration: number) => number;
  readonly goesOn: (iteration: number, thread: number) => boolean;
}

export function iterationsOf(stmt: Loop, indices: Indices): Iterations {
  switch (stmt.kind) {
    case "for":
      return { first: () => 0, next: (iteration) => iteration + 1, goesOn: (iteration) => iteration < stmt.count };
    case "double": {
      const limit = indices.index(stmt.limit);
      return {
        first: () => 1,
        next: (iteration) => 2 * iteration,
        goesOn: (iteration, thread) => iteration < limit(thread, 0),
      };
    }
    case "range": {
      const [from, limit] = [indices.index(stmt.from), indices.index(stmt.limit)];
      return {
        first: (thread) => from(thread, 0),
        next: (iteration) => iteration + stmt.step,
        goesOn: (iteration, thread) => iteration < limit(thread, 0),
      };
    }
    case "halve": {
      const from = indices.index(stmt.from);
      return {
        first: (thread) => from(thread, 0),
        next: (iteration) => Math.floor(iteration / 2),
        goesOn: (iteration) => iteration > 0,
      };
    }
  }
}
