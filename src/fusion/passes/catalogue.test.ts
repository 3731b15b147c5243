import { expect, test } from "vitest";
import { allPasses } from "./index";
import { passCatalogue } from "./catalogue";

test("every pass has its title, in the pipeline's order", () => {
  expect(passCatalogue.map(({ name }) => name)).toEqual(allPasses.map(({ name }) => name));
});
