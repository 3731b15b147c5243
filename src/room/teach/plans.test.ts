import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { lessonHeads } from "../../course";
import { classPlans, clock } from "./plans";

const [short, long] = classPlans(lessonHeads);
const endOf = (rows: NonNullable<typeof short>["rows"]): number => rows.at(-1)!.from + rows.at(-1)!.minutes;

test("both plans fit their time and waste none of it where another lesson would fit", () => {
  expect(endOf(short!.rows)).toBeLessThanOrEqual(45);
  expect(endOf(short!.rows)).toBeGreaterThan(35);
  expect(endOf(long!.rows)).toBeLessThanOrEqual(180);
  expect(endOf(long!.rows)).toBeGreaterThan(165);
});

test("the long plan has every lesson once, in order", () => {
  const titles = long!.rows.flatMap(({ what }) =>
    typeof what !== "string" && what.kind === "lesson" ? [what.title] : [],
  );
  expect(titles).toEqual(lessonHeads.filter(({ kind }) => kind === "lesson").map(({ title }) => title));
});

test("docs/teaching.md has the plan of 45 minutes as it is", () => {
  const doc = readFileSync("docs/teaching.md", "utf8");
  for (const { from, minutes, what } of short!.rows)
    expect(doc).toMatch(
      new RegExp(`\\| ${clock(from)} +\\| ${minutes} min +\\| ${(what as { title: string }).title} `),
    );
});
