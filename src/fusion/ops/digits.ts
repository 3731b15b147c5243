/** @file Digits of sorting keys: rows are put in order by one digit after another, the last one first. */
import type { Attrs } from "../ir";
import { EXACT, unary } from "./families";
import { numberOf } from "./shapes";
import { floatKey } from "./sorting";
import type { Bounds, OpDef } from "./define";

/** Any whole number of 32 bits. */
export const ANY_WHOLE: Bounds = { least: -(2 ** 31), most: 2 ** 31 - 1 };

/** Bits that tell the keys of a range from one another; one at least. */
export const bitsOf = ({ least, most }: Bounds): number => Math.max(1, Math.ceil(Math.log2(most - least + 1)));

const doc = {
  formula: "some bits of a key in the order of x",
  teaches: "Whole numbers in the order of their digits are in order.",
};

const isDown = ({ descending }: Attrs): boolean => descending === true;
const numbers = (attrs: Attrs): { least: number; most: number; shift: number; radix: number } => ({
  least: numberOf(attrs["least"], ANY_WHOLE.least),
  most: numberOf(attrs["most"], ANY_WHOLE.most),
  shift: numberOf(attrs["shift"], 0),
  radix: numberOf(attrs["radix"], 2),
});

const digit = (rank: number, { shift, radix }: { shift: number; radix: number }): number =>
  Math.floor(rank / 2 ** shift) % radix;
const digitText = (rank: string, attrs: Attrs): string => {
  const { shift, radix } = numbers(attrs);
  return `i32(${shift === 0 ? rank : `(${rank} >> ${shift}u)`} & ${radix - 1}u)`;
};

const whole = (value: number): string => (value === ANY_WHOLE.least ? "i32(-2147483648)" : String(value));
/** How far x lies behind the first key of its range. */
const wholeRank = (x: string, attrs: Attrs): string => {
  const { least, most } = numbers(attrs);
  if (isDown(attrs)) return `bitcast<u32>(${whole(most)} - ${x})`;
  return least === 0 ? `u32(${x})` : `bitcast<u32>(${x} - ${least < 0 ? `(${whole(least)})` : whole(least)})`;
};
const wholeRankOf = (x: number, attrs: Attrs): number =>
  isDown(attrs) ? numbers(attrs).most - x : x - numbers(attrs).least;

export const wholeDigit: OpDef = unary({
  name: "whole_digit",
  doc,
  tolerance: EXACT,
  scalar: {
    js: (x, attrs) => digit(wholeRankOf(x, attrs), numbers(attrs)),
    wgsl: (x, _t, attrs) => digitText(wholeRank(x, attrs), attrs),
  },
});

const [float, bits] = [new Float32Array(1), new Int32Array(1)];
/** The key of a float: its bits as a whole number in the same order, as `order_key` of a kernel computes them. */
function floatBits(x: number): number {
  float[0] = x;
  bits.set(new Int32Array(float.buffer));
  const size = bits[0]! & 0x7fffffff;
  if (Number.isNaN(x)) return 0x7fc00000;
  return x < 0 ? -size : size;
}

/** A digit of a float's key. */
export const floatDigit: OpDef = unary({
  name: "float_digit",
  doc,
  tolerance: EXACT,
  scalar: {
    js: (x, attrs) => digit(wholeRankOf(floatBits(x), attrs), numbers(attrs)),
    wgsl: (x, t, attrs) => digitText(wholeRank(t.call("order_key", x), attrs), attrs),
    helpers: floatKey.scalar!.helpers!,
  },
});

/** A key without its last digit, with room for an index in the bits below: `shift` bits are dropped, `radix` is the room. */
export const shortened: OpDef = unary({
  name: "shortened_key",
  doc,
  tolerance: EXACT,
  scalar: {
    js: (x, attrs) => Math.floor(wholeRankOf(x, attrs) / 2 ** numbers(attrs).shift) * numbers(attrs).radix,
    wgsl(x, _t, attrs) {
      const { shift, radix } = numbers(attrs);
      return `i32((${wholeRank(x, attrs)} >> ${shift}u) << ${Math.log2(radix)}u)`;
    },
  },
});
