/** @file What WebGPU says of the device, and what each of it decides here. */
import type { Device } from "./run-types";
import { count, showBytes } from "./units";

export interface DeviceFact {
  readonly name: string;
  readonly value: string;
  /** What it decides. */
  readonly text: string;
}

/** Optional features that kernels or clocks here use. */
const FEATURES: readonly (readonly [feature: string, name: string, text: string])[] = [
  ["timestamp-query", "GPU clock", "times are taken on the device, not by waiting for it"],
  ["subgroups", "Subgroups", "threads that run in step hand each other their registers in a reduction"],
  ["shader-f16", "f16 arithmetic", "halves are bound and computed as they are; otherwise f16 is storage only"],
];

export function deviceFacts({ target, maxBufferBytes, maxBindingBytes, features }: Device): readonly DeviceFact[] {
  const has = (feature: string): string => (features.includes(feature) ? "yes" : "no");
  return [
    { name: "Threads of a workgroup", value: count(target.maxWorkgroupSize), text: "at most, as a kernel may ask for" },
    {
      name: "Workgroup memory",
      value: showBytes(target.maxWorkgroupBytes),
      text: "holds tiles of a matmul and partial results of a row",
    },
    { name: "Buffers of a kernel", value: count(target.maxBindings), text: "more inputs and outputs split a kernel" },
    { name: "Largest binding", value: showBytes(maxBindingBytes), text: "a larger tensor can't be stored" },
    { name: "Largest buffer", value: showBytes(maxBufferBytes), text: "what one allocation may hold" },
    {
      name: "Workgroups",
      value: count(target.maxWorkgroupsPerDimension),
      text: "along one dimension of a launch; larger grids use two",
    },
    ...FEATURES.map(([feature, name, text]) => ({ name, value: has(feature), text })),
  ];
}

/** Optional features that nothing here uses. */
export const otherFeatures = ({ features }: Device): readonly string[] =>
  features.filter((feature) => FEATURES.every(([known]) => known !== feature));
