/** @file Refusals of the machine, and the sentences people read about them. */
import type { GpuProblem, GpuProblemCode, Outcome } from "./types";

export type Failed = { readonly ok: false; readonly problem: GpuProblem };

/** For a value that was got. */
export const done = <T>(value: T): Outcome<T> => ({ ok: true, value });

/** For a refusal with words of its own. */
export const fail = (code: GpuProblemCode, text: string, more: Partial<GpuProblem> = {}): Failed => ({
  ok: false,
  problem: { code, text, ...more },
});

/** The refusals that need no further detail. */
export const refusals = {
  insecureOrigin: () =>
    fail("insecure-origin", "This page came over plain http. Open it on localhost or https to run."),
  noWebgpu: () =>
    fail(
      "no-webgpu",
      "This browser has no WebGPU. The graph, the counts and the WGSL still work; open the page in a current Chrome or Edge to run.",
    ),
  noAdapter: () =>
    fail(
      "no-adapter",
      "The browser has WebGPU but found no GPU it may use. Check that graphics acceleration is on in the browser's settings and that the driver is not blocked (chrome://gpu).",
    ),
  neverAnswered: () =>
    fail("timeout", "The browser did not answer within 5 seconds when asked for a GPU. Restart the browser."),
  wentAway: () => fail("device-lost", "The GPU went away. Your program is safe; run again."),
  reload: () =>
    fail("device-lost", "The GPU went away again. Your program is safe; reload the page.", { reload: true }),
  poisoned: () =>
    fail(
      "timeout",
      "A kernel on the GPU does not finish. Your program is saved: close this tab, or restart the browser.",
      { reload: true },
    ),
  cancelled: () => fail("cancelled", "Stopped before there was a result."),
} as const;
