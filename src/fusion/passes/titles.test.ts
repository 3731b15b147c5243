import { expect, test } from "vitest";
import { allPasses } from "./index";
import { passTitles } from "./titles";

test("the titles are the pipeline's, in its order", () => {
  expect(passTitles).toEqual(allPasses.map(({ name, title }) => ({ name, title })));
});
