import { expect, test } from "vitest";
import { apartOf, statisticsOf, toldApart } from "./values";

test("what is no number is counted, and the rest is summed up without it", () => {
  expect(statisticsOf([1, Number.NaN, 3, Infinity, -Infinity])).toEqual({
    elements: 5,
    least: 1,
    largest: 3,
    mean: 2,
    nan: 1,
    infinite: 2,
  });
  expect(statisticsOf([Number.NaN])).toMatchObject({ least: null, mean: null, nan: 1 });
});

test("the element that is farthest apart is found; a number against none comes first", () => {
  expect(apartOf([1, 2, 3], [1, 2.5, 3.1])).toMatchObject({ different: 2, worst: 1 });
  expect(apartOf([1, 2, Infinity], [9, Number.NaN, Infinity])).toMatchObject({ different: 2, worst: 1 });
  expect(apartOf([Number.NaN, Infinity], [Number.NaN, Infinity])).toMatchObject({ different: 0, worst: null });
});

test("two numbers that differ are told with digits that differ", () => {
  expect(toldApart(0.9137481, 0.913748)).toEqual(["0.9137481", "0.913748"]);
  const [one, other] = toldApart(Math.fround(0.01373009), Math.fround(0.01373009 + 1.9e-9));
  expect(one).not.toBe(other);
});
