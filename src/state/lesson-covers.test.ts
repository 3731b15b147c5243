import { expect, test } from "vitest";
import { coveredAt } from "./slices/predict-slice";
import { lessonHeads, loadLesson, type Lesson } from "../course";

const lessons = (await Promise.all(lessonHeads.map(({ id }) => loadLesson(id)))) as Lesson[];
const NONE = (): boolean => false;

test("the first lesson asks for the naive bytes before the score tells them, and for the end before it is shown", () => {
  const { steps } = lessons.find(({ id }) => id === "memory-is-the-cost")!;
  const read = (index: number, answered: number) => coveredAt(steps, index, (step) => step < answered);
  expect([0, 1].map((index) => read(index, 0))).toEqual(["all", "all"]);
  expect([1, 2].map((index) => read(index, 2))).toEqual(["end", "end"]);
  expect([2, 3].map((index) => read(index, 3))).toEqual(["nothing", "nothing"]);
});

test("what a question covers is not told by the step before it", () => {
  const told = lessons.flatMap(({ id, steps }) =>
    steps.flatMap(({ ask, show, paragraphs }, i) => {
      const before = steps[i - 1];
      const isNewProgram = show?.program !== undefined || show?.example !== undefined;
      if (i === 0 || ask?.kind !== "number" || isNewProgram || !before || before.task) return [];
      const [covered, early] = [coveredAt(steps, i, NONE), coveredAt(steps, i - 1, (step) => step < i)];
      const isTold =
        before.show?.at === "end" ||
        paragraphs.join() === "" ||
        /\{[^}]*(?<![.:])\b(?:bytes|kernels|micros)\b/.test(before.paragraphs.join());
      return covered !== "nothing" && early === "nothing" && !isTold ? [`${id} ${i}`] : [];
    }),
  );
  expect(told).toEqual([]);
});
