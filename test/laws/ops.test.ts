/** @file What every elementwise op means, and in which dtype it answers. */
import { describe, expect, test } from "vitest";
import type { DType, Shape } from "../../src/fusion/ir";
import { allOps, erf, opDef, philox, randomBits, roundToHalf, withDefaults } from "../../src/fusion/ops";
import { of, upTo, valueOf } from "../one-op";

/** Equal (NaN and infinities too), or apart by less than `by` of the larger of `want` and 1. */
const near = (got: number, want: number, by: number): boolean =>
  Object.is(got, want) || got === want || Math.abs(got - want) <= by * Math.max(1, Math.abs(want));

describe("the error function", () => {
  test.each([
    [0, 0],
    [0.1, 0.1124629160182849],
    [0.5, 0.5204998778130465],
    [1, 0.8427007929497149],
    [2, 0.9953222650189527],
    [3, 0.9999779095030014],
  ])("erf(%f) = %f", (x, want) => {
    expect(erf(x)).toBeCloseTo(want, 15);
    expect(erf(-x)).toBeCloseTo(-want, 15);
  });

  test("its slope is the bell curve everywhere between the tabulated points", () => {
    for (let x = -5.5; x < 5.5; x += 0.0137) {
      const slope = (erf(x + 1e-4) - erf(x - 1e-4)) / 2e-4;
      expect(Math.abs(slope - (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x))).toBeLessThan(1e-8);
    }
    expect([erf(7), erf(-Infinity), erf(Number.NaN)]).toEqual([1, -1, Number.NaN]);
  });
});

test("f16: halves of the last bit go to even, small ones are subnormal, large ones overflow", () => {
  const known = [
    [1, 1],
    [0.1, 0.0999755859375],
    [65504, 65504],
    [65520, Infinity],
    [2 ** -24, 2 ** -24],
    [2 ** -26, 0],
    [2049, 2048],
    [2051, 2052],
    [-0.1, -0.0999755859375],
  ] as const;
  for (const [value, want] of known) expect(roundToHalf(value) + 0).toBe(want);
});

describe("Philox 4×32-10", () => {
  const words = (counter: readonly number[], key: readonly number[]): string[] => {
    const out = new Uint32Array(4);
    philox(counter, key, out);
    return [...out].map((word) => word.toString(16).padStart(8, "0"));
  };
  const ones = 0xffffffff;
  test.each([
    [[0, 0, 0, 0], [0, 0], "6627e8d5 e169c58d bc57ac4c 9b00dbd8"],
    [[ones, ones, ones, ones], [ones, ones], "408f276d 41c83b0e a20bc7c6 6d5451fd"],
    [[0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344], [0xa4093822, 0x299f31d0], "d16cfe09 94fdcceb 5001e420 24126ea1"],
  ])("the published answer for counter %j, key %j", (counter, key, want) => {
    expect(words(counter, key).join(" ")).toBe(want);
  });

  test("four neighbours share a counter, and order of asking changes nothing", () => {
    const forwards = upTo(16).map((i) => randomBits(i, 7));
    const backwards = upTo(16)
      .toReversed()
      .map((i) => randomBits(i, 7));
    expect(backwards.toReversed()).toEqual(forwards);
    expect(randomBits(0, 0).toString(16)).toBe("6627e8d5");
    expect(randomBits(3, 0).toString(16)).toBe("9b00dbd8");
  });
});

