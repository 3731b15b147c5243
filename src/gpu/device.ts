/** @file The one owner of the device: acquires it when it is needed, notices its loss, and knows when not to touch it any more. */
import { LATE, type SessionEnv, within } from "./env";
import { done, fail, refusals } from "./problem";
import type { DeviceInfo, GpuProblem, Outcome } from "./types";
import type { Target } from "../fusion";

type AdapterIdentity = Pick<GPUAdapterInfo, "vendor" | "architecture" | "device" | "description"> & {
  readonly isFallbackAdapter?: boolean;
};

const CPU_DRIVERS = /swiftshader|llvmpipe|lavapipe|basic render|warp/i;

/** True when a CPU pretends to be a GPU. */
function isSoftware(info: AdapterIdentity): boolean {
  const words = `${info.architecture} ${info.device} ${info.description}`;
  return info.isFallbackAdapter === true || info.vendor === "google" || CPU_DRIVERS.test(words);
}

/** `nvidia lovelace`, `swiftshader`; the description where the adapter hides the rest. */
function nameOf(info: AdapterIdentity): string {
  if (/swiftshader/i.test(`${info.architecture} ${info.description}`)) return "swiftshader";
  const parts = [info.vendor, info.architecture || info.device].filter((part) => part.length > 0);
  return parts.join(" ") || info.description || "unnamed adapter";
}

/** What generated code may use. The `cpu` schedule has no barriers and a thread per row: barriers are ruinous on a CPU. */
function targetOf(
  limits: GPUSupportedLimits,
  software: boolean,
  features: ReadonlySet<string>,
  { subgroupMinSize: least, subgroupMaxSize: most }: Pick<GPUAdapterInfo, "subgroupMinSize" | "subgroupMaxSize">,
): Target {
  return {
    schedule: software ? "cpu" : "gpu",
    maxWorkgroupSize: Math.min(limits.maxComputeInvocationsPerWorkgroup, limits.maxComputeWorkgroupSizeX),
    maxWorkgroupBytes: limits.maxComputeWorkgroupStorageSize,
    maxBindings: limits.maxStorageBuffersPerShaderStage,
    maxWorkgroupsPerDimension: limits.maxComputeWorkgroupsPerDimension,
    shaderF16: features.has("shader-f16"),
    subgroups: features.has("subgroups"),
    ...(least !== undefined && most !== undefined && { subgroupSizes: [least, most] }),
  };
}

/** What a person and the code generator need to know about an adapter: everything but the clock's tick, which must be observed (tick.ts). */
function describeAdapter(adapter: GPUAdapter, device: GPUDevice): DeviceInfo {
  const { info } = adapter;
  const software = isSoftware(info);
  return {
    name: nameOf(info),
    vendor: info.vendor,
    description: info.description,
    software,
    clock: device.features.has("timestamp-query") ? "timestamp-query" : "queue-wait",
    tickNanos: 0,
    target: targetOf(device.limits, software, device.features, info),
    maxBufferBytes: device.limits.maxBufferSize,
    maxBindingBytes: device.limits.maxStorageBufferBindingSize,
    features: [...device.features].toSorted(),
  };
}

/** A device with its epoch. What was started in one epoch is never shown in another. */
export interface Held {
  readonly device: GPUDevice;
  readonly epoch: number;
  /** Complete once the clock's step has been observed. */
  info: DeviceInfo;
  lost: boolean;
}

/** A browser whose GPU process hangs never answers. */
const ANSWER_MILLIS = 5000;
const RETRY_MILLIS = 150;
// A browser blocks WebGPU for a page after repeated crashes; asking more often would only make it worse.
const LOSSES_ALLOWED = 3;
const LOSS_WINDOW_MILLIS = 600_000;

const raised = [
  "maxBufferSize",
  "maxStorageBufferBindingSize",
  "maxStorageBuffersPerShaderStage",
  "maxComputeWorkgroupStorageSize",
  "maxComputeInvocationsPerWorkgroup",
  "maxComputeWorkgroupSizeX",
  "maxComputeWorkgroupSizeY",
] as const;
const wanted: readonly GPUFeatureName[] = ["timestamp-query", "shader-f16", "subgroups"];

