/** @file `navigator.gpu` for Node: Dawn from bench/, on the machine's own driver or else on Chromium's software one. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { hasWebgpu } from "./ensure-webgpu.mjs";
import { hasVulkanLoader, softwareVulkan, vulkanEnv } from "./node-vulkan.mjs";

const entry = join(fileURLToPath(new URL("../bench/", import.meta.url)), "node_modules/webgpu/index.js");
const MARK = "FUSION_SOFTWARE_VULKAN";

/** Starts this very command again where the Vulkan loader finds Chromium's driver; the loader reads its path at start. */
function restart() {
  const env = { ...process.env, ...vulkanEnv({ software: true }), [MARK]: "1" };
  const { status } = spawnSync(process.execPath, [...process.execArgv, ...process.argv.slice(1)], {
    env,
    stdio: "inherit",
  });
  process.exit(status ?? 1);
}

/**
 * Dawn's `GPU`, or a sentence that says what is missing. Before anything is printed this may start the process anew.
 * Dawn rounds its timestamps like a browser unless `exactTimestamps` is asked for.
 */
export async function openGpu({ exactTimestamps = true } = {}) {
  if (!hasWebgpu()) return "webgpu for Node is not installed: run `node scripts/ensure-webgpu.mjs` first.";
  const again = process.env[MARK] === undefined && softwareVulkan() !== null;
  if (again && !hasVulkanLoader()) restart();
  const { create } = await import(pathToFileURL(entry).href);
  const gpu = create(exactTimestamps ? ["disable-dawn-features=timestamp_quantization"] : []);
  if (await gpu.requestAdapter()) return gpu;
  if (again) restart();
  return "No Vulkan driver was found. Install a GPU driver, or Chromium for its software one.";
}
