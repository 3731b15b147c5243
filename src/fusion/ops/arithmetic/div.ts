import { UP } from "../algebra";
import { binary, DIVIDED } from "../families";

export const div = binary({
  name: "div",
  aliases: ["divide", "true_divide"],
  doc: {
    formula: "a / b",
    teaches:
      "A division costs about four multiplications; by a constant, multiply by its inverse instead. Whole numbers give f32, as in Python.",
  },
  dtype: "float",
  weightedFlops: 4,
  work: ([, divisor]) => (divisor === null ? 9 : 1),
  expensive: true,
  tolerance: DIVIDED,
  derivative: {
    partials: ({ inputs: [, b], output, of }) => [of("reciprocal", [b!]), of("neg", [of("div", [output, b!])])],
  },
  inverse: (operand) => (operand === 0 ? { op: "mul", of: ["result", 1] } : { op: "div", of: [0, "result"] }),
  algebra: { powers: [1, -1], monotone: [{ ...UP, signOf: 1 }, null] },
  scalar: {
    js: (a, b) => a / b,
    wgsl: (a, b) => `${a} / ${b}`,
    neutral: { value: 1, operands: [1], says: "divides by 1" },
  },
});
