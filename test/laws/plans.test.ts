/** @file The laws of whole plans: structure, replay, and the GPU's schedule. The CPU's schedule is next door, so that both run at once. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { allComposites, allOps } from "../../src/fusion/ops";
import { forInterpreter, graphOf, programs } from "./any-program";
import { planned as plan, runFaults, structureFaults } from "./plan-laws";
import { everyPlan, planned } from "./plan-property";

test(`every state, every count and the GPU's kernels: ${planned}`, { timeout: 900_000 }, () => {
  everyPlan((one) => {
    const found = plan(one);
    return [...structureFaults(found), ...runFaults(found, "gpu", one.text.length)];
  });
});

test("random programs reach every op", () => {
  const texts = fc.sample(programs(forInterpreter), { numRuns: 3000, seed: 1 });
  const seen = new Set(texts.flatMap((text) => [...graphOf(text).nodes.values()].map(({ op }) => op)));
  const written = new Set(texts.flatMap((text) => text.match(/\w+(?=\()/g) ?? []));
  const missed = [
    // `repeat` is `tile`'s twin with its own defaults, `hole` is no op; bits of integers, loops and sorted scatters have laws of their own.
    ...allOps.filter(
      ({ name }) =>
        !seen.has(name) &&
        ![
          "hole",
          "repeat",
          "map_loop",
          "row_loop",
          "lower_bound",
          "fold_ranges",
          "group_indices",
          "count_keys",
          "last_keys",
        ].includes(name) &&
        !/^(bit|shift)_/.test(name),
    ),
    // Composites of other composites' parts: nothing that the others don't lower to.
    ...allComposites.filter(
      ({ name, aliases = [] }) => ![name, `${name}2d`, ...aliases].some((one) => written.has(one)),
    ),
  ];
  expect(missed.map(({ name }) => name)).toEqual([]);
});
