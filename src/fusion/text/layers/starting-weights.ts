/** @file Where the numbers of a layer's weights come from before any training. */
import type { Attrs, Shape } from "../../ir";

/** As PyTorch starts a layer that sums over `fanIn` products: uniform within ±1/√fanIn, so that results stay near 1. */
export function startingWeights(fanIn: number): Attrs {
  const most = 1 / Math.sqrt(Math.max(1, fanIn));
  return { source: "uniform", lo: -most, hi: most };
}

/** Scales of norms: near 1, and no two alike. */
export const SCALE: Attrs = { source: "uniform", lo: 0.5, hi: 1.5 };
/** Shifts of norms: near 0, and no two alike. */
export const SHIFT: Attrs = { source: "uniform", lo: -0.5, hi: 0.5 };

/** A weight of which only the shape is known: vectors like scales, matrices like those of a layer that multiplies by them. */
export const startingAs = (shape: Shape): Attrs =>
  shape.length < 2 ? SCALE : startingWeights(Math.max(shape.at(-1)!, shape.at(-2)!));

/** Where training begins: scales of norms leave what they meet, and shifts add nothing. */
export const UNIT: Attrs = { source: "ones" };
export const NOTHING: Attrs = { source: "zeros" };

/** As flax and haiku start a matrix that sums over `fanIn` products. */
export const lecunNormal = (fanIn: number): Attrs => ({ source: "randn", std: 1 / Math.sqrt(Math.max(1, fanIn)) });
