import { expect, test } from "vitest";
import { compile, defaultOptions, fusionAt, inputData, runReference } from "../../../fusion";
import { findExample, optionsFor } from "../../../lessons";
import type { Device } from "../run/run-types";
import { deviceFacts, foldedWeights, otherFeatures, storageRows } from "./tables";

function rowsOf(text: string) {
  const compilation = compile(text, defaultOptions);
  const { naive, naivePlan, fusedPlan, steps } = compilation;
  const rows = storageRows(
    { plan: naivePlan!, graph: naive!.graph },
    { plan: fusedPlan!, graph: fusionAt(compilation, steps.length).graph },
  );
  return { rows: new Map(rows.map((row) => [row.name, row])), naivePlan: naivePlan!, fusedPlan: fusedPlan! };
}

test("f32 is what the plans count, f16 and bf16 are half of it, i8 a quarter and a scale for each transfer", () => {
  const { rows, naivePlan, fusedPlan } = rowsOf("x: f32[256, 256]\nb: f32[256, 256]\ny = log(relu(x + b))");
  expect([rows.get("f32")!.naive, rows.get("f32")!.fused]).toEqual([naivePlan.totals.bytes, fusedPlan.totals.bytes]);
  expect(rows.get("f16")!.fused).toBe(fusedPlan.totals.bytes / 2);
  expect(rows.get("bf16")).toMatchObject({ naive: naivePlan.totals.bytes / 2, fused: fusedPlan.totals.bytes / 2 });
  expect(rows.get("i8")!.fused).toBe(fusedPlan.totals.bytes / 4 + 4 * fusedPlan.totals.transfers);
});

test("indices and masks keep their bytes", () => {
  const { rows } = rowsOf("x: f32[256, 64]\ni: i32[128] = zeros()\ny = x[i] * 2");
  const [wide, half] = [rows.get("f32")!.fused, rows.get("f16")!.fused];
  expect(wide - half).toBe((wide - 128 * 4) / 2);
});

test("a program on f16 is counted as wide as it would be in f32", () => {
  const { rows, fusedPlan } = rowsOf("x: f16[256, 256]\ny = exp(x) + 1");
  expect(rows.get("f16")!.fused).toBe(fusedPlan.totals.bytes);
  expect(rows.get("f32")!.fused).toBe(2 * fusedPlan.totals.bytes);
});

const lesson = findExample("conv-bn-relu")!;
const compilation = compile(lesson.text, optionsFor(lesson, defaultOptions, null, defaultOptions));
const { graph } = fusionAt(compilation, compilation.steps.length);
const found = foldedWeights(graph);

test("a convolution's weights are shown before and after its batch norm went into them", () => {
  const [weight] = found.filter(({ from }) => from !== null);
  expect(weight).toBeDefined();
  const source = [...compilation.naive!.graph.nodes.values()].find(({ label }) => label === weight!.from)!;
  expect(weight!.values[0]!.before).toBe(inputData(source)[0]);
  expect(weight!.largestChange).toBeGreaterThan(0);
});

test("what f32 loses of them is less than half a step of the largest", () => {
  for (const { largestError, values } of found) {
    expect(largestError).toBeLessThan(2 ** -20 * Math.max(1, ...values.map(({ after }) => Math.abs(after))));
  }
});

test("with them the program computes what it computed", () => {
  const [before, after] = [compilation.naive!.graph, graph].map((each) => runReference(each, new Map()));
  for (const [id, { data }] of before!)
    expect(data.findIndex((value, i) => Math.abs(value - after!.get(id)!.data[i]!) > 1e-9)).toBe(-1);
}, 120_000);

test("a program without weights has none", () => {
  const plain = compile("x: f32[64]\ny = exp(x)", defaultOptions);
  expect(foldedWeights(fusionAt(plain, plain.steps.length).graph)).toEqual([]);
});

const device: Device = {
  name: "nvidia hopper",
  vendor: "nvidia",
  description: "",
  software: false,
  clock: "timestamp-query",
  tickNanos: 1,
  target: {
    schedule: "gpu",
    maxWorkgroupSize: 1024,
    maxWorkgroupBytes: 48 * 1024,
    maxBindings: 10,
    maxWorkgroupsPerDimension: 65_535,
    shaderF16: true,
    subgroups: false,
  },
  maxBufferBytes: 2 ** 32,
  maxBindingBytes: 2 ** 31,
  features: ["shader-f16", "timestamp-query", "texture-compression-bc"],
};

test("limits and features are the device's own, with what they decide", () => {
  const facts = new Map(deviceFacts(device).map(({ name, value }) => [name, value]));
  expect([facts.get("Threads of a workgroup"), facts.get("Workgroup memory"), facts.get("Largest binding")]).toEqual([
    "1,024",
    "48 KiB",
    "2 GiB",
  ]);
  expect([facts.get("GPU clock"), facts.get("Subgroups"), facts.get("f16 arithmetic")]).toEqual(["yes", "no", "yes"]);
  expect(deviceFacts(device).every(({ text }) => text.length > 0)).toBe(true);
});

test("features that nothing uses are named apart", () => {
  expect(otherFeatures(device)).toEqual(["texture-compression-bc"]);
});