/** null also where the browser throws, at once or later, instead of answering null. */
async function requestAdapter(gpu: GPU): Promise<GPUAdapter | null> {
  try {
    return await gpu.requestAdapter({ powerPreference: "high-performance" });
  } catch {
    return null;
  }
}

export class DeviceHolder {
  readonly #gpu: GPU | undefined;
  readonly #env: SessionEnv;
  readonly #tell: (problem: GpuProblem) => void;
  readonly #losses: number[] = [];
  #held: Held | null = null;
  #epoch = 0;
  #poisoned = false;

  constructor(gpu: GPU | undefined, env: SessionEnv, tell: (problem: GpuProblem) => void) {
    this.#gpu = gpu;
    this.#env = env;
    this.#tell = tell;
  }

  get poisoned(): boolean {
    return this.#poisoned;
  }

  /** A kernel did not come back: nothing is destroyed and nothing runs any more, since either would wedge the browser. */
  poison(): void {
    this.#poisoned = true;
  }

  /** The device, a new one after a loss. Call from user actions only. */
  async acquire(): Promise<Outcome<Held>> {
    if (this.#poisoned) return refusals.poisoned();
    if (this.#held && !this.#held.lost) return done(this.#held);
    const recent = this.#losses.filter((when) => this.#env.now() - when < LOSS_WINDOW_MILLIS);
    if (recent.length >= LOSSES_ALLOWED) return refusals.reload();
    const adapter = await this.#adapter();
    if (!adapter.ok) return adapter;
    return this.#open(adapter.value);
  }

  /** Gives the device back. Only when nothing is in flight. */
  close(): void {
    if (!this.#poisoned) this.#held?.device.destroy();
    this.#held = null;
  }

  async #adapter(): Promise<Outcome<GPUAdapter>> {
    if (!this.#gpu) return this.#env.secureContext ? refusals.noWebgpu() : refusals.insecureOrigin();
    // The first request right after the browser's start can answer null and the next one succeed.
    for (const pause of [0, RETRY_MILLIS]) {
      if (pause > 0) await this.#env.sleep(pause);
      const adapter = await within(this.#env, ANSWER_MILLIS, requestAdapter(this.#gpu));
      if (adapter === LATE) return refusals.neverAnswered();
      if (adapter) return done(adapter);
    }
    return this.#losses.length > 0 ? refusals.reload() : refusals.noAdapter();
  }

  async #open(adapter: GPUAdapter): Promise<Outcome<Held>> {
    const requiredFeatures = wanted.filter((feature) => adapter.features.has(feature));
    const requiredLimits = Object.fromEntries(raised.map((name) => [name, adapter.limits[name]]));
    let device: GPUDevice | typeof LATE;
    try {
      const asked = adapter.requestDevice({ requiredFeatures, requiredLimits });
      device = await within(this.#env, ANSWER_MILLIS, asked);
      // Nobody waits for it any more, and it would occupy memory.
      if (device === LATE) void asked.then((unused) => unused.destroy()).catch(() => undefined);
    } catch (refused) {
      return fail("no-adapter", `The browser gave no GPU device: ${String(refused)}`);
    }
    if (device === LATE) return refusals.neverAnswered();
    const held: Held = { device, epoch: ++this.#epoch, lost: false, info: describeAdapter(adapter, device) };
    void this.#watch(held);
    device.addEventListener("uncapturederror", (event) => {
      event.preventDefault();
      this.#tell({ code: "internal", text: `The GPU reported a fault: ${event.error.message}` });
    });
    this.#held = held;
    return done(held);
  }

  async #watch(held: Held): Promise<void> {
    const { reason } = await held.device.lost; // never rejects
    held.lost = true;
    if (reason === "destroyed") return;
    this.#losses.push(this.#env.now());
    this.#tell(refusals.wentAway().problem);
  }
}
