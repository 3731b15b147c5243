import type { Attrs, DType } from "../../ir";
import type { OpDef } from "../define";
import { EXACT, unary } from "../families";
import { fine, wrong } from "../shapes";

const DTYPES: ReadonlyMap<unknown, DType> = new Map([
  ["f32", "f32"], ["float32", "f32"], ["float", "f32"], ["f16", "f16"], ["float16", "f16"], ["half", "f16"],
  ["i32", "i32"], ["int32", "i32"], ["int", "i32"], ["long", "i32"], ["bool", "bool"],
]); // prettier-ignore

const target = (attrs: Attrs): DType | undefined => DTYPES.get(attrs["dtype"]);
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
    scalar: {
      js(x, attrs) {
        if (target(attrs) === "bool") return Number(x !== 0);
        if (target(attrs) !== "i32") return x;
        if (Number.isNaN(x)) return 0;
        return x >= INTEGERS.above ? INTEGERS.high : Math.trunc(Math.max(x, INTEGERS.low));
      },
      wgsl: (x, t) => `${t.type}(${x})`,
    },
  }),
  infer([x], attrs) {
    const dtype = target(attrs);
    if (dtype) return fine({ dtype, shape: x!.shape });
    return wrong(
      "bad-attr",
      `There is no dtype ${JSON.stringify(attrs["dtype"])}; the dtypes are f32, f16, i32 and bool.`,
    );
  },
};
