import { unary } from "../families";
import { magnitudeBits, unsigned } from "../wgsl";

export const isNan = unary({
  name: "is_nan",
  onnx: "IsNaN",
  aliases: ["isnan"],
  doc: { formula: "x is NaN", teaches: "Tested on the bits: a shader compiler may take x != x for false." },
  dtype: "test",
  scalar: {
    js: (x) => Number(Number.isNaN(x)),
    wgsl: (x, t) => `${magnitudeBits(x, t)} > ${unsigned("0x7f800000u", t)}`,
  },
});
