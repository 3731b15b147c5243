/** @file A loop along rows: a thread owns an element of what is carried and goes through all rows. */
import type { Machine } from "../nest";
import { LOAD, LOOPED, START, takenMicros, WARP } from "../price";

export interface RowLoopShape {
  /** Elements of what is carried: one thread each. */
  readonly elements: number;
  readonly iterations: number;
  /** Loads and stores of an element in one iteration; ops that wait for one another there. */
  readonly loads: number;
  readonly ops: number;
  readonly registers: number;
}

/** µs from an op to the next that needs its value. */
const OP = 0.004;

/** µs of all iterations, without the launch. No iteration knows what it carries before the one ahead of it is done; its loads are under way. */
export function rowLoopMicros(shape: RowLoopShape, threads: number, machine: Machine): number {
  const { elements, iterations, loads, ops, registers } = shape;
  const each = Math.max((Math.max(1, loads) * LOAD) / LOOPED / 4, ops * OP);
  return takenMicros(
    {
      workgroups: Math.ceil(elements / threads),
      threads,
      registers,
      bytes: 0,
      moved: 4 * elements * iterations * loads,
      lines: (elements / WARP) * iterations * loads,
      shared: 0,
      alone: START + LOAD + iterations * each,
    },
    machine,
  );
}

const THREADS = [32, 64, 128, 256];

/** Threads of a workgroup for the least price. */
export function rowLoopThreads(shape: RowLoopShape, machine: Machine): number {
  const offered = THREADS.filter((threads) => threads <= machine.maxThreads);
  const micros = offered.map((threads) => rowLoopMicros(shape, threads, machine));
  return offered[micros.indexOf(Math.min(...micros))] ?? machine.maxThreads;
}
