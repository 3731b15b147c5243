/** @file Every example leads to the decisions it is there for, in sentences. */
import { expect, test } from "vitest";
import { exampleFaults, examples } from "./decisions";
import { graphOf } from "./kernel-harness";
import { compiled } from "./pass-harness";

test.each(examples.map((example) => [example.name, example] as const))("%s", (_, example) => {
  expect(exampleFaults(example)).toEqual([]);
});

test.each(examples.map((example) => [example.name, example] as const))(
  "%s: no refusal says again what one said",
  (_, { text, options }) => {
    const refused = compiled(graphOf(text), options).steps.filter(({ accepted }) => !accepted);
    const read = refused.map(({ nodes, legal, profitable }) => `${nodes.join()}: ${(profitable ?? legal).text}`);
    expect(read.filter((words, i) => read.indexOf(words) < i)).toEqual([]);
  },
);
