import { unary } from "../families";
import { magnitudeBits, unsigned } from "../wgsl";

export const isInf = unary({
  name: "is_inf",
  aliases: ["isinf"],
  doc: { formula: "x is ±∞", teaches: "Tested on the bits: a shader compiler may assume that no value is infinite." },
  dtype: "test",
  scalar: {
    js: (x) => Number(Math.abs(x) === Infinity),
    wgsl: (x, t) => `${magnitudeBits(x, t)} == ${unsigned("0x7f800000u", t)}`,
  },
});
