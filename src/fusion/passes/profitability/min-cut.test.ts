import fc from "fast-check";
import { expect, test } from "vitest";
import { cheapestCut, type CutValue } from "./min-cut";

const costOf = (values: readonly CutValue[], near: ReadonlySet<number>): number =>
  values.reduce(
    (sum, { cost }, at) =>
      sum + (near.has(at) && values.some(({ needs }, by) => !near.has(by) && needs.includes(at)) ? cost : 0),
    0,
  );
const isClosed = (values: readonly CutValue[], near: ReadonlySet<number>): boolean =>
  [...near].every((at) => values[at]!.needs.every((need) => near.has(need)));

const valuesArbitrary = fc
  .array(fc.record({ cost: fc.integer({ min: 0, max: 9 }), from: fc.array(fc.nat(), { maxLength: 3 }) }), {
    minLength: 2,
    maxLength: 12,
  })
  .map((list) =>
    list.map(({ cost, from }, at): CutValue => ({
      cost,
      needs: at === 0 ? [] : [...new Set(from.map((n) => n % at))],
    })),
  );

test("no other way to part the first from the last is cheaper", () => {
  fc.assert(
    fc.property(valuesArbitrary, (values) => {
      const last = values.length - 1;
      const ways = Array.from(
        { length: 2 ** values.length },
        (_, mask) => new Set(values.flatMap((_, at) => ((mask >> at) % 2 === 1 ? [at] : []))),
      ).filter((near) => near.has(0) && !near.has(last) && isClosed(values, near));
      const near = cheapestCut(values, [0], [last])!;
      expect(near.has(0) && !near.has(last) && isClosed(values, near)).toBe(true);
      expect(costOf(values, near)).toBe(Math.min(...ways.map((way) => costOf(values, way))));
    }),
    { numRuns: 300, seed: 20261120 },
  );
});

test("where the near side needs the far one there is no cut, and a long chain is no deep one", () => {
  const chain = Array.from({ length: 2000 }, (_, at): CutValue => ({
    needs: at === 0 ? [] : [at - 1],
    cost: at === 777 ? 1 : 4,
  }));
  expect(cheapestCut(chain, [5], [2])).toBeNull();
  expect(cheapestCut(chain, [0], [1999])?.size).toBe(778);
});
