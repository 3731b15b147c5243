/** @file Integers that are narrower than i32 or unsigned, against typed arrays: known while importing, and computed by kernels. */
import { describe, expect, test } from "vitest";
import { toWhole, type WholeKind } from "../whole-kinds";
import { valuesOf, type Operand } from "./narrow";
import { node, type Told } from "./testing";

const KINDS = [
  ["u8", 2, Uint8Array],
  ["i8", 3, Int8Array],
  ["u16", 4, Uint16Array],
  ["i16", 5, Int16Array],
  ["u32", 12, Uint32Array],
] as const;

/** Numbers of every size that the kind has, its ends among them. */
const NUMBERS = [0, 1, 2, 3, 7, 100, 127, 128, 200, 255, 256, 32767, 32768, 65535, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1];
const PAIRS = NUMBERS.flatMap((a) => NUMBERS.map((b) => [a, b] as const));

/** Numbers along one axis. */
const stored = (dataType: number, numbers: readonly number[]): Operand => ({
  dims: [numbers.length],
  dataType,
  numbers,
});

type Pair = (a: number, b: number) => number;
const OPS: readonly (readonly [string, Pair])[] = [
  ["Add", (a, b) => a + b],
  ["Sub", (a, b) => a - b],
  ["Mul", (a, b) => Math.imul(a, b)],
  ["Div", (a, b) => Math.trunc(a / b)],
  ["Mod", (a, b) => a - b * Math.floor(a / b)],
  ["Max", Math.max],
  ["Min", Math.min],
  ["BitwiseAnd", (a, b) => a & b],
  ["BitwiseOr", (a, b) => a | b],
  ["BitwiseXor", (a, b) => a ^ b],
  ["Less", (a, b) => Number(a < b)],
  ["LessOrEqual", (a, b) => Number(a <= b)],
  ["Greater", (a, b) => Number(a > b)],
  ["GreaterOrEqual", (a, b) => Number(a >= b)],
  ["Equal", (a, b) => Number(a === b)],
];

describe.each(KINDS)("%s", (kind: WholeKind, dataType, Typed) => {
  const whole = (numbers: readonly number[]): number[] => [...Typed.from(numbers)];
  const bits = (value: number): number => toWhole(kind, value);

  test.each(OPS)("%s of pairs", (op, meaning) => {
    const pairs = PAIRS.map(([a, b]) => whole([a, b])).filter(([, b]) => b !== 0 || !["Div", "Mod"].includes(op));
    const want = pairs.map(([a, b]) => bits(meaning(a!, b!)));
    const operands = {
      a: stored(
        dataType,
        pairs.map(([a]) => a!),
      ),
      b: stored(
        dataType,
        pairs.map(([, b]) => b!),
      ),
    };
    for (const fold of [true, false])
      for (const got of valuesOf(node(op, ["a", "b"], ["y"]), operands, fold)) expect(got).toEqual(want);
  });

  test.each([
    ["BitwiseNot", (x: number) => bits(~x)],
    ["Cast", (x: number) => x, [{ name: "to", i: 1 }]],
    ["Cast", (x: number) => Number(x !== 0), [{ name: "to", i: 9 }]],
    ["Cast", (x: number) => toWhole("u8", x), [{ name: "to", i: 2 }]],
    ["Cast", (x: number) => toWhole("i16", x), [{ name: "to", i: 5 }]],
  ] as const)("%s of each", (op, meaning, told: Told = []) => {
    const numbers = whole(NUMBERS).filter((value) => Math.fround(value) === value);
    for (const fold of [true, false])
      for (const got of valuesOf(node(op, ["x"], ["y"], told), { x: stored(dataType, numbers) }, fold))
        expect(got).toEqual(numbers.map((x) => meaning(x)));
  });

  test.each([
    ["ReduceSum", (all: readonly number[]) => bits(all.reduce((sum, x) => sum + x, 0))],
    ["ReduceMax", (all: readonly number[]) => bits(Math.max(...all))],
    ["ReduceMin", (all: readonly number[]) => bits(Math.min(...all))],
    ["ArgMax", (all: readonly number[]) => all.indexOf(Math.max(...all))],
  ] as const)("%s of all", (op, meaning) => {
    const numbers = whole(NUMBERS);
    const one = node(op, ["x"], ["y"], [{ name: "keepdims", i: 0 }]);
    for (const got of valuesOf(one, { x: stored(dataType, numbers) }, false)) expect(got).toEqual([meaning(numbers)]);
  });

  test("a float becomes one", () => {
    const numbers = whole(NUMBERS).filter((value) => Math.fround(value) === value);
    const one = node("Cast", ["x"], ["y"], [{ name: "to", i: dataType }]);
    for (const fold of [true, false])
      for (const got of valuesOf(one, { x: stored(1, numbers) }, fold)) expect(got).toEqual(numbers.map(bits));
  });

  test("moved, gathered and chosen they stay what they are", () => {
    const numbers = whole(NUMBERS);
    const at = stored(7, [16, 0, 15]);
    for (const got of valuesOf(node("Gather", ["x", "at"], ["y"]), { x: stored(dataType, numbers), at }, false))
      expect(got).toEqual([16, 0, 15].map((i) => bits(numbers[i]!)));
  });
});
