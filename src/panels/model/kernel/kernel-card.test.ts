import { expect, test } from "vitest";
import { compile, defaultOptions, fusionAt, generic, type Kernel } from "../../../fusion";
import { kernelCard, occupancyOf } from "./kernel-card";
import { naiveKernels } from "./kernels";

const planned = (text: string) => {
  const compilation = compile(text, defaultOptions);
  const graph = fusionAt(compilation, compilation.steps.length).graph;
  const [kernel] = compilation.fusedPlan!.kernels as [Kernel];
  return { kernel, naive: naiveKernels(compilation.naivePlan!, compilation.naive!.graph, kernel, graph) };
};

test("the parts are those of the predicted time, and what overlaps is named", () => {
  const { kernel, naive } = planned("x: f32[2048, 2048]\nb: f32[2048, 2048]\ny = log(relu(x + b))\n");
  const { parts, sum, intensity } = kernelCard(kernel, naive, generic);
  const [launch, reads, writes, arithmetic] = parts.map(({ micros }) => micros) as [number, number, number, number];
  expect(launch).toBe(8);
  expect(reads).toBeCloseTo((32 * 2 ** 20) / 2e6, 6);
  expect(writes).toBeCloseTo((16 * 2 ** 20) / 2e6, 6);
  expect(launch + reads + writes + arithmetic - 0.95 * arithmetic).toBeCloseTo(kernel.predictedMicros, 6);
  expect(sum).toMatch(/^33\.\d µs predicted: .+ of arithmetic hide behind memory$/);
  expect(intensity).toMatch(/÷ 48 MiB = 0\.8\d* FLOP\/B, left of the ridge at 50: memory decides$/);
});

test("what tiles read again takes time, and the number beside that time says it", () => {
  const { kernel, naive } = planned("a: f32[1024, 1024]\nb: f32[1024, 1024]\ny = a @ b\n");
  const [, reads] = kernelCard(kernel, naive, generic).parts;
  expect(reads!.text).toMatch(/^8 MiB in 2 tensors, and [\d.]+ MiB again from the cache$/);
});

test("many live values fill the register meter and take occupancy, which the naive kernels had", () => {
  const { kernel, naive } = planned("x: f32[2048, 2048]\ny = relu(exp(x))\n");
  const occupancy = { registers: 0.4, workgroupMemory: 1, workgroups: 1 };
  const crowded = { ...kernel, registers: 160, predicted: { ...kernel.predicted, occupancy } };
  expect(occupancyOf(crowded)).toBe(0.4);
  const card = kernelCard(crowded, naive, generic);
  expect(card.registers).toMatchObject({
    share: 1,
    value: "160 of 64",
    text: "With more than 64 per thread, too few threads run at the same time to hide waiting.",
  });
  expect(card.occupancy).toMatchObject({ share: 0.4, value: "40 %" });
  expect(card.occupancy.text).toMatch(/^Limited by registers\. The naive kernels have \d+ %\.$/);
});

test("a kernel of few workgroups says so", () => {
  const { kernel, naive } = planned("x: f32[64, 64]\ny = relu(x)\n");
  expect(kernelCard(kernel, naive, generic).occupancy.text).toContain("Limited by too few workgroups.");
});
