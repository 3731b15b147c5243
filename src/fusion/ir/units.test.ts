import { expect, test } from "vitest";
import { clearlyLess, groupedCounts, plural, showBytes, showCount, showMicros } from "./units";

test("bytes have three figures at most and no trailing zeros", () => {
  const said = [0, 12, 1023, 1024, 3072, 16 * 1024, 12 * 2 ** 20, 6.0117 * 2 ** 20, 1023 * 2 ** 20, 2 ** 40].map(
    showBytes,
  );
  expect(said).toEqual([
    "0 B",
    "12 B",
    "1,023 B",
    "1 KiB",
    "3 KiB",
    "16 KiB",
    "12 MiB",
    "6.01 MiB",
    "1,023 MiB",
    "1 TiB",
  ]);
  expect(showBytes(-16 * 1024)).toBe("−16 KiB");
});

test("times pick the unit that keeps the number short", () => {
  expect([0, 0.00819, 8, 67.08, 999.4, 999.7, 1200, 2.5e6].map(showMicros)).toEqual([
    "0 µs",
    "8.19 ns",
    "8 µs",
    "67.1 µs",
    "999 µs",
    "1,000 µs",
    "1,200 µs",
    "2,500 ms",
  ]);
});

test("counts have their thousands apart, and one of a thing is one", () => {
  expect([0, 999, 1000, 1234567, -4096, 12.5].map(showCount)).toEqual([
    "0",
    "999",
    "1,000",
    "1,234,567",
    "-4,096",
    "12.5",
  ]);
  expect([plural(0, "op"), plural(1, "op"), plural(1240, "op"), plural(2, "index", "indices")]).toEqual([
    "0 ops",
    "1 op",
    "1,240 ops",
    "2 indices",
  ]);
});

test("a sentence's counts have their thousands apart; its names, types and shapes stay", () => {
  expect(groupedCounts("`w_4096` combines 65536 values of 2048×8192, 1024 of them f32[1024, 8].")).toBe(
    "`w_4096` combines 65,536 values of 2048×8192, 1,024 of them f32[1024, 8].",
  );
  expect(groupedCounts("0.00000190735, 12,345 and 999")).toBe("0.00000190735, 12,345 and 999");
});

test("less by a thousandth is not worth a word", () => {
  expect([clearlyLess(8.01, 8.02), clearlyLess(8, 8.2), clearlyLess(8, 8)]).toEqual([false, true, false]);
});
