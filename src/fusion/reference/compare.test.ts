import { expect, test } from "vitest";
import { compareOutputs, ulpsBetween } from "./compare";

const limit = { rtol: 1e-5, atol: 1e-6, nanMayVanish: false };

test("equal is equal: infinities, NaN on both sides, what overflows f32, signed zeros", () => {
  const same = compareOutputs(
    [1, Infinity, -Infinity, NaN, 1e39, 0],
    [1, Infinity, -Infinity, NaN, Infinity, -0],
    limit,
  );
  expect(same).toMatchObject({
    maxAbs: 0,
    maxRel: 0,
    maxUlp: 0,
    rmse: 0,
    worst: null,
    nanMismatches: 0,
    compared: 6,
    pass: true,
  });
});

test("the worst element is the one that uses most of its limit, not the one furthest away", () => {
  const got = compareOutputs([1000, 1], [1000.005, 1.00004], limit);
  expect(got).toMatchObject({ worst: { at: 1, got: 1.00004, want: 1 }, pass: false });
  expect(got.maxAbs).toBeCloseTo(0.005, 9);
  expect(got.maxRel).toBeCloseTo(0.00004, 9);
  expect(compareOutputs([1000, 1], [1000.005, 1.000005], limit).pass).toBe(true);
});

test("near 0 a ratio says nothing, the absolute limit decides", () => {
  expect(compareOutputs([1e-9], [-1e-7], limit)).toMatchObject({ maxRel: 0, maxUlp: 0, pass: true });
  expect(compareOutputs([1e-9], [-1e-5], limit).pass).toBe(false);
});

test("a missing or wrong infinity fails", () => {
  expect(compareOutputs([Infinity], [3.4e38], limit)).toMatchObject({ maxAbs: Infinity, pass: false });
  expect(compareOutputs([1], [Infinity], limit)).toMatchObject({
    pass: false,
    worst: { at: 0, got: Infinity, want: 1 },
  });
});

test("a NaN out of nothing always fails; one that vanished does unless the ops may lose it", () => {
  expect(compareOutputs([1], [NaN], { ...limit, nanMayVanish: true })).toMatchObject({ nanMismatches: 1, pass: false });
  expect(compareOutputs([NaN], [0], limit)).toMatchObject({ nanMismatches: 1, pass: false });
  expect(compareOutputs([NaN], [0], { ...limit, nanMayVanish: true })).toMatchObject({ nanMismatches: 1, pass: true });
});

test("too few values fail", () => {
  expect(compareOutputs([1, 2], [1], limit)).toMatchObject({ compared: 1, pass: false });
});

test("ULPs count neighbouring f32 values, across zero too", () => {
  expect(ulpsBetween(1, 1 + 2 ** -23)).toBe(1);
  expect(ulpsBetween(-1, -1 - 2 ** -23)).toBe(1);
  expect(ulpsBetween(2 ** -149, -(2 ** -149))).toBe(2);
  expect(ulpsBetween(0, -0)).toBe(0);
});
