/**
 * @file The loop nest of a kernel as data (docs/decisions/0012): loops split into factors, each with a part to play. Everything else,
 * from the number of workgroups to the order of a sum, is read from it.
 */

/** Who goes through a factor: workgroups, threads of one, lanes of a vector, statements written out, or a loop. */
export type Part = "grid" | "thread" | "serial" | "unrolled" | "vector";

export interface Factor {
  readonly part: Part;
  readonly extent: number;
}

/** A loop and what it is split into, outermost first. The product of the factors may be larger than the extent: a guard drops the rest. */
export interface Loop {
  readonly extent: number;
  readonly factors: readonly Factor[];
}

/** How often a part goes through a loop: the product of its factors there. */
export const extentOf = ({ factors }: Loop, part: Part): number =>
  factors.reduce((product, factor) => (factor.part === part ? product * factor.extent : product), 1);

/** What a kernel can't be on any machine: a loop that is not covered, vectors along two loops or of another width. Empty for a nest. */
export function nestProblems(loops: readonly Loop[]): string[] {
  const short = loops.flatMap(({ extent, factors }, i) => {
    const covered = factors.reduce((product, factor) => product * factor.extent, 1);
    return covered < extent ? [`loop ${i} of ${extent} is covered up to ${covered} only`] : [];
  });
  const widths = loops.map((loop) => extentOf(loop, "vector")).filter((width) => width > 1);
  const whole = loops.every(({ extent, factors }) =>
    factors.every((factor) => Number.isInteger(factor.extent) && factor.extent >= Math.min(1, extent)),
  );
  return [
    ...short,
    ...(whole ? [] : ["a factor is no positive whole number"]),
    ...(widths.length > 1 ? ["two loops lie along the lanes of a vector"] : []),
    ...(widths.some((width) => width !== 4) ? ["a vector has four lanes"] : []),
  ];
}

/** What a machine allows a workgroup, and what decides how fast kernels are on it. */
export interface Machine {
  /** `threads`: workgroups of threads that meet at barriers. `alone`: each thread by itself, as on a CPU. */
  readonly sharing: "threads" | "alone";
  readonly maxThreads: number;
  /** Bytes of workgroup memory. */
  readonly maxBytes: number;
  readonly multiprocessors: number;
  /** Bytes/s from memory. */
  readonly bandwidth: number;
  /** Bytes of the cache that all multiprocessors share. */
  readonly l2Bytes: number;
  readonly launchMicros: number;
  /** Threads side by side that are of one subgroup on it, whichever it chooses; absent: nobody knows of more than one. */
  readonly peers?: number;
}
