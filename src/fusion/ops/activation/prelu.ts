import { binary } from "../families";

export const prelu = binary({
  name: "prelu",
  doc: {
    formula: "a if a ≥ 0 else b · a",
    teaches: "A leaky ReLU whose slope is learned: the slope is one more operand to read.",
  },
  dtype: "float",
  weightedFlops: 2,
  derivative: {
    partials: ({ inputs: [x, w], of }) => [of("where", [of("ge", [x!, 0]), 1, w!]), of("minimum", [x!, 0])],
  },
  scalar: { js: (a, b) => (a >= 0 ? a : a * b), wgsl: (a, b, t) => `select(${a} * ${b}, ${a}, ${a} >= ${t.num(0)})` },
});
