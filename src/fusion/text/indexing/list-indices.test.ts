/** Lists between the brackets against NumPy's rule, written out element by element. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { outputValues } from "../../../../test/output-values";
import { problems } from "../testing";

const ARANGE = (shape: readonly number[]): string => `x: f32[${shape.join(", ")}] = arange()\n`;

describe("a list as an index is a gather", () => {
  test.each([
    ["a = x[:, [-1]]", [4, 1], [5, 11, 17, 23]],
    ["a = x[[0, 2]]", [2, 6], [0, 1, 2, 3, 4, 5, 12, 13, 14, 15, 16, 17]],
    ["a = x[[1]]", [1, 6], [6, 7, 8, 9, 10, 11]],
    ["a = x[[3, 0, 0], 1]", [3], [19, 1, 1]],
    ["a = x[[0, 1], [1, 2]]", [2], [1, 8]],
    ["a = x[[[0], [3]], [1, 2]]", [2, 2], [1, 2, 19, 20]],
    ["i = [3, 1, 0]\na = x[i, 0]", [3], [18, 6, 0]],
    ["i = (3, 1)\na = x[i]", [], [19]],
    ["a = x[0, [True, False, False, False, False, True]]", [2], [0, 5]],
    ["a = x[[i for i in range(4) if i != 2], 0]", [3], [0, 6, 18]],
    ["a = x[list(range(3, -1, -1)), 0]", [4], [18, 12, 6, 0]],
    ["a = x[..., [5, 5]][0]", [2], [5, 5]],
    ["a = x * 1\na[[0, 2]] = 0\na = a[:, 1]", [4], [0, 7, 0, 19]],
    ["a = x.at[[0, 0, 3]].add(1)[:, 0]", [4], [2, 6, 12, 19]],
  ])("%s", (text, shape, values) => {
    expect(problems(ARANGE([4, 6]) + text + "\n")).toEqual([]);
    const { type, data } = outputValues(ARANGE([4, 6]) + text + "\n").at(-1)!;
    expect(type.shape).toEqual(shape);
    expect([...data]).toEqual(values);
  });

  test.each([
    ["a = x[[0, 7]]", "There is no index 7 on axis 0: its size is 4."],
    ["i = torch.tensor([0, 3, 2, 9])\na = x[i]", "There is no index 9 on axis 0: its size is 4."],
    ["i = np.array([0, -7])\na = x[1:, i]", "There is no index -7 on axis 1: its size is 6."],
    ["a = x[:, arange(6) + 1]", "There is no index 6 on axis 1: its size is 6."],
    ["a = x[:, [True, False]]", "A list of 2 truth values can't pick along axis 1: its size is 6."],
  ])("%s is refused", (text, message) => {
    expect(problems(ARANGE([4, 6]) + text + "\n")[0]).toContain(message);
  });

  test("an index that is data, or that counts from the end, stays as it is", () => {
    expect(problems("x: f32[8, 4]\nk: i32[3]\na = x[k]\nb = x[k + 9]\nc = x[torch.tensor([-8, 7])]\n")).toEqual([]);
  });

  test("any mix of whole axes, numbers and lists side by side follows NumPy", () => {
    const law = fc
      .array(fc.integer({ min: 2, max: 4 }), { minLength: 1, maxLength: 3 })
      .chain((shape) => {
        const numbers = (extent: number) => fc.integer({ min: -extent, max: extent - 1 });
        const list = (extent: number) => fc.array(numbers(extent), { minLength: 3, maxLength: 3 });
        const index = (extent: number) => fc.oneof(fc.constant(null), list(extent));
        return fc.tuple(fc.constant(shape), fc.tuple(...shape.map(index)));
      })
      // Lists apart from each other go to the front in NumPy; here they are refused.
      .filter(([, indices]) => {
        const lists = indices.flatMap((each, i) => (each ? [i] : []));
        return lists.length > 0 && lists.at(-1)! - lists[0]! === lists.length - 1;
      });
    fc.assert(
      fc.property(law, ([shape, indices]) => {
        const text = `${ARANGE(shape)}a = x[${indices.map((each) => (each ? `[${each.join(", ")}]` : ":")).join(", ")}] + 0\n`;
        const { type, data } = outputValues(text)[0]!;
        const first = indices.findIndex((each) => each !== null);
        const extents = [
          ...shape.slice(0, first),
          3,
          ...shape.slice(first).filter((_, i) => indices[first + i] === null),
        ];
        expect(type.shape).toEqual(extents);
        const wanted: number[] = [];
        const visit = (at: readonly number[]): void => {
          if (at.length < extents.length) {
            for (let i = 0; i < extents[at.length]!; i++) visit([...at, i]);
            return;
          }
          const whole = at.filter((_, axis) => axis !== first);
          let next = 0;
          const coordinates = shape.map((extent, axis) => {
            const picked = indices[axis];
            if (!picked) return whole[next++]!;
            const number = picked[at[first]!]!;
            return number < 0 ? number + extent : number;
          });
          wanted.push(coordinates.reduce((flat, c, axis) => flat * shape[axis]! + c, 0));
        };
        visit([]);
        expect([...data]).toEqual(wanted);
      }),
      { numRuns: 150 },
    );
  });
});
