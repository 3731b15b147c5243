import { UP_EXACT } from "../algebra";
import type { OpDef } from "../define";
import { dtypeNamed, unknownDtype } from "../dtypes";
import { EXACT, unary } from "../families";
import { fine } from "../shapes";
import { roundToHalf } from "../special";
import { HALVES } from "../wgsl-helpers";

/** Conversion saturates, at the largest f32 below 2³¹. */
const INTEGERS = { low: -(2 ** 31), above: 2 ** 31, high: 2147483520 };

export const cast: OpDef = {
  ...unary({
    name: "cast",
    aliases: ["to", "astype", "type"],
    doc: { formula: "dtype(x)", teaches: "Widening inside a kernel costs no traffic; storing the wider value does." },
    attrs: [{ names: ["dtype"], kind: "dtype", doc: "f32, f16, i32 or bool." }],
    dtype: "same",
    tolerance: EXACT,
    derivative: { vjp: ({ inputs: [x], typeOf, of }, g) => of("cast", [g], { dtype: typeOf(x!).dtype }) },
    algebra: { sameValue: true, monotone: [UP_EXACT] },
    scalar: {
      js(x, attrs) {
        const dtype = dtypeNamed(attrs);
        if (dtype === "bool") return Number(x !== 0);
        if (dtype === "f16") return roundToHalf(x);
        if (dtype !== "i32") return x;
        if (Number.isNaN(x)) return 0;
        return x >= INTEGERS.above ? INTEGERS.high : Math.trunc(Math.max(x, INTEGERS.low));
      },
      wgsl: (x, t, attrs) => (dtypeNamed(attrs) === "f16" ? t.call("as_half", x) : `${t.type}(${x})`),
      helpers: HALVES,
    },
  }),
  bounds: (_, operand) => operand,
  infer([x], attrs) {
    const dtype = dtypeNamed(attrs);
    return dtype ? fine({ dtype, shape: x!.shape }) : unknownDtype(attrs);
  },
};
