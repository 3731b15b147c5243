import { describe, expect, test } from "vitest";
import { IndexSpace, type Cond, type Index, type IndexAtom, type IndexVar } from "./index-space";
import { condText, indexText } from "../print/print-index";

/** The meaning of an index for given values of its variables. */
function valueOf(index: Index, at: ReadonlyMap<IndexVar, number>): number {
  const atom = (a: IndexAtom): number => {
    if (a.kind === "var") return at.get(a)!;
    const of = valueOf(a.of, at);
    return a.kind === "div" ? Math.floor(of / a.by) : a.kind === "mod" ? of % a.by : Math.min(of, a.by);
  };
  return index.terms.reduce((sum, { atom: a, by }) => sum + atom(a) * by, index.constant);
}
const holds = (cond: Cond, at: ReadonlyMap<IndexVar, number>): boolean => {
  if (cond.kind === "always" || cond.kind === "never") return cond.kind === "always";
  if (cond.kind === "both") return cond.parts.every((part) => holds(part, at));
  const value = valueOf(cond.index, at);
  if (cond.kind === "below") return value < valueOf(cond.limit, at);
  return cond.kind === "less" ? value < cond.bound : value >= cond.bound;
};

describe("walks through shapes", () => {
  test("the coordinates of a linear index come back together", () => {
    const space = new IndexSpace();
    const i = space.of(space.variable("i", 6 * 5 * 4 - 1, 0));
    const at = space.unravel(i, [6, 5, 4]);
    expect(at.map(indexText)).toEqual(["i / 20u", "(i / 4u) % 5u", "i % 4u"]);
    expect(space.ravel(at, [6, 5, 4])).toBe(i);
  });

  test("steps around a ring add up, and come back", () => {
    const space = new IndexSpace();
    const i = space.variable("i", 9, 0);
    const turned = (from: Index, by: number): Index => space.mod(space.add(from, space.int(by)), 10);
    expect(turned(turned(space.of(i), 9), 1)).toBe(space.of(i));
    expect(indexText(turned(turned(turned(space.of(i), 9), 9), 5))).toBe("(i + 3u) % 10u");
    for (const value of [0, 3, 9]) {
      const at = new Map([[i, value]]);
      expect(valueOf(turned(turned(turned(space.of(i), 9), 9), 5), at)).toBe((value + 23) % 10);
    }
  });

  test("the inner ones of them come back together as a remainder, moved on or not", () => {
    const space = new IndexSpace();
    const i = space.of(space.variable("i", 6 * 5 * 4 - 1, 0));
    for (const index of [i, space.add(i, space.int(4)), space.mul(i, 3)]) {
      const at = space.unravel(index, [18, 5, 4]);
      expect(space.ravel(at.slice(1), [5, 4])).toBe(space.mod(index, 20));
    }
  });

  test("a reshape and its way back are free", () => {
    const space = new IndexSpace();
    const i = space.of(space.variable("i", 47, 0));
    const there = space.ravel(space.unravel(i, [6, 8]), [6, 8]);
    expect(space.ravel(space.unravel(there, [4, 12]), [4, 12])).toBe(i);
  });

  test.each(["forwards", "backwards"])("a view that splits rows leaves the column of a walk %s known", (way) => {
    for (let first = 1; first < 7; first++) {
      for (let second = 1; second < 7; second++) {
        const space = new IndexSpace();
        const [row, turn] = [4, first * second - 1].map((max) => space.of(space.variable("i", max, 0)));
        const column = way === "forwards" ? turn! : space.add(space.int(first * second - 1), space.mul(turn!, -1));
        const whole = space.ravel([row!, column], [5, first * second]);
        const [outer, ...parts] = space.unravel(whole, [5, first, second]);
        expect([outer, space.ravel(parts, [first, second])]).toEqual([row, column]);
      }
    }
  });

  test("a view that splits an axis of the rows leaves the row known", () => {
    for (let first = 1; first < 7; first++) {
      for (let second = 1; second < 7; second++) {
        const space = new IndexSpace();
        const row = space.of(space.variable("row", 3 * first * second - 1, 0));
        const [, own] = space.unravel(row, [3, first * second]);
        expect(space.ravel(space.unravel(own!, [first, second]), [first, second])).toBe(own);
      }
    }
  });

  test("four neighbours share a row where the row's length divides by four", () => {
    const space = new IndexSpace();
    const q = space.of(space.variable("q", 1023, 0));
    const i = space.add(space.mul(q, 4), space.of(space.lane));
    expect(indexText(space.div(i, 64))).toBe("q / 16u");
    expect(indexText(space.mod(i, 64))).toBe("(q % 16u) * 4u + lane");
    expect(condText(space.less(i, 128))).toBe("q < 32u");
    expect(space.div(i, 6).lane).toBe(true);
  });

  test("conditions that always or never hold are known", () => {
    const space = new IndexSpace();
    const i = space.of(space.variable("i", 9, 0));
    expect(
      [space.less(i, 10), space.less(i, 0), space.atLeast(i, 0), space.atLeast(i, 10)].map(({ kind }) => kind),
    ).toEqual(["always", "never", "always", "never"]);
    expect(space.clamp(i, 9)).toBe(i);
  });

  test("positive terms are written first, so that nothing passes below zero", () => {
    const space = new IndexSpace();
    const i = space.of(space.variable("i", 9, 0));
    expect(indexText(space.add(space.mul(i, -1), space.int(9)))).toBe("9u - i");
  });
});

test("simplifying never changes a value: random expressions against plain numbers", () => {
  let state = 7;
  const random = (below: number): number => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % below;
  };
  for (let round = 0; round < 400; round++) {
    const space = new IndexSpace();
    const variables = [3, 7, 63].map((max, i) => space.variable(`v${i}`, max, 0));
    const at = new Map<IndexVar, number>(variables.map((variable) => [variable, random(variable.max + 1)]));
    at.set(space.lane, random(4));
    const made: { index: Index; value: number }[] = [...variables, space.lane].map((variable) => ({
      index: space.of(variable),
      value: at.get(variable)!,
    }));
    for (let step = 0; step < 12; step++) {
      const [a, b] = [made[random(made.length)]!, made[random(made.length)]!];
      const by = 1 + random(12);
      const next = [
        { index: space.add(a.index, b.index), value: a.value + b.value },
        { index: space.mul(a.index, by), value: a.value * by },
        { index: space.div(a.index, by), value: Math.floor(a.value / by) },
        { index: space.mod(a.index, by), value: a.value % by },
        { index: space.clamp(a.index, by - 1), value: Math.min(a.value, by - 1) },
        { index: space.add(space.mul(a.index, -1), space.int(a.index.max)), value: a.index.max - a.value },
      ][random(6)]!;
      expect([indexText(next.index), valueOf(next.index, at)]).toEqual([indexText(next.index), next.value]);
      expect(next.value).toBeGreaterThanOrEqual(next.index.min);
      expect(next.value).toBeLessThanOrEqual(next.index.max);
      const bound = random(40);
      expect(holds(space.less(next.index, bound), at)).toBe(next.value < bound);
      expect(holds(space.atLeast(next.index, bound), at)).toBe(next.value >= bound);
      // A number is one index, however it was computed: what is known at an index is found by its index.
      expect(next.index.terms.length > 0 || next.index === space.int(next.value)).toBe(true);
      made.push(next);
    }
  }
});
