import { expect, test } from "vitest";
import type { Kernel, Plan } from "../fusion";
import { MEMORY_BUDGET, memoryNeed, preflight, runSeconds } from "./preflight";
import { fusedPlan, naivePlan } from "./testing/plans";
import type { DeviceInfo } from "./types";

const device: DeviceInfo = {
  name: "acme",
  vendor: "acme",
  description: "",
  software: false,
  clock: "timestamp-query",
  tickNanos: 1,
  target: {
    schedule: "gpu",
    maxWorkgroupSize: 256,
    maxWorkgroupBytes: 16_384,
    maxBindings: 8,
    maxWorkgroupsPerDimension: 65_535,
    shaderF16: false,
    subgroups: true,
  },
  maxBufferBytes: 2 ** 28,
  maxBindingBytes: 2 ** 27,
  features: [],
};

const withKernel = (change: Partial<Kernel>): Plan => {
  const plan = fusedPlan(64);
  return { ...plan, kernels: plan.kernels.map((kernel) => ({ ...kernel, ...change })) };
};
const verdict = (plan: Plan, budget?: number): string => {
  const checked = preflight([plan], device, budget);
  return checked.ok ? "fits" : checked.problem.code;
};

test("a binding at the limit fits, one element more is refused with bytes and limit", () => {
  const most = device.maxBindingBytes / 4;
  expect(verdict(fusedPlan(most))).toBe("fits");
  expect(verdict(fusedPlan(most + 1))).toBe("refused");
  const refused = preflight([fusedPlan(most + 1)], device);
  expect(refused.ok ? "" : refused.problem.text).toContain(String(device.maxBindingBytes));
});

test.each([
  [
    "bindings",
    { bindings: Array.from({ length: 8 }, () => fusedPlan(4).kernels[0]!.bindings[0]!) },
    { bindings: Array.from({ length: 9 }, () => fusedPlan(4).kernels[0]!.bindings[0]!) },
  ],
  ["workgroups in a row", { workgroups: [65_535, 1, 1] }, { workgroups: [65_536, 1, 1] }],
  ["threads", { workgroupSize: [16, 16, 1] }, { workgroupSize: [16, 17, 1] }],
  ["shared bytes", { workgroupBytes: 16_384 }, { workgroupBytes: 16_388 }],
  ["statements", { wgsl: ";".repeat(4000) }, { wgsl: ";".repeat(4001) }],
] satisfies [string, Partial<Kernel>, Partial<Kernel>][])("both sides of the limit: %s", (_, fits, tooMuch) => {
  expect(verdict(withKernel(fits))).toBe("fits");
  expect(verdict(withKernel(tooMuch))).toBe("refused");
});

test("the memory budget counts inputs once and lets plans share the rest", () => {
  const [naive, fused] = [naivePlan(1024), fusedPlan(1024)];
  expect(memoryNeed([naive]).bytes).toBe(4 * 4096);
  expect(memoryNeed([naive, fused]).bytes).toBe(4 * 4096); // x, b, and two slots
  expect(verdict(naive, 4 * 4096)).toBe("fits");
  expect(verdict(naive, 4 * 4096 - 1)).toBe("refused");
  expect(MEMORY_BUDGET).toBe(536_870_912);
});

test("a kernel that would run for a minute on a CPU is refused there and allowed on a GPU", () => {
  const long = withKernel({ flops: 137e9 });
  expect(preflight([long], device).ok).toBe(true);
  expect(preflight([long], { ...device, software: true })).toMatchObject({ problem: { code: "refused" } });
});

test("how long a run may take follows its work and its bytes, and roofs that were measured", () => {
  const [none, work] = [withKernel({ flops: 0 }), withKernel({ flops: 1e9 })];
  const software = (plan: Plan): number => runSeconds([plan], true, null);
  expect(software(work) - software(none)).toBeCloseTo(2, 6);
  expect(runSeconds([work, work], true, null)).toBeCloseTo(2 * software(work), 6);
  expect(runSeconds([work], false, null)).toBeLessThan(software(work));
  const roofs = { bandwidth: 4e12, flops: 6e13, launchMicros: 2, cacheResident: false };
  expect(runSeconds([work], false, roofs)).toBeLessThan(runSeconds([work], false, null));
});
