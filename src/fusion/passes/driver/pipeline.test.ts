import { expect, test } from "vitest";
import { allPasses } from "..";
import type { Sums } from "../../ir";
import { levelOf, levelUsed, orderRefusal, passOrder, pipelineOf } from "./pipeline";

const usual = allPasses.map(({ name }) => name);
const moved = (name: string, index: number): string[] =>
  usual.filter((other) => other !== name).toSpliced(index, 0, name);

test("the usual order can run, and is what no order means", () => {
  expect(orderRefusal(usual)).toBeNull();
  expect(passOrder()).toEqual(usual);
  expect(pipelineOf(allPasses, {}).map(({ name }) => name)).toEqual(usual);
});

test("another order is followed, within the level", () => {
  const order = moved("producer-consumer", 3);
  expect(passOrder(order)).toEqual(order);
  expect(pipelineOf(allPasses, { order }).map(({ name }) => name)).toEqual(order);
  expect(pipelineOf(allPasses, { order, level: 1 }).map(({ name }) => name)).toEqual([
    "sorted-scatter",
    "canonicalise",
    "loops",
    "producer-consumer",
    "transpose-folding",
    "budget-split",
  ]);
});

test.each([
  ["budget-split", 3, "budget-split"],
  ["producer-consumer", 0, "producer-consumer"],
  ["canonicalise", 12, "tiles-again"],
] as const)("%s at index %i can't run, with the reason", (name, index, later) => {
  const order = moved(name, index);
  const refusal = orderRefusal(order)!;
  expect(refusal.passes[1]).toBe(later);
  expect(refusal.text).toMatch(/^“.+” runs before “.+”: .+\.$/);
  expect(passOrder(order)).toEqual(usual);
});

test("names that an older document lacks keep their position; strange ones are left out", () => {
  const order = moved("multi-output", 12).filter((name) => name !== "attention");
  expect(passOrder(["nothing", ...order, "multi-output"])).toEqual(moved("multi-output", 12));
});

test("the level of a plan is that of the highest pass that changed its counts", () => {
  const totals = (kernels: number): Sums => ({
    kernels,
    transfers: 0,
    fullSizeTransfers: 0,
    bytes: 0,
    predictedMicros: 0,
  });
  const step = (pass: string, kernels: number, accepted = true) => ({ pass, accepted, totals: totals(kernels) });
  const [low, high] = ["producer-consumer", "weight-folding"];
  expect(levelUsed([], totals(3))).toBe(0);
  expect(levelUsed([step(high!, 3), step(low!, 2)], totals(3))).toBe(levelOf(low!));
  expect(levelUsed([step(high!, 3, false), step(low!, 3)], totals(3))).toBe(0);
  expect(levelUsed([step(low!, 2), step(high!, 1)], totals(3))).toBe(levelOf(high!));
});
