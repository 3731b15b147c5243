import { expect, test } from "vitest";
import { compile, defaultOptions, fusionAt, generic, type Kernel } from "../../../fusion";
import { examples } from "../../../lessons";
import { showMicros } from "../units";
import { kernelCard, occupancyOf } from "./kernel-card";
import { naiveKernels, trafficSentence } from "./kernels";

const planned = (text: string) => {
  const compilation = compile(text, defaultOptions);
  const graph = fusionAt(compilation, compilation.steps.length).graph;
  const [kernel] = compilation.fusedPlan!.kernels as [Kernel];
  return { kernel, naive: naiveKernels(compilation.naivePlan!, compilation.naive!.graph, kernel, graph) };
};

test("the parts are those of the predicted time, and what overlaps is named", () => {
  const { kernel, naive } = planned("x: f32[2048, 2048]\nb: f32[2048, 2048]\ny = log(relu(x + b))\n");
  const { parts, sum, arithmetic: said } = kernelCard(kernel, naive, generic);
  const [launch, reads, writes, arithmetic] = parts.map(({ micros }) => micros) as [number, number, number, number];
  expect(launch).toBe(8);
  expect(reads).toBeCloseTo((32 * 2 ** 20) / 2e6, 6);
  expect(writes).toBeCloseTo((16 * 2 ** 20) / 2e6, 6);
  expect(launch + reads + writes + arithmetic - 0.95 * arithmetic).toBeCloseTo(kernel.predictedMicros, 6);
  expect(sum).toMatch(/^33\.\d µs predicted: .+ of arithmetic hide behind memory$/);
  expect(said[0]).toMatch(/÷ 48 MiB = 0\.25 FLOP\/B, left of the ridge at 50: memory decides$/);
});

test.each(examples)("$id: what is shown of a kernel's time adds up to it", ({ text, options, granularity }) => {
  const { fusedPlan, naivePlan } = compile(text, { ...defaultOptions, ...options, granularity });
  for (const kernel of [...(naivePlan?.kernels ?? []), ...(fusedPlan?.kernels ?? [])]) {
    const { parts, sum } = kernelCard(kernel, [], generic);
    const micros = (...names: string[]): number =>
      parts.reduce((total, part) => total + (names.includes(part.name) ? part.micros : 0), 0);
    const hidden = parts.reduce((total, part) => total + part.micros, 0) - kernel.predictedMicros;
    const [, shown, what] = /predicted(?:: (.+) of (the parts|arithmetic|memory) hide.*)?$/.exec(sum)!;
    const longest = new Map([
      ["arithmetic", micros("Arithmetic")],
      ["memory", micros("Reads", "Writes")],
    ]);
    expect(hidden).toBeGreaterThan(-0.002);
    for (const part of parts) expect(part.micros).toBeLessThanOrEqual(kernel.predictedMicros);
    expect(shown ?? null).toBe(hidden > 0.001 ? showMicros(hidden) : null);
    expect(hidden).toBeLessThanOrEqual(longest.get(what ?? "") ?? Number.POSITIVE_INFINITY);
  }
});

test("what arithmetic is priced as gives its time at the rate beside it", () => {
  const { kernel, naive } = planned("x: f32[2048, 768]\ny = gelu(layer_norm(x))\n");
  const { text, micros } = kernelCard(kernel, naive, generic).parts.find(({ name }) => name === "Arithmetic")!;
  const [, priced, rate] = /, priced like ([\d.]+) MFLOP of multiply-adds at (\d+) TFLOP\/s/.exec(text)!;
  expect(Number(priced) / Number(rate)).toBeCloseTo(micros, 2);
});

test("a kernel that waits shows for how long", () => {
  const { kernel, naive } = planned("x: f32[64, 2048]\ny = sort(x)\n");
  const { parts } = kernelCard(kernel, naive, generic);
  expect(parts.at(-1)).toMatchObject({ name: "Waiting", micros: kernel.predicted.waitingMicros });
  expect(kernel.predicted.waitingMicros).toBeGreaterThan(1);
});

test("what tiles read again takes time, and the number beside that time says it", () => {
  const { kernel, naive } = planned("a: f32[1024, 1024]\nb: f32[1024, 1024]\ny = a @ b\n");
  const [, reads, cache] = kernelCard(kernel, naive, generic).parts;
  expect(reads!.text).toBe("8 MiB in 2 tensors");
  expect(cache!.text).toMatch(/^[\d.]+ MiB read again from it$/);
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

test("a launch that joins partial results claims no arithmetic of its own: it is counted with the one before", () => {
  const compilation = compile("x: f32[4096, 4096]\ns = sum(x)\nreturn s\n", defaultOptions);
  const [first, second] = compilation.fusedPlan!.kernels as [Kernel, Kernel];
  const { graph } = fusionAt(compilation, compilation.steps.length);
  const words = (kernel: Kernel): string =>
    [trafficSentence(kernel, graph), ...kernelCard(kernel, [], generic).parts.map(({ text }) => text)].join(" ");
  expect(words(first)).toContain("1 FLOP per element of x.");
  expect(words(second)).not.toMatch(/\b0 FLOP/);
  // Of a product it is what is stored, however large the weight.
  const product = compile("x: f32[8, 4096]\nw: f32[4096, 4096] = param()\nreturn relu(x @ w)\n", defaultOptions);
  const state = fusionAt(product, product.steps.length).graph;
  expect(trafficSentence(product.fusedPlan!.kernels.at(-1)!, state)).toMatch(/FLOP per element of (y|return|relu)/);
  expect(words(second)).toContain("counted with the kernel before it");
});
