/** @file The position in a kernel's WGSL that the GPU's compiler refused in the last run. */
import type { Kernel } from "../../../fusion";
import type { RunState } from "../../../state";

export interface Refused {
  /** 1-based; 1 where the compiler names no line. */
  readonly line: number;
  readonly column: number;
  readonly text: string;
}

/** Null for a kernel that was not refused, or whose code is another by now. */
export function refusedAt(kernel: Kernel, run: RunState): Refused | null {
  if (run.status !== "failed" || run.problem.code !== "shader-rejected" || run.problem.wgsl !== kernel.wgsl)
    return null;
  const { line = 1, column = 1, text } = run.problem;
  return { line, column, text };
}
