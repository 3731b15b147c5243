import { UP_EXACT } from "../algebra";
import { unary } from "../families";
import { isInteger } from "../wgsl";

/** Halves go to the even neighbour. */
function roundToEven(x: number): number {
  const low = Math.floor(x);
  if (x - low !== 0.5) return Math.round(x);
  return low % 2 === 0 ? low : low + 1;
}

export const round = unary({
  name: "round",
  onnx: "Round",
  doc: { formula: "nearest(x)", teaches: "A half is rounded to the even neighbour, as IEEE 754 does: 2.5 becomes 2." },
  work: 9,
  derivative: {},
  algebra: { idempotent: "rounded", keepsZero: true, monotone: [UP_EXACT] },
  scalar: { js: roundToEven, wgsl: (x, t) => (isInteger(t) ? x : `round(${x})`) },
});
