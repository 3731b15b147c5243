/** @file Dawn in Node, where `bench/` has it installed and the Vulkan loader finds a driver. */
import { existsSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";

const entry = fileURLToPath(new URL("../../../bench/node_modules/webgpu/index.js", import.meta.url));

/** Dawn's `navigator.gpu`, or null where there is none. */
export async function dawn(flags: readonly string[] = []): Promise<GPU | null> {
  if (!existsSync(entry)) return null;
  const dawnNode = (await import(/* @vite-ignore */ pathToFileURL(entry).href)) as { create(flags: string[]): GPU };
  const gpu = dawnNode.create([...flags]);
  return (await gpu.requestAdapter()) ? gpu : null;
}
