import { UP_EXACT } from "../algebra";
import { number, unary } from "../families";
import type { Attrs } from "../../ir";
import { numberOf } from "../shapes";

const slope = (attrs: Attrs): number => numberOf(attrs["negative_slope"], 0.01);

export const leakyRelu = unary({
  name: "leaky_relu",
  floatsInTorch: true,
  doc: { formula: "x if x ≥ 0 else slope · x", teaches: "Backward needs only the sign of x, one bit per element." },
  dtype: "float",
  attrs: [number("negative_slope", 0.01, "Slope below 0.", "slope", "alpha")],
  weightedFlops: 2,
  derivative: { partials: ({ inputs: [x], attrs, of }) => [of("where", [of("ge", [x!, 0]), 1, slope(attrs)])] },
  algebra: { keepsZero: true, monotone: [{ ...UP_EXACT, given: (attrs) => slope(attrs) >= 0 }] },
  scalar: {
    js: (x, attrs) => (x >= 0 ? x : slope(attrs) * x),
    wgsl: (x, t, attrs) => `select(${t.num(slope(attrs))} * ${x}, ${x}, ${x} >= ${t.num(0)})`,
  },
});
