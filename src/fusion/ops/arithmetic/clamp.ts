import { UP_EXACT } from "../algebra";
import type { Attrs, DType } from "../../ir";
import { gated } from "../derivatives";
import type { OpDef } from "../define";
import { EXACT, unary } from "../families";
import { fine, numberOf } from "../shapes";

const low = (attrs: Attrs): number => numberOf(attrs["min"], -Infinity);
const high = (attrs: Attrs): number => numberOf(attrs["max"], Infinity);

/** Whole numbers between bounds that are none are f32, as in PyTorch and NumPy. */
const between = (dtype: DType, attrs: Attrs): DType =>
  dtype === "i32" && [low(attrs), high(attrs)].some((bound) => Number.isFinite(bound) && !Number.isInteger(bound))
    ? "f32"
    : dtype;

const plain = unary({
  name: "clamp",
  aliases: ["clip"],
  doc: { formula: "min(max(x, low), high)", teaches: "Monotone, so a maximum can be taken before it." },
  attrs: [
    { names: ["min", "min_val", "a_min"], kind: "float", default: null, doc: "Lower bound; none when left out." },
    { names: ["max", "max_val", "a_max"], kind: "float", default: null, doc: "Upper bound; none when left out." },
  ],
  weightedFlops: 2,
  tolerance: EXACT,
  derivative: gated(({ inputs: [x], attrs, of }) =>
    of("and", [of("ge", [x!, low(attrs)]), of("le", [x!, high(attrs)])]),
  ),
  algebra: { monotone: [UP_EXACT] },
  scalar: {
    js: (x, attrs) => Math.min(Math.max(x, low(attrs)), high(attrs)),
    wgsl(x, t, attrs) {
      const above = low(attrs) === -Infinity ? x : `max(${x}, ${t.num(low(attrs))})`;
      return high(attrs) === Infinity ? above : `min(${above}, ${t.num(high(attrs))})`;
    },
  },
});

export const clamp: OpDef = {
  ...plain,
  infer(inputs, attrs, names) {
    const found = plain.infer(inputs, attrs, names);
    return found.ok ? fine({ ...found.value, dtype: between(found.value.dtype, attrs) }) : found;
  },
  operandTypes: (inputs, attrs) => plain.operandTypes!(inputs, attrs).map((dtype) => between(dtype, attrs)),
  bounds(attrs, { least, most }) {
    const [from, to] = [Math.floor(low(attrs)), Math.ceil(high(attrs))];
    return { least: Math.min(Math.max(least, from), to), most: Math.max(Math.min(most, to), from) };
  },
};
