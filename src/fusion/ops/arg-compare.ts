/** @file Which of two values argmax and argmin prefer: NaN before every number, as NumPy, PyTorch and JAX have it. */
import type { ArgCompare } from "./define";
import { isInteger } from "./wgsl";
import { argCompareHelper } from "./wgsl-helpers";

function argCompare(helper: "above" | "below", sign: ">" | "<"): ArgCompare {
  const way = sign === ">" ? 1 : -1;
  return {
    js: (a, b) => way * a > way * b || (Number.isNaN(a) && !Number.isNaN(b)),
    wgsl: (a, b, t) => (isInteger(t) ? `(${a} ${sign} ${b})` : t.call(helper, a, b)),
    helpers: [argCompareHelper(helper, sign)],
  };
}

export const largest = argCompare("above", ">");
export const smallest = argCompare("below", "<");
