import { UP_EXACT } from "../algebra";
import { binary } from "../families";

export const mul = binary({
  name: "mul",
  ofTruths: "and",
  onnx: "Mul",
  jax: ["mul"],
  aliases: ["multiply"],
  updates: { methods: ["multiply", "mul"], reduction: "mul" },
  doc: {
    formula: "a · b",
    teaches: "The derivative of each operand is the other one, so two tensors both stay alive until the backward pass.",
  },
  derivative: { partials: ({ inputs: [a, b] }) => [b!, a!] },
  inverse: (operand) => ({ op: "div", of: ["result", 1 - operand] }),
  algebra: {
    powers: [1, 1],
    monotone: [
      { ...UP_EXACT, signOf: 1 },
      { ...UP_EXACT, signOf: 0 },
    ],
  },
  scalar: {
    js: (a, b) => a * b,
    int: Math.imul,
    wgsl: (a, b) => `${a} * ${b}`,
    neutral: { value: 1, operands: [0, 1], says: "multiplies by 1" },
  },
});
