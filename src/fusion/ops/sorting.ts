/** @file Factory of sorts: a row, or the first of it, sorted; and the keys by which shaders compare. */
import type { Attrs } from "../ir";
import type { OpDef, Param } from "./define";
import { permutedAlong } from "./derivatives";
import { EXACT, ONE_TENSOR, unary } from "./families";
import { checkTop, DESCENDING, RANK_AXIS } from "./ranking";
import { fine, normalAxis, numberOf } from "./shapes";

const COUNT: Param = { names: ["k"], kind: "int", default: null, doc: "How many of the first; all when left out." };

const reordered = permutedAlong(({ inputs: [x], attrs, of }) => of("sort_indices", [x!], attrs));

/** A sort along one axis: values keep their dtype (bool counts as i32), indices are i32. */
export const order = ({ name, doc, indices }: Pick<OpDef, "name" | "doc"> & { readonly indices: boolean }): OpDef => ({
  name,
  kind: "order",
  doc,
  params: [ONE_TENSOR, RANK_AXIS, DESCENDING, COUNT],
  infer([x], attrs, names = ["x"]) {
    const axis = normalAxis(numberOf(attrs["axis"], -1), x!.shape.length);
    const count = numberOf(attrs["k"], x!.shape[axis] ?? 1);
    const bad = checkTop([x!], { ...attrs, k: count }, names);
    if (bad) return bad;
    const shape = x!.shape.map((extent, i) => (i === axis ? count : extent));
    return fine({ dtype: indices || x!.dtype === "bool" ? "i32" : x!.dtype, shape });
  },
  operandTypes: ([dtype]) => [dtype === "bool" ? "i32" : dtype!],
  weightedFlops: 1,
  expensive: true,
  tolerance: EXACT,
  derivative: indices ? {} : reordered,
  order: {
    axis: (attrs, input) => normalAxis(numberOf(attrs["axis"], -1), input.length),
    descending: (attrs) => attrs["descending"] === true,
    count: (attrs, extent) => numberOf(attrs["k"], extent),
    indices,
  },
});

/** What stands for ∞ and NaN among keys of the interpreter, which are numbers in order. */
const [ABOVE, LARGEST_KEY] = [1.5e308, 1.7e308];
const sign = ({ descending }: Attrs): number => (descending === true ? -1 : 1);

const keyDoc = {
  formula: "a key in the order of x",
  teaches: "Whole numbers compare in one instruction, NaN and all.",
};

/** Keys of floats: their bits as a whole number in the same order; NaN above all, −0 as 0. */
export const floatKey: OpDef = unary({
  name: "order_key",
  doc: keyDoc,
  tolerance: EXACT,
  scalar: {
    js: (x, attrs) => sign(attrs) * (Number.isNaN(x) ? LARGEST_KEY : Math.min(Math.max(x, -ABOVE), ABOVE)),
    wgsl: (x, t, { descending }) => `${descending === true ? "-" : ""}${t.call("order_key", x)}`,
    helpers: [
      {
        name: "order_key",
        wgsl: () => `// Bits of a float as a whole number in the same order: NaN above all, -0 as 0.
fn order_key(x: f32) -> i32 {
  let size = bitcast<u32>(x) & 0x7fffffffu;
  let key = select(i32(size), 0x7fc00000, size > 0x7f800000u);
  return select(key, -key, bitcast<u32>(x) > 0x80000000u && size <= 0x7f800000u);
}`,
      },
    ],
  },
});
export const fromFloatKey: OpDef = unary({
  name: "from_order_key",
  doc: keyDoc,
  tolerance: EXACT,
  scalar: {
    js(key, attrs) {
      const x = sign(attrs) * key;
      if (Math.abs(x) < ABOVE) return x;
      return x >= LARGEST_KEY ? Number.NaN : x > 0 ? Infinity : -Infinity;
    },
    wgsl: (key, t, { descending }) => t.call("from_order_key", `${descending === true ? "-" : ""}${key}`),
    helpers: [
      {
        name: "from_order_key",
        wgsl: () => `// The float whose order_key this is.
fn from_order_key(key: i32) -> f32 {
  let size = u32(abs(key));
  return bitcast<f32>(select(size, size | 0x80000000u, key < 0));
}`,
      },
    ],
  },
});
/** Keys of whole numbers, and back again. */
export const wholeKey: OpDef = unary({
  name: "whole_key",
  doc: keyDoc,
  tolerance: EXACT,
  scalar: {
    js: (x, attrs) => sign(attrs) * x,
    wgsl: (x, _t, { descending }) => `${descending === true ? "~" : ""}${x}`,
  },
});
/** ~ is its own inverse, as the change of sign is. */
export const fromWholeKey: OpDef = { ...wholeKey, name: "from_whole_key" };
/** The key behind all others, for slots that no element fills. */
export const lastKey: OpDef = {
  ...wholeKey,
  name: "last_key",
  scalar: { js: () => Infinity, wgsl: () => "0x7fffffff" },
};
