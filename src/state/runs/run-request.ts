/** @file A run that somebody asked for: what it begins with, what is said of it, and the way back to the results before. */
import type { BenchProgress } from "../../gpu";
import type { SliceContext } from "../slices/slice-context";
import type { FinishedRun, RunState } from "../types";

/** A run that is under way; a newer one makes it stale. */
export interface RunRequest {
  readonly signal: AbortSignal;
  readonly previous: FinishedRun | null;
  /** The person knows that it takes long. */
  readonly sure: boolean;
  /** The fused plan alone. */
  readonly only?: "fused" | undefined;
  /** False once another run has begun. */
  latest(): boolean;
}

export const previousRun = (run: RunState): FinishedRun | null =>
  run.status === "done" ? run.run : run.status === "idle" ? null : run.previous;

/** Back to the results before, or to none. */
export const rest = (context: SliceContext, previous: FinishedRun | null): void =>
  context.set({ run: previous ? { status: "done", run: previous } : { status: "idle" } });

export const preparing = (text: string): BenchProgress => ({ fraction: 0, text, secondsLeft: null });

export const say = (context: SliceContext, request: RunRequest, text: string): void =>
  context.set({ run: { status: "running", progress: preparing(text), previous: request.previous } });
