import { expect, test } from "vitest";
import { allPasses } from "./index";
import { passCatalogue } from "./catalogue";

test("what is said of the passes is what they say, in their order", () => {
  expect(passCatalogue.map(({ name, title, summary, numerics }) => ({ name, title, summary, numerics }))).toEqual(
    allPasses.map(({ name, title, summary, numerics }) => ({ name, title, summary, numerics })),
  );
});
