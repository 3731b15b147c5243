/** @file Quantised numbers: the examples of the ONNX specification, as numbers come in. */
import { expect, test } from "vitest";
import { valuesOf, type Operand } from "./narrow";
import { node } from "./testing";

const u8 = (dims: readonly number[], numbers: readonly number[]): Operand => ({ dataType: 2, dims, numbers });
const f32 = (dims: readonly number[], numbers: readonly number[]): Operand => ({ dataType: 1, dims, numbers });
const one = (value: number): Operand => f32([], [value]);
const zero = (value: number): Operand => u8([], [value]);

test("QuantizeLinear rounds, moves and saturates", () => {
  const operands = { x: f32([6], [0, 2, 3, 1000, -254, -1000]), s: one(2), z: zero(128) };
  for (const y of valuesOf(node("QuantizeLinear", ["x", "s", "z"], ["y"]), operands))
    expect(y).toEqual([128, 129, 130, 255, 1, 0]);
});

test("QuantizeLinear and DequantizeLinear along an axis, in i8", () => {
  const operands = {
    x: f32([2, 3], [-162, 10, -100, 232, -20, 50]),
    s: f32([2], [2, 4]),
    z: { dataType: 3, dims: [2], numbers: [1, -3] },
  };
  const axis = [{ name: "axis", i: 0 }];
  for (const y of valuesOf(node("QuantizeLinear", ["x", "s", "z"], ["y"], axis), operands))
    expect(y).toEqual([-80, 6, -49, 55, -8, 9]); // 12.5 goes to the even neighbour
  const back = { ...operands, x: { dataType: 3, dims: [2, 3], numbers: [-128, 0, 127, -128, 0, 127] } };
  for (const y of valuesOf(node("DequantizeLinear", ["x", "s", "z"], ["y"], axis), back))
    expect(y).toEqual([-258, -2, 252, -500, 12, 520]);
});

test("DynamicQuantizeLinear finds its scale and zero", () => {
  const operands = { x: f32([6], [0, 2, -3, -2.4, 1.34, 0.5]) };
  for (const y of valuesOf(node("DynamicQuantizeLinear", ["x"], ["y", "s", "z"]), operands))
    expect(y).toEqual([153, 255, 0, 31, 221, 179]);
});

test("MatMulInteger sums products of differences", () => {
  const operands = {
    a: u8([4, 3], [11, 7, 3, 10, 6, 2, 9, 5, 1, 8, 4, 0]),
    b: u8([3, 2], [1, 4, 2, 5, 3, 6]),
    za: u8([1], [12]),
    zb: u8([1], [0]),
  };
  for (const y of valuesOf(node("MatMulInteger", ["a", "b", "za", "zb"], ["y"]), operands))
    expect(y).toEqual([-38, -83, -44, -98, -50, -113, -56, -128]);
});

test("ConvInteger", () => {
  const operands = { x: u8([1, 1, 3, 3], [2, 3, 4, 5, 6, 7, 8, 9, 10]), w: u8([1, 1, 2, 2], [1, 1, 1, 1]), z: zero(1) };
  for (const y of valuesOf(node("ConvInteger", ["x", "w", "z"], ["y"]), operands)) expect(y).toEqual([12, 16, 24, 28]);
});

test("QLinearMatMul", () => {
  const operands = {
    a: u8([2, 4], [208, 236, 0, 238, 3, 214, 255, 29]),
    sa: one(0.0066),
    za: zero(113),
    b: u8([4, 3], [152, 51, 244, 60, 26, 255, 0, 127, 246, 127, 254, 247]),
    sb: one(0.00705),
    zb: zero(114),
    sy: one(0.0107),
    zy: zero(118),
  };
  for (const y of valuesOf(node("QLinearMatMul", Object.keys(operands), ["y"]), operands))
    expect(y).toEqual([168, 115, 255, 1, 66, 151]);
});

test("QLinearConv has a scale for each filter", () => {
  const operands = {
    x: u8([1, 1, 2, 2], [10, 20, 30, 40]),
    sx: one(0.5),
    zx: zero(10),
    w: u8([2, 1, 1, 1], [3, 7]),
    sw: f32([2], [1, 2]),
    zw: u8([2], [1, 5]),
    sy: one(4),
    zy: zero(100),
    b: { dataType: 6, dims: [2], numbers: [4, -4] },
  };
  // (0, 10, 20, 30) · 2 + b, by 0.5 and 0.5 · 2 over 4
  for (const y of valuesOf(node("QLinearConv", Object.keys(operands), ["y"]), operands))
    expect(y).toEqual([100, 103, 106, 108, 99, 104, 109, 114]);
});
