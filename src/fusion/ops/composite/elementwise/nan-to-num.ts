import { composite } from "../../compose";
import { number, ONE_TENSOR } from "../../families";
import { largestOf, smallestOf } from "../../limits";

export const nanToNum = composite({
  name: "nan_to_num",
  doc: { formula: "NaN, ∞ and −∞ by numbers", teaches: "Three tests and three choices in registers." },
  params: [
    ONE_TENSOR,
    number("nan", 0, "For NaN."),
    { names: ["posinf"], kind: "float", default: null, doc: "For ∞; the largest number when left out." },
    { names: ["neginf"], kind: "float", default: null, doc: "For −∞; the smallest number when left out." },
  ],
  build(b, [x], { nan, posinf, neginf }) {
    const { dtype } = b.typeOf(x!);
    if (dtype !== "f32" && dtype !== "f16") return b.op("same", "identity", [x!]);
    const high = b.scalar(typeof posinf === "number" ? posinf : largestOf(dtype), dtype);
    const low = b.scalar(typeof neginf === "number" ? neginf : smallestOf(dtype), dtype);
    const end = b.op("end", "where", [b.op("positive", "gt", [x!, b.scalar(0, dtype)]), high, low]);
    const bounded = b.op("bounded", "where", [b.op("infinite", "is_inf", [x!]), end, x!]);
    return b.op("number", "where", [b.op("missing", "is_nan", [x!]), b.scalar(Number(nan), dtype), bounded]);
  },
});
