import { expect, test } from "vitest";
import type { Device } from "./run-types";
import { deviceFacts, otherFeatures } from "./device-facts";

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
