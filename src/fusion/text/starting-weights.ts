/** @file Where the numbers of a layer's weights come from before any training. */
import type { Attrs } from "../ir";

/** As PyTorch starts a layer that sums over `fanIn` products: uniform within ±1/√fanIn, so that results stay near 1. */
export function startingWeights(fanIn: number): Attrs {
  const most = 1 / Math.sqrt(Math.max(1, fanIn));
  return { source: "uniform", lo: -most, hi: most };
}
