import { expect, test } from "vitest";
import { allPasses } from "./index";
import { passTitles } from "./titles";

test("what is said of the passes is what they say, in their order", () => {
  expect(passTitles.map(({ name, title, summary, numerics }) => ({ name, title, summary, numerics }))).toEqual(
    allPasses.map(({ name, title, summary, numerics }) => ({ name, title, summary, numerics })),
  );
});
