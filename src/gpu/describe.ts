/** @file What a person and the code generator need to know about an adapter. */
import type { Target } from "../fusion";
import type { DeviceInfo } from "./types";

type AdapterIdentity = Pick<GPUAdapterInfo, "vendor" | "architecture" | "device" | "description"> & {
  readonly isFallbackAdapter?: boolean;
};

const CPU_DRIVERS = /swiftshader|llvmpipe|lavapipe|basic render|warp/i;

/** True when a CPU pretends to be a GPU. */
export function isSoftware(info: AdapterIdentity): boolean {
  const words = `${info.architecture} ${info.device} ${info.description}`;
  return info.isFallbackAdapter === true || info.vendor === "google" || CPU_DRIVERS.test(words);
}

/** `nvidia lovelace`, `swiftshader`; the description where the adapter hides the rest. */
export function nameOf(info: AdapterIdentity): string {
  if (/swiftshader/i.test(`${info.architecture} ${info.description}`)) return "swiftshader";
  const parts = [info.vendor, info.architecture || info.device].filter((part) => part.length > 0);
  return parts.join(" ") || info.description || "unnamed adapter";
}

/** What generated code may use. The `cpu` schedule has no barriers and a thread per row: barriers are ruinous on a CPU. */
export function targetOf(limits: GPUSupportedLimits, software: boolean, features: ReadonlySet<string>): Target {
  return {
    schedule: software ? "cpu" : "gpu",
    maxWorkgroupSize: Math.min(limits.maxComputeInvocationsPerWorkgroup, limits.maxComputeWorkgroupSizeX),
    maxWorkgroupBytes: limits.maxComputeWorkgroupStorageSize,
    maxBindings: limits.maxStorageBuffersPerShaderStage,
    maxWorkgroupsPerDimension: limits.maxComputeWorkgroupsPerDimension,
    shaderF16: features.has("shader-f16"),
    subgroups: features.has("subgroups"),
  };
}

/** Everything but the clock's tick, which must be observed (clock.ts). */
export function describeAdapter(adapter: GPUAdapter, device: GPUDevice): DeviceInfo {
  const { info } = adapter;
  const software = isSoftware(info);
  return {
    name: nameOf(info),
    vendor: info.vendor,
    description: info.description,
    software,
    clock: device.features.has("timestamp-query") ? "timestamp-query" : "queue-wait",
    tickNanos: 0,
    target: targetOf(device.limits, software, device.features),
    maxBufferBytes: device.limits.maxBufferSize,
    maxBindingBytes: device.limits.maxStorageBufferBindingSize,
    features: [...device.features].toSorted(),
  };
}
