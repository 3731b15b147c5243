/** @file Environment in which Dawn for Node finds a Vulkan driver: the machine's own, else Chromium's software one. */
import { existsSync, readdirSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";

const playwrights = () => {
  const root = process.env.PLAYWRIGHT_BROWSERS_PATH ?? join(homedir(), ".cache/ms-playwright");
  if (!existsSync(root)) return [];
  const builds = readdirSync(root).filter((name) => /^chromium-\d+$/.test(name));
  return builds.flatMap((name) => readdirSync(join(root, name)).map((inner) => join(root, name, inner)));
};

const folders = () => [
  ...(process.env.CHROMIUM_PATH ? [dirname(process.env.CHROMIUM_PATH)] : []),
  "/usr/lib/chromium",
  "/usr/lib/chromium-browser",
  "/opt/google/chrome",
  ...playwrights(),
];

/** The folder of a Chromium that carries a Vulkan loader and SwiftShader; null where there is none. */
export function softwareVulkan(found = folders()) {
  return (
    found.find(
      (folder) =>
        folder && ["libvulkan.so.1", "vk_swiftshader_icd.json"].every((file) => existsSync(join(folder, file))),
    ) ?? null
  );
}

/**
 * Variables for a child process, since the loader reads its path at start. Without `software` the machine's own
 * drivers stay visible and only the loader is offered.
 */
export function vulkanEnv({ software }) {
  const folder = softwareVulkan();
  if (!folder) return {};
  const path = [process.env.LD_LIBRARY_PATH, folder].filter(Boolean).join(":");
  return {
    LD_LIBRARY_PATH: path,
    XDG_RUNTIME_DIR: process.env.XDG_RUNTIME_DIR ?? tmpdir(),
    ...(software ? { VK_ICD_FILENAMES: join(folder, "vk_swiftshader_icd.json") } : {}),
  };
}

/** Whether the system itself has a Vulkan loader that Dawn would find. */
export const hasVulkanLoader = () =>
  process.platform !== "linux" ||
  [
    ...(process.env.LD_LIBRARY_PATH ?? "").split(":"),
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
  ]
    .filter(Boolean)
    .some((folder) => existsSync(join(folder, "libvulkan.so.1")));
