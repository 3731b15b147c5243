/** @file Every example leads to the decisions it is there for, in sentences. */
import { expect, test } from "vitest";
import { exampleFaults, examples } from "./decisions";

test.each(examples.map((example) => [example.name, example] as const))("%s", (_, example) => {
  expect(exampleFaults(example)).toEqual([]);
});
