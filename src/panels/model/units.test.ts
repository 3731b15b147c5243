import { describe, expect, test } from "vitest";
import {
  brief,
  count,
  decimal,
  measureBytes,
  measureMicros,
  plural,
  scientific,
  showBytes,
  showMicros,
  significant,
} from "./units";

test.each([
  [0, "0"],
  [6, "6"],
  [37.14, "37.1"],
  [1234.5, "1,230"],
  [0.0671, "0.0671"],
  [-2.5, "−2.5"],
  [3.14159e-6, "3.1e-6"],
  [Number.POSITIVE_INFINITY, "∞"],
  [Number.NaN, "NaN"],
])("%d has three significant figures at most: %s", (value, shown) => expect(significant(value)).toBe(shown));

test.each([
  [512, "512 B"],
  [8192, "8 KiB"],
  [6 * 1024 ** 2, "6 MiB"],
  [1.5 * 1024 ** 3, "1.5 GiB"],
])("%d bytes read as %s", (bytes, shown) => expect(showBytes(bytes)).toBe(shown));

test.each([
  [0.45, "450 ns"],
  [37.1, "37.1 µs"],
  [15_800, "15.8 ms"],
  [2_300_000, "2,300 ms"],
  [12_300_000, "12.3 s"],
])("%d µs read as %s", (micros, shown) => expect(showMicros(micros)).toBe(shown));

describe("several values share one unit", () => {
  const shown = (all: readonly number[], measure: (value: number) => { value: string; unit: string }): string =>
    `${all.map((each) => measure(each).value).join(" ")} ${measure(all[0]!).unit}`;
  const MIB = 1024 ** 2;
  test.each([
    [[114 * MIB, 48 * MIB, 18 * MIB], "114 48 18 MiB"],
    [[5.36 * MIB, 2.01 * MIB, 96 * 1024], "5,490 2,060 96 KiB"],
    [[4096 * MIB, 1024], "4,100 0.000977 MiB"],
    [[0, 0], "0 0 B"],
  ])("bytes %#: %s", (all, words) => expect(shown(all, measureBytes(all))).toBe(words));
  test.each([
    [[255, 100, 34], "255 100 34 µs"],
    [[1570, 631, 24.1], "1,570 631 24.1 µs"],
    [[90_000, 12_000], "90 12 ms"],
  ])("times %#: %s", (all, words) => expect(shown(all, measureMicros(all))).toBe(words));
});

test("rates take decimal steps", () => {
  expect(decimal(690e9, "B/s")).toBe("690 GB/s");
  expect(decimal(41e12, "FLOP/s")).toBe("41 TFLOP/s");
  expect(decimal(1e10, "")).toBe("10 G");
});

test("small differences are written with an exponent", () => {
  expect(scientific(3.14e-6)).toBe("3.1e-6");
  expect(scientific(1e-4)).toBe("1e-4");
  expect(scientific(0)).toBe("0");
});

test("counts are whole and grouped", () => {
  expect(count(1240)).toBe("1,240");
  expect(plural(1, "op")).toBe("1 op");
  expect(plural(2, "pass", "passes")).toBe("2 passes");
});

test("a small number beside larger ones of its unit stays short", () => {
  expect([0, 0.0004, 0.0345, 0.5, 1, 1024].map(brief)).toEqual(["0", "<0.01", "0.03", "0.5", "1", "1,020"]);
});

test("a time by itself and beside others that take at least a microsecond reads alike", () => {
  for (const all of [
    [1513.7, 33.2],
    [2400, 1200],
    [9_990, 1],
    [999.7, 8],
  ]) {
    const one = measureMicros(all);
    expect(all.map((micros) => `${one(micros).value} ${one(micros).unit}`)).toEqual(all.map(showMicros));
  }
});
