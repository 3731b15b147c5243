/** @file What the page asks of every library: a program made ready on the GPU, run a number of times, and its results. */
import type { Compilation } from "../../src/fusion";
import type { PageProgram } from "./programs";

/** A program with its inputs in the order of its text, and the shapes of its results. */
export interface Task {
  readonly program: PageProgram;
  readonly compilation: Compilation;
  readonly inputs: readonly { readonly name: string; readonly shape: readonly number[]; readonly data: Float32Array }[];
  readonly outputs: readonly (readonly number[])[];
}

/** A program that is ready on the GPU. */
export interface Ready {
  /** Runs it `count` times, one after the other. @returns ms from the first submit until the GPU has finished */
  run(count: number): Promise<number>;
  /** Its results, row-major, in the order of the text. */
  results(): Promise<Float32Array[]>;
  close(): Promise<void>;
}

export interface Contender {
  readonly name: string;
  readonly version: string;
  /** Throws where the library can't run the program; the page says so instead. */
  prepare(task: Task): Promise<Ready>;
}

/** ms that `work` takes. */
export async function clocked(work: () => Promise<void>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}
