/** @file Installs Dawn for Node into bench/, apart from the app because of its 130 MB. Does nothing when it is there. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const bench = fileURLToPath(new URL("../bench/", import.meta.url));
const json = (path) => JSON.parse(readFileSync(path, "utf8"));

/** True when the version that bench/package.json names is installed. */
export function hasWebgpu() {
  const installed = join(bench, "node_modules/webgpu/package.json");
  return existsSync(installed) && json(installed).version === json(join(bench, "package.json")).dependencies.webgpu;
}

/** True when it is there afterwards. */
export function ensureWebgpu() {
  if (hasWebgpu()) return true;
  console.error("$ npm ci (in bench/)");
  const args = ["ci", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund"];
  spawnSync("npm", args, { cwd: bench, stdio: ["ignore", 2, 2], shell: process.platform === "win32" });
  return hasWebgpu();
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  if (!ensureWebgpu()) {
    console.error(
      "webgpu for Node could not be installed: `npm run fusion -- run --device webgpu` and the bench need it.",
    );
    process.exit(1);
  }
  console.log("webgpu for Node: installed");
}
