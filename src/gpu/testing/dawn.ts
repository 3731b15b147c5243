/** @file Dawn in Node, where `bench/` has it installed and the Vulkan loader finds a driver. */
import { existsSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";

const entry = fileURLToPath(new URL("../../../bench/node_modules/webgpu/index.js", import.meta.url));

/**
 * Workgroup memory is zeroed by a loop in the shader: the software driver would store each zero by itself, in code that takes
 * it several times as long to make as all the rest of a kernel.
 */
const ZEROES_BY_DRIVER = "use_vulkan_zero_initialize_workgroup_memory_extension";

/**
 * Dawn's `navigator.gpu`; null where the package is not installed, so that tests on WebGPU are skipped.
 * @param without features of Dawn to turn off
 * @throws where it is installed and finds no adapter, and in CI where it is not installed: skipped laws would look green
 */
export async function dawn(without: readonly string[] = []): Promise<GPU | null> {
  if (!existsSync(entry)) return withAdapter(null, Boolean(process.env["CI"]));
  const dawnNode = (await import(/* @vite-ignore */ pathToFileURL(entry).href)) as { create(flags: string[]): GPU };
  return withAdapter(
    dawnNode.create([`disable-dawn-features=${[ZEROES_BY_DRIVER, ...without].join()}`]),
    Boolean(process.env["CI"]),
  );
}

/** `gpu` once it has an adapter. @param gpu null where the package is not installed */
export async function withAdapter(gpu: Pick<GPU, "requestAdapter"> | null, ci: boolean): Promise<GPU | null> {
  if (gpu && (await gpu.requestAdapter())) return gpu as GPU;
  if (gpu)
    throw new Error(
      "webgpu for Node finds no adapter, so no test would run on WebGPU. Install a Vulkan driver, or Chromium for its software one: `node scripts/ensure-browser.mjs`.",
    );
  if (ci) throw new Error("webgpu for Node is not installed: run `node scripts/ensure-webgpu.mjs` first.");
  return null;
}
