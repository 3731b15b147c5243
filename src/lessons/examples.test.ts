import { expect, test } from "vitest";
import { compile, defaultOptions } from "../fusion";
import { examples, findExample, sizeOfText } from "./examples";

/** What a run may hold on the machine unless the person raises it. */
const MEMORY_BUDGET = 512 * 2 ** 20;

const sizes = ["S", "M", "L"] as const;

test.each(examples)("$id keeps its promises", ({ text, sizes: choice, ...example }) => {
  const options = { ...defaultOptions, granularity: example.granularity };
  expect(choice && sizeOfText({ ...example, text, sizes: choice }, text)).toBe("M");
  expect(compile(text, options).steps.length).toBeGreaterThan(0);
  for (const size of sizes) {
    const resized = choice
      ? text.replace(new RegExp(`^${choice.name} = .*$`, "m"), `${choice.name} = ${choice[size]}`)
      : text;
    const { diagnostics, naivePlan, fusedPlan } = compile(resized, options);
    expect(diagnostics).toEqual([]);
    expect(fusedPlan!.totals.bytes).toBeLessThanOrEqual(naivePlan!.totals.bytes);
    expect(fusedPlan!.totals.kernels).toBeLessThanOrEqual(naivePlan!.totals.kernels);
    // The naive and the fused plan are on the machine at the same time, with inputs of their own.
    expect(naivePlan!.plannedBytes + fusedPlan!.plannedBytes).toBeLessThan(MEMORY_BUDGET);
  }
});

test("what the examples say about kernels is so", () => {
  const kernels = (id: string): [number, number] => {
    const { text, granularity } = findExample(id)!;
    const { naivePlan, fusedPlan } = compile(text, { ...defaultOptions, granularity });
    return [naivePlan!.totals.kernels, fusedPlan!.totals.kernels];
  };
  for (const id of ["log-exp", "layer-norm-gelu", "softmax", "rms-norm", "swiglu", "matmul-bias-relu", "two-readers"]) {
    expect([id, kernels(id)[1]]).toEqual([id, 1]);
  }
  expect(kernels("dropout-softmax")[1]).toBe(1);
  expect(kernels("column-mean")[1]).toBeGreaterThan(1);
  const { naivePlan, fusedPlan } = compile(findExample("log-relu")!.text, defaultOptions);
  expect([naivePlan!.totals.transfers, fusedPlan!.totals.transfers]).toEqual([7, 3]);
});

test("examples are named once", () => {
  expect(new Set(examples.map(({ id }) => id)).size).toBe(examples.length);
  expect(examples.length).toBeGreaterThanOrEqual(10);
  expect(findExample("nothing")).toBeNull();
});
