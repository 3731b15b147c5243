/** @file Gathers, scatters, order and running folds against loops written out. */
import { describe, expect, test } from "vitest";
import { sizeOf, stridesOf, type Shape } from "../../src/fusion/ir";
import { coordinatesOf } from "../../src/fusion/reference";
import { f32, of, refusal, upTo, valueOf } from "../one-op";

const wave = (n: number, by: number): number[] => upTo(n).map((i) => Math.round(10 * Math.sin(by * i + 1)));
const flatOf = (at: readonly number[], shape: Shape): number =>
  at.reduce((sum, p, axis) => sum + p * stridesOf(shape)[axis]!, 0);

describe("gather", () => {
  test.each([0, 1, 2])("along axis %d", (axis) => {
    const shape = [3, 4, 2];
    const data = wave(24, 0.7);
    const index = [0, 2, 1, 9, -3, 1];
    const got = valueOf(
      "gather",
      [
        [shape, data],
        [[2, 3], index, "i32"],
      ],
      { axis },
    );
    expect(got.shape).toEqual([...shape.slice(0, axis), 2, 3, ...shape.slice(axis + 1)]);
    got.data.forEach((value, flat) => {
      const at = coordinatesOf(flat, got.shape);
      const asked = index[at[axis]! * 3 + at[axis + 1]!]!;
      const held = Math.min(Math.max(asked, 0), shape[axis]! - 1);
      expect(value).toBe(data[flatOf([...at.slice(0, axis), held, ...at.slice(axis + 2)], shape)]);
    });
  });

  test("element by element, and by tuples", () => {
    const data = wave(12, 0.7);
    const indices = [0, 2, 1, 1, 0, 2, 2, 2];
    const elements = valueOf(
      "gather_elements",
      [
        [[3, 4], data],
        [[2, 4], indices, "i32"],
      ],
      { axis: 0 },
    );
    expect(elements.data).toEqual(indices.map((row, i) => data[row * 4 + (i % 4)]));
    const tuples = valueOf("gather_nd", [
      [[3, 4], data],
      [[2, 2], [0, 3, 2, 1], "i32"],
    ]);
    expect(tuples.data).toEqual([data[3], data[9]]);
    const rows = valueOf(
      "gather_nd",
      [
        [[2, 2, 3], data],
        [[2, 1, 1], [1, 0], "i32"],
      ],
      { batch_dims: 1 },
    );
    expect([rows.shape, rows.data]).toEqual([
      [2, 1, 3],
      [...data.slice(3, 6), ...data.slice(6, 9)],
    ]);
  });

  test("refuses in words", () => {
    expect(refusal("gather", [f32(0, 2), of("i32", 3)], { axis: 0 }, ["x", "i"])).toBe(
      "x is 0×2: there is no element to take along axis 0.",
    );
    expect(refusal("gather_nd", [f32(2, 2), of("i32", 3, 3)], {}, ["x", "i"])).toBe(
      "x is 2×2, i is 3×3: after 0 shared axes a tuple of 3 indices must fit.",
    );
  });
});

