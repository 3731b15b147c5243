/** @file Which of two values argmax and argmin keep: NaN before every number, as NumPy, PyTorch and JAX have it. */
import type { Outranking } from "./define";
import { isInteger } from "./wgsl";
import { outranks } from "./wgsl-helpers";

function outranking(helper: "above" | "below", sign: ">" | "<"): Outranking {
  const way = sign === ">" ? 1 : -1;
  return {
    js: (a, b) => way * a > way * b || (Number.isNaN(a) && !Number.isNaN(b)),
    wgsl: (a, b, t) => (isInteger(t) ? `(${a} ${sign} ${b})` : t.call(helper, a, b)),
    helpers: [outranks(helper, sign)],
  };
}

export const largest = outranking("above", ">");
export const smallest = outranking("below", "<");
