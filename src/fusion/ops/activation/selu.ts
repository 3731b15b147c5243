import { UP } from "../algebra";
import { EXPONENTIAL, unary } from "../families";
import { floatLiteral } from "../wgsl";
import { expm1Helper } from "../wgsl-helpers";

const ALPHA = 1.6732632423543772;
const SCALE = 1.0507009873554805;

export const selu = unary({
  name: "selu",
  activation: ["selu"],
  doc: { formula: "λ · elu(x, α)", teaches: "Its two constants keep mean and variance fixed through deep chains." },
  dtype: "float",
  weightedFlops: 15,
  work: 33,
  expensive: true,
  tolerance: EXPONENTIAL,
  derivative: {
    partials: ({ inputs: [x], output, of }) => [
      of("where", [of("gt", [x!, 0]), SCALE, of("add", [output, SCALE * ALPHA])]),
    ],
  },
  algebra: { keepsZero: true, monotone: [UP] },
  scalar: {
    js: (x) => SCALE * (x > 0 ? x : ALPHA * Math.expm1(x)),
    wgsl: (x, t) =>
      `select(${floatLiteral(SCALE * ALPHA)} * ${t.call("expm1", x)}, ${floatLiteral(SCALE)} * ${x}, ${x} > ${t.num(0)})`,
    helpers: [expm1Helper],
  },
});
