import { UP_EXACT, DOWN_EXACT } from "../algebra";
import { binary } from "../families";

export const sub = binary({
  name: "sub",
  onnx: "Sub",
  jax: ["sub"],
  aliases: ["subtract"],
  doc: { formula: "a − b", teaches: "As cheap as an addition. On its own, its kernel only waits for memory." },
  derivative: { partials: () => [1, -1] },
  inverse: (operand) => (operand === 0 ? { op: "add", of: ["result", 1] } : { op: "sub", of: [0, "result"] }),
  algebra: { terms: [1, -1], monotone: [UP_EXACT, DOWN_EXACT] },
  scalar: {
    js: (a, b) => a - b,
    wgsl: (a, b) => `${a} - ${b}`,
    neutral: { value: 0, operands: [1], says: "subtracts 0 from" },
  },
});
