/** @file Determinants against elimination with pivots. */
import { expect, test } from "vitest";
import { close, run, upTo, wave } from "./testing";

/** Rows are swapped so that the largest element is divided by. */
function eliminated(rows: number[][]): number {
  let product = 1;
  for (const at of rows.keys()) {
    const best = upTo(rows.length)
      .slice(at)
      .reduce((a, b) => (Math.abs(rows[b]![at]!) > Math.abs(rows[a]![at]!) ? b : a));
    if (best !== at) [rows[at], rows[best], product] = [rows[best]!, rows[at]!, -product];
    const pivot = rows[at]!;
    product *= pivot[at]!;
    if (pivot[at] === 0) return 0;
    for (const row of rows.slice(at + 1)) {
      const by = row[at]! / pivot[at]!;
      row.forEach((value, i) => (row[i] = value - by * pivot[i]!));
    }
  }
  return product;
}

test.each([[1], [2], [3], [5], [8]])("of %d rows, two at once", (size) => {
  const data = wave(2 * size * size, 1.9).map((v, i) => v + ((i * i * 7) % 5) / 4);
  const [got] = run("Det", [[[2, size, size], data]]);
  const square = (at: number): number[][] =>
    upTo(size).map((r) => data.slice((at * size + r) * size, (at * size + r + 1) * size));
  expect(got!.shape).toEqual([2]);
  close(got!.data, [eliminated(square(0)), eliminated(square(1))]);
});

test("of one matrix, where a first element is 0", () => {
  expect(
    run("Det", [
      [
        [2, 2],
        [0, 1, 1, 0],
      ],
    ]),
  ).toEqual([{ shape: [], data: [-1] }]);
});
