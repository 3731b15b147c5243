/** @file Single laws notice the bug that they are there for. */
import { expect, test } from "vitest";
import { compile, defaultOptions } from "../../src/fusion/compile";
import { allLessons, optionsFor } from "../../src/lessons";
import { complaints, gpu, graphOf, oneRegion } from "../laws/kernel-harness";
import { verdictFaults } from "../laws/verdicts";
import { withBug } from "./index.ts";

test("a choice of the worst", () => {
  const [lesson] = allLessons;
  const faults = (): string[] =>
    compile(lesson!.text, optionsFor(lesson!, defaultOptions, null, defaultOptions)).steps.flatMap(verdictFaults);
  expect(faults()).toEqual([]);
  expect(withBug("worst-chosen", faults)).not.toEqual([]);
});

test("a pair of halves that begins in the middle of a word", () => {
  const whole = oneRegion(graphOf("x: f16[7, 11]\nb: f16[11]\ny = relu(x + b)"));
  const faults = (): readonly string[] => complaints(whole, { ...gpu, shaderF16: false });
  expect(faults()).toEqual([]);
  expect(withBug("torn-word", faults)).not.toEqual([]);
});

test("a part of a split matmul that is left out", () => {
  const whole = oneRegion(graphOf("a: f32[3, 65536]\nb: f32[65536, 4]\ny = a @ b"));
  const faults = (): readonly string[] => complaints(whole, gpu, 1e-6);
  expect(faults()).toEqual([]);
  expect(withBug("wrong-partial", faults)).not.toEqual([]);
});
