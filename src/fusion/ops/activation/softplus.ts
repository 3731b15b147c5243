import { UP } from "../algebra";
import { LOGARITHM, unary } from "../families";
import { LOG1P } from "../wgsl-helpers";

export const softplus = unary({
  name: "softplus",
  floatsInTorch: true,
  onnx: "Softplus",
  doc: { formula: "ln(1 + eˣ)", teaches: "Written so that neither end overflows: max(x, 0) + log1p(e^−|x|)." },
  dtype: "float",
  weightedFlops: 20,
  work: 40,
  expensive: true,
  tolerance: LOGARITHM,
  derivative: { partials: ({ inputs: [x], of }) => [of("sigmoid", [x!])] },
  algebra: { range: "positive", monotone: [UP] },
  scalar: {
    js: (x) => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x))),
    wgsl: (x, t) => `max(${x}, ${t.num(0)}) + ${t.call("log1p", `exp(-abs(${x}))`)}`,
    helpers: [...LOG1P],
  },
});