describe("scatter", () => {
  const folds: Record<string, (a: number, b: number) => number> = {
    none: (_, b) => b,
    add: (a, b) => a + b,
    mul: (a, b) => a * b,
    max: Math.max,
    min: Math.min,
  };
  test.each(Object.keys(folds))("elements, %s", (reduction) => {
    const [x, index, updates] = [wave(20, 0.7), [1, 3, 3, 0, 7, 2], wave(6, 2.1)];
    const want = [...x];
    index.forEach(
      (row, i) => row < 4 && (want[row * 5 + (i % 3)] = folds[reduction]!(want[row * 5 + (i % 3)]!, updates[i]!)),
    );
    const got = valueOf(
      "scatter_elements",
      [
        [[4, 5], x],
        [[2, 3], index, "i32"],
        [[2, 3], updates],
      ],
      { axis: 0, reduction },
    );
    expect(got.data).toEqual(want);
    const named = valueOf(
      "scatter_add",
      [
        [[4, 5], x],
        [[2, 3], index, "i32"],
        [[2, 3], updates],
      ],
      { axis: 0 },
    ).data;
    expect(reduction === "add" ? named : got.data).toEqual(want);
  });
  test.each(Object.keys(folds))("rows by tuples, %s", (reduction) => {
    const [x, index, updates] = [wave(24, 0.7), [0, 1, 2, 0, 0, 1, 5, 5], wave(8, 2.1)];
    const want = [...x];
    for (let u = 0; u < 4; u++) {
      const [a, b] = [index[2 * u]!, index[2 * u + 1]!];
      if (a >= 3 || b >= 4) continue;
      for (let k = 0; k < 2; k++)
        want[(a * 4 + b) * 2 + k] = folds[reduction]!(want[(a * 4 + b) * 2 + k]!, updates[2 * u + k]!);
    }
    const got = valueOf(
      "scatter_nd",
      [
        [[3, 4, 2], x],
        [[4, 2], index, "i32"],
        [[4, 2], updates],
      ],
      { reduction },
    );
    expect(got.data).toEqual(want);
  });
});

describe("order", () => {
  const data = wave(15, 1.7);
  const columns = (axis: number): number[][] =>
    axis === 1 ? upTo(3).map((r) => upTo(5).map((c) => r * 5 + c)) : upTo(5).map((c) => upTo(3).map((r) => r * 5 + c));
  test.each([
    [0, false],
    [1, false],
    [1, true],
  ] as const)("along axis %d, descending %s: stable", (axis, descending) => {
    const [values, indices] = [Array.from(data), Array.from(data)];
    for (const column of columns(axis)) {
      const order = upTo(column.length).toSorted(
        (a, b) => (descending ? -1 : 1) * (data[column[a]!]! - data[column[b]!]!) || a - b,
      );
      order.forEach((from, to) => {
        values[column[to]!] = data[column[from]!]!;
        indices[column[to]!] = from;
      });
    }
    expect(valueOf("sort", [[[3, 5], data]], { axis, descending }).data).toEqual(values);
    expect(valueOf("argsort", [[[3, 5], data]], { axis, descending }).data).toEqual(indices);
  });

  test("the k largest, the k smallest", () => {
    const row = [3, 9, 9, -1, 4];
    expect(valueOf("topk", [[[5], row]], { k: 3 }).data).toEqual([9, 9, 4]);
    expect(valueOf("topk_indices", [[[5], row]], { k: 3 }).data).toEqual([1, 2, 4]);
    expect(valueOf("topk", [[[5], row]], { k: 2, largest: false }).data).toEqual([-1, 3]);
    expect(refusal("topk", [f32(5)], { k: 6 }, ["x"])).toBe("x is 5: the axis has 5 elements, and 6 are asked for.");
  });

  test("running sums and products, from either end, with and without the element", () => {
    const row = [[[4], [1, 2, 3, 4]]] as const;
    const run = (op: string, attrs: object): number[] => valueOf(op, row, { axis: 0, ...attrs }).data;
    expect(run("cumsum", {})).toEqual([1, 3, 6, 10]);
    expect(run("cumsum", { exclusive: true })).toEqual([0, 1, 3, 6]);
    expect(run("cumsum", { reverse: true })).toEqual([10, 9, 7, 4]);
    expect(run("cumsum", { reverse: true, exclusive: true })).toEqual([9, 7, 4, 0]);
    expect(run("cumprod", {})).toEqual([1, 2, 6, 24]);
  });

  test("one hot where the class stands", () => {
    const got = valueOf("one_hot", [[[3], [2, 0, 5], "i32"]], { num_classes: 3, axis: 0 });
    expect([got.shape, got.data]).toEqual([
      [3, 3],
      [0, 1, 0, 0, 0, 0, 1, 0, 0],
    ]);
    expect(sizeOf(got.shape)).toBe(9);
  });
});
