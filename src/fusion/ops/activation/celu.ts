import { UP } from "../algebra";
import { EXPONENTIAL, number, unary } from "../families";
import { expm1Helper } from "../wgsl-helpers";
import type { Attrs } from "../../ir";
import { numberOf } from "../shapes";

const alpha = (attrs: Attrs): number => numberOf(attrs["alpha"], 1);

export const celu = unary({
  name: "celu",
  doc: { formula: "max(x, 0) + min(0, α(e^(x/α) − 1))", teaches: "An elu whose slope is continuous for every α." },
  dtype: "float",
  attrs: [number("alpha", 1, "Depth below 0.")],
  weightedFlops: 18,
  work: 33,
  expensive: true,
  tolerance: EXPONENTIAL,
  derivative: {
    partials: ({ inputs: [x], attrs, of }) => [
      of("where", [of("gt", [x!, 0]), 1, of("exp", [of("div", [x!, alpha(attrs)])])]),
    ],
  },
  algebra: { keepsZero: true, monotone: [{ ...UP, given: (attrs) => alpha(attrs) >= 0 }] },
  scalar: {
    js: (x, attrs) => Math.max(x, 0) + Math.min(0, alpha(attrs) * Math.expm1(x / alpha(attrs))),
    wgsl: (x, t, attrs) =>
      `select(${t.num(alpha(attrs))} * ${t.call("expm1", `${x} / ${t.num(alpha(attrs))}`)}, ${x}, ${x} > ${t.num(0)})`,
    helpers: [expm1Helper],
  },
});
