/** @file Losses that PyTorch computes for trainings as people type them, from the same weights: the first number that each step tells. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { compile, defaultOptions, PATIENCE, targetOf, trainingOf, trainOnCpu } from "../src/fusion";

const programs = readFileSync(new URL("fixtures/torch-trainings.txt", import.meta.url), "utf8")
  .split("\n\n")
  .map((block) => {
    const lines = block.trim().split("\n");
    const told = lines.at(-1)!.replace("# ", "").split(" ").map(Number);
    return { text: `${lines.slice(0, -1).join("\n")}\n`, told };
  });

/** What the first steps tell, by the naive kernels. */
function losses(text: string, steps: number): readonly number[] | string {
  const compilation = compile(text, defaultOptions, undefined, PATIENCE);
  const wrong = compilation.diagnostics.find(({ severity }) => severity === "error");
  if (wrong || !compilation.naive) return wrong?.text ?? "no plan";
  const source = compilation.naive.graph;
  const training = trainingOf({ graph: source, updates: compilation.updates, symbols: compilation.symbols });
  if (!training) return "It does not train.";
  const { profile } = defaultOptions;
  const trainer = trainOnCpu({ source, fusion: compilation.naive, training }, targetOf(profile), profile, 0);
  return Array.from({ length: steps }, () => trainer.step()[0]!);
}

test(`${programs.length} trainings lose as PyTorch's do`, { timeout: 120_000 }, () => {
  const faults = programs.flatMap(({ text, told }) => {
    const found = losses(text, told.length);
    const near = (loss: number, i: number): boolean => Math.abs(loss - told[i]!) <= 2e-3 * Math.abs(told[i]!) + 1e-5;
    return typeof found !== "string" && found.every(near) ? [] : [`${text}: ${String(found)}`];
  });
  expect(faults).toEqual([]);
});