describe("elementwise meanings", () => {
  const points = [-3.7, -1, -0.5, 0, 0.25, 0.5, 1, 1.5, 2.5, 3, 6.1];
  const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));
  const known: Readonly<Record<string, (x: number) => number>> = {
    abs: Math.abs,
    acos: Math.acos,
    asin: Math.asin,
    atan: Math.atan,
    ceil: Math.ceil,
    cos: Math.cos,
    cosh: Math.cosh,
    entr: (x) => (x > 0 ? -x * Math.log(x) : x < 0 ? -Infinity : 0),
    exp: Math.exp,
    exp2: (x) => 2 ** x,
    expm1: Math.expm1,
    floor: Math.floor,
    identity: (x) => x,
    log: Math.log,
    log1p: Math.log1p,
    log2: Math.log2,
    neg: (x) => -x,
    reciprocal: (x) => 1 / x,
    relu: (x) => Math.max(0, x),
    rsqrt: (x) => 1 / Math.sqrt(x),
    sigmoid,
    sign: Math.sign,
    sin: Math.sin,
    sinh: Math.sinh,
    sqrt: Math.sqrt,
    square: (x) => x * x,
    stop_gradient: (x) => x,
    tan: Math.tan,
    tanh: Math.tanh,
    softplus: (x) => Math.log(1 + Math.exp(x)),
    softsign: (x) => x / (1 + Math.abs(x)),
    leaky_relu: (x) => (x < 0 ? 0.01 * x : x),
    elu: (x) => (x < 0 ? Math.exp(x) - 1 : x),
    celu: (x) => (x < 0 ? Math.exp(x) - 1 : x),
    mish: (x) => x * Math.tanh(Math.log(1 + Math.exp(x))),
    selu: (x) => 1.0507009873554805 * (x < 0 ? 1.6732632423543772 * (Math.exp(x) - 1) : x),
    clamp: (x) => x,
    hard_sigmoid: (x) => (x <= -3 ? 0 : x >= 3 ? 1 : x / 6 + 0.5),
    hard_swish: (x) => (x <= -3 ? 0 : x >= 3 ? x : (x * (x + 3)) / 6),
    is_nan: (x) => Number(x !== x),
    is_inf: () => 0,
    not: (x) => Number(!x),
    round: (x) => (Math.abs(x % 1) === 0.5 ? 2 * Math.round(x / 2) : Math.round(x)),
    bit_not: (x) => ~x,
    erf: (x) => erf(x),
    gelu: (x) => 0.5 * x * (1 + erf(x / Math.SQRT2)),
  };
  const unary = allOps.filter(
    (def) => def.scalar && def.kind === "elementwise" && def.params.filter((p) => p.kind === "tensor").length === 1,
  );
  test.each(unary.filter((def) => def.name !== "cast").map((def) => [def.name, def] as const))("%s", (name, def) => {
    for (const x of points) {
      const [got, want] = [def.scalar!.js([x], withDefaults(def, {})), known[name]!(x)];
      expect(near(got, want, 1e-14) ? want : got).toBe(want);
    }
  });

  const pairs = [
    [5, 3],
    [-5, 3],
    [5, -3],
    [-5, -3],
    [0.5, 0.25],
    [2, 0],
    [0, 2],
    [1, 1],
  ] as const;
  test.each<[string, (a: number, b: number) => number]>([
    ["add", (a, b) => a + b],
    ["sub", (a, b) => a - b],
    ["mul", (a, b) => a * b],
    ["div", (a, b) => a / b],
    ["pow", (a, b) => a ** b],
    ["minimum", Math.min],
    ["maximum", Math.max],
    ["atan2", Math.atan2],
    ["mod", (a, b) => ((a % b) + b) % b],
    ["floor_div", (a, b) => Math.floor(a / b)],
    ["eq", (a, b) => +(a === b)],
    ["ne", (a, b) => +(a !== b)],
    ["lt", (a, b) => +(a < b)],
    ["le", (a, b) => +(a <= b)],
    ["gt", (a, b) => +(a > b)],
    ["ge", (a, b) => +(a >= b)],
    ["and", (a, b) => +(!!a && !!b)],
    ["or", (a, b) => +(!!a || !!b)],
    ["xor", (a, b) => +(!a !== !b)],
    ["logaddexp", (a, b) => Math.log(Math.exp(a) + Math.exp(b))],
    ["prelu", (a, b) => (a < 0 ? a * b : a)],
  ])("%s", (name, want) => {
    for (const [a, b] of pairs) {
      const [got, expected] = [opDef(name).scalar!.js([a, b], {}) + 0, want(a, b) + 0];
      expect(near(got, expected, 1e-13) ? expected : got).toBe(expected);
    }
  });
});

