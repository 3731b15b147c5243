/** @file Folds of windows, axis by axis: the reference's values and exact counts, whatever the windows are, and fewer terms where that is less. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { compile, defaultOptions, generic } from "../../src/fusion";
import { fusionAt } from "../../src/fusion/compile";
import { wordFaults } from "./decisions";
import { complaints, gpu, graphOf } from "./kernel-harness";
import { compiled, trafficFaults, valueFaults } from "./pass-harness";

/** Of which only arithmetic takes time. */
const slow = { ...generic, multiprocessors: 1, peakFlops: 1e6, launchMicros: 0, bandwidth: 1e15 };

const axis = fc
  .record({
    kernel: fc.integer({ min: 1, max: 5 }),
    stride: fc.integer({ min: 1, max: 3 }),
    dilation: fc.integer({ min: 1, max: 2 }),
    padding: fc.integer({ min: 0, max: 4 }),
    extent: fc.integer({ min: 1, max: 9 }),
  })
  .filter(
    ({ kernel, dilation, padding, extent }) => extent + 2 * padding > dilation * (kernel - 1) && 2 * padding <= kernel,
  );

const CALLS = [
  "F.max_pool2d(X, K, stride=S, padding=P, dilation=D)",
  "-F.max_pool2d(-X, K, stride=S, padding=P, dilation=D)",
  "avg_pool(X, K, stride=S, padding=P, dilation=D)",
  "avg_pool(X, K, stride=S, padding=P, dilation=D, count_include_pad=False, ceil_mode=True)",
  "(avg_pool(X, K, stride=S, padding=P, dilation=D) - 1).square()",
];

test("values, counts and words, whatever the windows are", () => {
  let made = 0;
  fc.assert(
    fc.property(fc.array(axis, { minLength: 2, maxLength: 3 }), fc.constantFrom(...CALLS), (axes, call) => {
      const of = (name: keyof (typeof axes)[number]): string => `(${axes.map((each) => each[name]).join(", ")})`;
      const pooled = call
        .replaceAll("max_pool2d", "max_pool")
        .replaceAll("X", "x")
        .replace("K", of("kernel"))
        .replace("S", of("stride"))
        .replace("P", of("padding"))
        .replace("D", of("dilation"));
      const text = `x: f32[2, 3, ${axes.map(({ extent }) => extent).join(", ")}]\ny = ${pooled}`;
      const compilation = compiled(graphOf(text), { profile: slow });
      const steps = compilation.steps.filter(({ rule }) => rule === "axis-by-axis");
      const final = fusionAt(compilation, compilation.steps.length);
      expect(valueFaults(compilation.drawn, final)).toEqual([]);
      expect(trafficFaults(final)).toEqual([]);
      expect(complaints(final, gpu, 1e-5)).toEqual([]);
      expect(steps.flatMap(wordFaults)).toEqual([]);
      if (steps.some(({ accepted }) => accepted)) made++;
    }),
    { numRuns: 60 },
  );
  expect(made).toBeGreaterThan(15);
});

test.each([
  ["a blur of nine by nine", "x: f32[8, 4, 512, 512]\ny = F.avg_pool2d(x, 9, stride=1, padding=4)", true],
  ["the largest around each element of a volume", "x: f32[8, 64, 128, 128]\ny = F.max_pool3d(x, 7, 1, 3)", true],
  ["three by three: to store takes more", "x: f32[8, 4, 512, 512]\ny = F.avg_pool2d(x, 3, stride=1, padding=1)", false],
])("%s", (_name, text, accepted) => {
  const { fusedPlan, steps } = compile(`${text}\nreturn y\n`, defaultOptions);
  const asked = steps.filter(({ rule }) => rule === "axis-by-axis");
  expect(asked.some((step) => step.accepted)).toBe(accepted);
  expect(fusedPlan!.kernels.length).toBe(1 + asked.filter((step) => step.accepted).length);
  expect(asked.flatMap(wordFaults)).toEqual([]);
});

test("windows that do not overlap are folded at once", () => {
  const { steps } = compile("x: f32[8, 4, 512, 512]\nreturn F.avg_pool2d(x, 8)\n", defaultOptions);
  expect(steps.filter(({ rule }) => rule === "axis-by-axis")).toEqual([]);
});
