/** @file Ops that draw: their seeds decide, their distributions are those that the node states, and nothing of a training mode is dropped. */
import { expect, test } from "vitest";
import { run, upTo } from "./testing";

const COUNT = 4096;
const mean = (data: readonly number[]): number => data.reduce((sum, x) => sum + x, 0) / data.length;
const spread = (data: readonly number[]): number => Math.sqrt(mean(data.map((x) => (x - mean(data)) ** 2)));
const shape = { name: "shape", ints: [64, 64] };
const ones = [[64, 64], upTo(COUNT).map(() => 1)] as const;

test("draws are those of the distribution that the node states", () => {
  const [uniform] = run(
    "RandomUniform",
    [],
    [shape, { name: "low", f: 2 }, { name: "high", f: 4 }, { name: "seed", f: 3 }],
  );
  expect(uniform!.shape).toEqual([64, 64]);
  expect(Math.min(...uniform!.data)).toBeGreaterThanOrEqual(2);
  expect(Math.max(...uniform!.data)).toBeLessThan(4);
  expect(mean(uniform!.data)).toBeCloseTo(3, 1);
  const [normal] = run(
    "RandomNormalLike",
    [ones],
    [
      { name: "mean", f: 5 },
      { name: "scale", f: 2 },
    ],
  );
  expect(Math.abs(mean(normal!.data) - 5)).toBeLessThan(0.15);
  expect(Math.abs(spread(normal!.data) - 2)).toBeLessThan(0.15);
  const [coins] = run("Bernoulli", [[[64, 64], upTo(COUNT).map(() => 0.25)]]);
  expect(new Set(coins!.data)).toEqual(new Set([0, 1]));
  expect(Math.abs(mean(coins!.data) - 0.25)).toBeLessThan(0.03);
});

test("a sample of log-probabilities is as frequent as they say", () => {
  const logits = [
    [1, 3],
    [Math.log(0.2), Math.log(0.5), Math.log(0.3)],
  ] as const;
  const [samples] = run("Multinomial", [logits], [{ name: "sample_size", i: COUNT }]);
  expect(samples!.shape).toEqual([1, COUNT]);
  for (const [i, share] of [0.2, 0.5, 0.3].entries())
    expect(Math.abs(samples!.data.filter((x) => x === i).length / COUNT - share)).toBeLessThan(0.04);
});

test("one seed is one mask, and another seed another one", () => {
  const drop = (seed: number): number[] =>
    run("Dropout", [ones, [[], [0.5]], [[], [1]]], [{ name: "seed", i: seed }], { known: [1, 2] })[0]!.data;
  expect(drop(7)).toEqual(drop(7));
  expect(drop(7)).not.toEqual(drop(8));
});

test("dropout in training mode drops its share, scales the rest and hands out its mask; with a bias and a residual too", () => {
  const [y, mask] = run("Dropout", [ones, [[], [0.25]], [[], [1]]], [], { outputs: 2, known: [1, 2] });
  expect(Math.abs(mean(mask!.data) - 0.75)).toBeLessThan(0.03);
  y!.data.forEach((value, i) => expect(value).toBeCloseTo(mask!.data[i]! / 0.75, 5));
  const zero = [[64], upTo(64).map(() => 0)] as const;
  const biased = run("BiasDropout", [ones, zero, ones, [[], [0.25]], [[], [1]]], [], {
    outputs: 2,
    domain: "com.microsoft",
    known: [3, 4],
  });
  biased[0]!.data.forEach((value, i) => expect(value).toBeCloseTo(1 + biased[1]!.data[i]! / 0.75, 5));
  const still = run("BiasDropout", [ones, zero, ones, [[], [0.25]]], [], { domain: "com.microsoft", known: [3] });
  expect(new Set(still[0]!.data)).toEqual(new Set([2]));
});
