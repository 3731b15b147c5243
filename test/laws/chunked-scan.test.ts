/** @file Scans of few long rows in chunks: values, counts and prices over random shapes, axes, directions and what stands around them. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { compile, defaultOptions } from "../../src/fusion";
import { fusionAt } from "../../src/fusion/compile";
import { generic } from "../../src/fusion/cost";
import { complaints, cpu, gpu, graphOf } from "./kernel-harness";
import { compiled, stepFaults, valueFaults } from "./pass-harness";

const [COUNT, SEED] = (process.env["SCAN_LAWS"] ?? "12:20261123").split(":").map(Number) as [number, number];

/** A machine that launches at once: whatever keeps it busier pays. */
const eager = { ...generic, name: "eager", launchMicros: 0.001 };

const few = fc.array(fc.constantFrom(1, 2, 3, 5), { maxLength: 2 });
const scans = fc
  .record({
    outer: few,
    inner: few,
    length: fc.constantFrom<number>(600, 3001, 4096, 12_000, 30_000),
    op: fc.constantFrom("cumsum", "cumprod", "cummax", "cummin", "logcumsumexp"),
    reverse: fc.boolean(),
    exclusive: fc.boolean(),
    before: fc.constantFrom("x", "exp(-x * x) * 0.01 + 1", "relu(x)"),
    after: fc.constantFrom("y", "y * 2 + x", "y.sum()", "torch.flip(y, (0,))"),
  })
  .filter(({ outer, inner, length }) => [...outer, ...inner].reduce<number>((a, b) => a * b, length) < 40_000)
  .map(({ outer, inner, length, op, reverse, exclusive, before, after }) => {
    const alone = op === "cumsum" && exclusive ? ", exclusive=True" : "";
    return [
      `x: f32[${[...outer, length, ...inner].join(", ")}]`,
      `y = ${op}(${before}, axis=${outer.length}, reverse=${reverse ? "True" : "False"}${alone})`,
      `return ${after}`,
    ].join("\n");
  });

test(`${COUNT} scans, seed ${SEED}`, () => {
  let chunked = 0;
  fc.assert(
    fc.property(scans, (text) => {
      const compilation = compiled(graphOf(text), { profile: eager });
      if (compilation.steps.some(({ pass, accepted }) => pass === "chunked-scan" && accepted)) chunked++;
      expect(stepFaults(compilation)).toEqual([]);
      const final = fusionAt(compilation, compilation.steps.length);
      expect(valueFaults(compilation.drawn, final, eager)).toEqual([]);
      for (const target of [gpu, cpu]) expect(complaints(final, target, 1e-7)).toEqual([]);
    }),
    { numRuns: COUNT, seed: SEED },
  );
  expect(chunked).toBeGreaterThan(COUNT / 5);
});

test("one long row takes little more than many short ones", () => {
  const micros = (text: string): number => {
    const { fusedPlan } = compile(text, defaultOptions);
    return fusedPlan!.kernels.reduce((sum, { predictedMicros }) => sum + predictedMicros, 0);
  };
  const rows = micros("x: f32[4096, 4096]\nreturn x.cumsum(-1)\n");
  expect(micros("x: f32[16777216]\nreturn x.cumsum(0)\n")).toBeLessThan(2 * rows);
});
