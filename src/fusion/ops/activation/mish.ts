import { EXPONENTIAL, unary } from "../families";
import { mishHelper } from "../wgsl-helpers";

export const mish = unary({
  name: "mish",
  onnx: "Mish",
  activation: ["mish"],
  doc: {
    formula: "x · tanh(softplus(x))",
    teaches: "With n = eˣ it is x(n² + 2n) / (n² + 2n + 2): one exponential instead of three.",
  },
  dtype: "float",
  weightedFlops: 20,
  work: 24,
  expensive: true,
  tolerance: EXPONENTIAL,
  derivative: {
    partials({ inputs: [x], of }) {
      const bend = of("tanh", [of("softplus", [x!])]);
      const rise = of("mul", [of("mul", [x!, of("sub", [1, of("square", [bend])])]), of("sigmoid", [x!])]);
      return [of("add", [bend, rise])];
    },
  },
  scalar: {
    js: (x) => x * Math.tanh(Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)))),
    wgsl: (x, t) => t.call("mish", x),
    helpers: [mishHelper],
  },
});
