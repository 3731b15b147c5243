import { promote, type Attrs } from "../../ir";
import type { Bounds } from "../define";
import { elementwise, EXACT, tensor } from "../families";
import { fine } from "../shapes";

const chosen = elementwise({
  name: "where",
  doc: { formula: "a if cond else b", teaches: "Both branches are computed; only which one is used differs." },
  operands: [
    tensor(["condition", "cond", "mask"], "Where true, a; elsewhere b."),
    tensor(["a", "x", "input"], "Taken where the condition holds."),
    tensor(["b", "y", "other"], "Taken elsewhere."),
  ],
  tolerance: EXACT,
  derivative: {
    vjp: ({ inputs: [cond], of }, g, operand) =>
      operand === 0 ? null : of("where", operand === 1 ? [cond!, g, 0] : [cond!, 0, g]),
  },
  algebra: { linear: [[1, 2]] },
  scalar: {
    js: ([cond, a, b]) => (cond === 0 ? b! : a!),
    wgsl: ([cond, a, b]) => `select(${b}, ${a}, ${cond})`,
  },
});

export const where = {
  ...chosen,
  methodOf: 1,
  bounds: (_attrs: Attrs, _condition: Bounds, a: Bounds, b: Bounds): Bounds => ({
    least: Math.min(a.least, b.least),
    most: Math.max(a.most, b.most),
  }),
  infer: (...[inputs, attrs, names]: Parameters<typeof chosen.infer>): ReturnType<typeof chosen.infer> => {
    const found = chosen.infer(inputs, attrs, names);
    return found.ok ? fine({ ...found.value, dtype: promote(inputs[1]!.dtype, inputs[2]!.dtype) }) : found;
  },
  operandTypes: ([, a, b]: Parameters<NonNullable<typeof chosen.operandTypes>>[0]) => {
    const dtype = promote(a!, b!);
    return ["bool", dtype, dtype] as const;
  },
};
