import { UP_EXACT } from "../algebra";
import { binary } from "../families";

export const add = binary({
  name: "add",
  ofTruths: "or",
  onnx: "Add",
  jax: ["add", "add_any"],
  updates: { methods: ["add"], reduction: "add" },
  doc: { formula: "a + b", teaches: "Backward needs neither operand: an addition only passes the gradient on." },
  derivative: { partials: () => [1, 1] },
  inverse: (operand) => ({ op: "sub", of: ["result", 1 - operand] }),
  algebra: { terms: [1, 1], monotone: [UP_EXACT, UP_EXACT] },
  scalar: {
    js: (a, b) => a + b,
    wgsl: (a, b) => `${a} + ${b}`,
    neutral: { value: 0, operands: [0, 1], says: "adds 0 to", changesZero: true },
  },
});
