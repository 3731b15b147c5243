import { UP } from "../algebra";
import { EXPONENTIAL, number, unary } from "../families";
import { expm1Helper } from "../wgsl-helpers";
import type { Attrs } from "../../ir";
import { numberOf } from "../shapes";

const alpha = (attrs: Attrs): number => numberOf(attrs["alpha"], 1);

export const elu = unary({
  name: "elu",
  floatsInTorch: true,
  activation: ["elu"],
  doc: {
    formula: "x if x > 0 else α(eˣ − 1)",
    teaches: "Smooth below 0, the identity above; both sides are computed.",
  },
  dtype: "float",
  attrs: [number("alpha", 1, "Depth below 0.")],
  weightedFlops: 14,
  work: 33,
  expensive: true,
  tolerance: EXPONENTIAL,
  derivative: {
    partials: ({ inputs: [x], output, attrs, of }) => [
      of("where", [of("gt", [x!, 0]), 1, of("add", [output, alpha(attrs)])]),
    ],
  },
  algebra: { keepsZero: true, monotone: [{ ...UP, given: (attrs) => alpha(attrs) >= 0 }] },
  scalar: {
    js: (x, attrs) => (x > 0 ? x : alpha(attrs) * Math.expm1(x)),
    wgsl: (x, t, attrs) => `select(${t.num(alpha(attrs))} * ${t.call("expm1", x)}, ${x}, ${x} > ${t.num(0)})`,
    helpers: [expm1Helper],
  },
});
