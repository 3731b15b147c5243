/** @file WGSL in, pipelines out. Built in parallel, shared by their text for as long as the device lives. */
import type { Kernel } from "../fusion";
import type { Held } from "./device";
import { stageCompute } from "./flags";
import { done, fail, refusals } from "./problem";
import { scoped } from "./scopes";
import type { Outcome } from "./types";

export interface Built {
  readonly pipeline: GPUComputePipeline;
  readonly layout: GPUBindGroupLayout;
}

/** What of a kernel its pipeline depends on. */
export type KernelSource = Pick<Kernel, "id" | "name" | "wgsl"> & {
  readonly bindings: readonly Pick<Kernel["bindings"][number], "binding" | "access">[];
};

interface Started {
  readonly kernel: KernelSource;
  readonly module: GPUShaderModule;
  readonly layout: GPUBindGroupLayout;
}

const caches = new WeakMap<GPUDevice, Map<string, Built>>();

function cacheOf(device: GPUDevice): Map<string, Built> {
  const cached = caches.get(device);
  if (cached) return cached;
  const fresh = new Map<string, Built>();
  caches.set(device, fresh);
  return fresh;
}

/** Pipelines of `kernels`, by WGSL text. `shader-rejected` names the kernel, line and column (1-based, UTF-16). */
export async function buildPipelines(
  held: Held,
  kernels: readonly KernelSource[],
): Promise<Outcome<ReadonlyMap<string, Built>>> {
  const { device } = held;
  const cache = cacheOf(device);
  const missing = [...new Map(kernels.filter(({ wgsl }) => !cache.has(wgsl)).map((k) => [k.wgsl, k])).values()];
  const started = await scoped(device, () => missing.map((kernel) => start(device, kernel)));
  if (!started.ok) return started.problem.code === "invalid" ? explain(device, missing, started.problem.text) : started;
  const built = await Promise.all(started.value.map((each) => finish(device, each)));
  for (const each of built) if (!each.ok) return held.lost ? refusals.wentAway() : each;
  for (const each of built) if (each.ok) cache.set(each.value.wgsl, each.value);
  return done(cache);
}

const BINDING_TYPES = { read: "read-only-storage", read_write: "storage", uniform: "uniform" } as const;

function start(device: GPUDevice, kernel: KernelSource): Started {
  const layout = device.createBindGroupLayout({
    label: kernel.id,
    entries: kernel.bindings.map(({ binding, access }) => ({
      binding,
      visibility: stageCompute,
      buffer: { type: BINDING_TYPES[access] },
    })),
  });
  return { kernel, layout, module: device.createShaderModule({ label: kernel.id, code: kernel.wgsl }) };
}

async function finish(
  device: GPUDevice,
  { kernel, layout, module }: Started,
): Promise<Outcome<Built & { wgsl: string }>> {
  try {
    const pipeline = await device.createComputePipelineAsync({
      label: kernel.id,
      layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
      compute: { module, entryPoint: kernel.name },
    });
    return done({ pipeline, layout, wgsl: kernel.wgsl });
  } catch (refused) {
    return (await complaint(kernel, module)) ?? rejected(kernel, String(refused));
  }
}

/** `at`: where the compiler points, 1-based; the line's own words are quoted. */
function rejected(kernel: KernelSource, reason: string, at: { line: number; column: number } | null = null) {
  const { id, name, wgsl } = kernel;
  const words = at && wgsl.split("\n")[at.line - 1]?.trim();
  const where = at ? ` at line ${at.line}, column ${at.column}` : "";
  const quoted = words ? ` The line reads: ${words}` : "";
  return fail("shader-rejected", `The GPU's compiler refused ${id} (${name})${where}: ${reason}.${quoted}`, {
    kernel: id,
    reason,
    wgsl,
    ...at,
  });
}

/** The first error of the shader compiler, or null. A NUL character gives line 0. */
async function complaint(kernel: KernelSource, module: GPUShaderModule): Promise<ReturnType<typeof fail> | null> {
  const info = await module.getCompilationInfo().catch(() => null);
  const first = info?.messages.find(({ type }) => type === "error");
  if (!first) return null;
  return rejected(kernel, first.message, { line: Math.max(1, first.lineNum), column: Math.max(1, first.linePos) });
}

/** One of the modules is wrong: finds out which, each inside a scope of its own. */
async function explain(
  device: GPUDevice,
  kernels: readonly KernelSource[],
  text: string,
): Promise<ReturnType<typeof fail>> {
  for (const kernel of kernels) {
    const again = await scoped(device, () => start(device, kernel));
    if (again.ok) continue;
    if (again.problem.code !== "invalid") return again;
    let module: GPUShaderModule | null = null;
    await scoped(device, () => (module = device.createShaderModule({ code: kernel.wgsl })));
    return (module && (await complaint(kernel, module))) ?? rejected(kernel, again.problem.text);
  }
  return fail("internal", text);
}
