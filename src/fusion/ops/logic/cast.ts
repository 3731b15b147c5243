import type { Attrs, DType } from "../../ir";
import type { OpDef } from "../define";
import { EXACT, unary } from "../families";
import { fine, wrong } from "../shapes";

const DTYPES: ReadonlyMap<unknown, DType> = new Map([
  ["f32", "f32"], ["float32", "f32"], ["float", "f32"], ["f16", "f16"], ["float16", "f16"], ["half", "f16"],
  ["i32", "i32"], ["int32", "i32"], ["int", "i32"], ["long", "i32"], ["bool", "bool"],
]); // prettier-ignore

const target = (attrs: Attrs): DType | undefined => DTYPES.get(attrs["dtype"]);
const INTEGERS = { low: -2147483648, high: 2147483647 };

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
        return Number.isNaN(x) ? 0 : Math.trunc(Math.min(Math.max(x, INTEGERS.low), INTEGERS.high));
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