describe("elementwise values", () => {
  test("edges: round halves to even, logaddexp of −∞, the tanh form of gelu, division of integers", () => {
    expect(valueOf("round", [[[5], [0.5, 1.5, 2.5, -0.5, -1.5]]]).data.map((x) => x + 0)).toEqual([0, 2, 2, 0, -2]);
    expect(opDef("logaddexp").scalar!.js([-Infinity, -Infinity], {})).toBe(-Infinity);
    expect(opDef("gelu").scalar!.js([1], { approximate: "tanh" })).toBeCloseTo(0.8411919906082768, 14);
    expect(opDef("gelu").scalar!.js([1], { approximate: "none" })).toBeCloseTo(0.8413447460685429, 14);
    expect(
      valueOf("div", [
        [[4], [7, -7, 7, 1], "i32"],
        [[4], [2, 2, -2, 0], "i32"],
      ]),
    ).toMatchObject({ dtype: "f32", data: [3.5, -3.5, -3.5, Infinity] });
    expect(
      valueOf("mul", [
        [[1], [65537], "i32"],
        [[1], [65537], "i32"],
      ]).data,
    ).toEqual([131073]);
    expect(
      valueOf("pow", [
        [[4], [-2, 3, 0, 2], "i32"],
        [[4], [3, 2, 0, -1], "i32"],
      ]).data,
    ).toEqual([-8, 9, 1, 0]);
    expect(valueOf("cast", [[[5], [1.9, -1.9, 3e9, -3e9, Number.NaN]]], { dtype: "i32" }).data).toEqual([
      1, -1, 2147483520, -2147483648, 0,
    ]);
    expect(valueOf("clamp", [[[3], [-9, 0, 9]]], { min: -1, max: null }).data).toEqual([-1, 0, 9]);
    expect(
      valueOf("where", [
        [[2], [1, 0], "bool"],
        [[1], [5], "i32"],
        [[2], [1.5, 2.5]],
      ]),
    ).toEqual({ shape: [2], dtype: "f32", data: [5, 2.5] });
    expect(valueOf("iota", [], { start: 2, stop: 10, step: 3 })).toEqual({ shape: [3], dtype: "i32", data: [2, 5, 8] });
  });

  test("dropout drops the share p, scales the rest, and passes on in inference", () => {
    const x: readonly [Shape, readonly number[]] = [[20000], upTo(20000).map(() => 1)];
    const { data } = valueOf("dropout", [x], { p: 0.25, seed: 3 });
    const survivors = data.filter((value) => value !== 0);
    expect(new Set(survivors)).toEqual(new Set([1 / 0.75]));
    expect(Math.abs(survivors.length / 20000 - 0.75)).toBeLessThan(0.01);
    expect(valueOf("dropout", [x], { p: 0.25, training: false }).data.every((value) => value === 1)).toBe(true);
    expect(valueOf("dropout", [x], { p: 1 }).data.every((value) => value === 0)).toBe(true);
    expect(valueOf("dropout", [x], { p: 0.25, seed: 4 }).data).not.toEqual(data);
  });
});

describe("dtypes", () => {
  const dtypeOf = (op: string, ...inputs: DType[]): string => {
    const found = opDef(op).infer(
      inputs.map((dtype) => of(dtype, 2)),
      withDefaults(opDef(op), op === "cast" ? { dtype: "f16" } : {}),
    );
    return found.ok ? found.value.dtype : found.text;
  };
  test.each([
    ["add", ["bool", "bool"], "i32"],
    ["add", ["bool", "i32"], "i32"],
    ["mul", ["i32", "f16"], "f16"],
    ["sub", ["f16", "f32"], "f32"],
    ["exp", ["i32"], "f32"],
    ["exp", ["f16"], "f16"],
    ["lt", ["i32", "f32"], "bool"],
    ["and", ["f32", "i32"], "bool"],
    ["is_nan", ["i32"], "bool"],
    ["mean", ["i32"], "f32"],
    ["sum", ["bool"], "i32"],
    ["sum", ["f16"], "f16"],
    ["any", ["f32"], "bool"],
    ["argmax", ["f32"], "i32"],
    ["max", ["i32"], "i32"],
    ["identity", ["bool"], "bool"],
    ["transpose", ["bool"], "bool"],
    ["concat", ["i32", "f32"], "f32"],
    ["cast", ["bool"], "f16"],
    ["matmul", ["bool", "bool"], "i32"],
  ] as const)("%s of %j is %s", (op, inputs, want) => {
    expect(dtypeOf(op, ...inputs)).toBe(want);
  });
});
