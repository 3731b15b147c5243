import { expect, test } from "vitest";
import { halfBits, halfValue, pack, unpack } from "./packing";

test("every finite half survives the way there and back", () => {
  for (let bits = 0; bits < 0x10000; bits++) {
    if ((bits & 0x7c00) === 0x7c00) continue;
    expect(halfBits(halfValue(bits))).toBe(bits);
  }
});

test("halves round to nearest, ties to even, and overflow to infinity", () => {
  expect(halfBits(1 + 2 ** -11)).toBe(0x3c00);
  expect(halfBits(1 + 3 * 2 ** -11)).toBe(0x3c02);
  expect([65_519, 65_520, Infinity, -Infinity].map(halfBits)).toEqual([0x7bff, 0x7c00, 0x7c00, 0xfc00]);
  expect(halfValue(halfBits(Number.NaN))).toBeNaN();
  expect([2 ** -24, 2 ** -25, 2 ** -14].map(halfBits)).toEqual([1, 0, 0x0400]);
});

test("bool is stored as u32, f32 is not copied, an odd count of halves is padded", () => {
  const x = Float32Array.of(1, 2);
  expect(pack("f32", x)).toBe(x);
  expect(pack("bool", Float64Array.of(0, 3, -1))).toEqual(Uint32Array.of(0, 1, 1));
  const halves = pack("f16", Float64Array.of(1, -2, 0.5));
  expect(halves.byteLength).toBe(8);
  expect(unpack("f16", halves.buffer, 3)).toEqual(Float32Array.of(1, -2, 0.5));
  expect(unpack("i32", pack("i32", Float64Array.of(-7, 8)).buffer, 2)).toEqual(Int32Array.of(-7, 8));
});
