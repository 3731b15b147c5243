/** @file `npm run build:bench`: the page that times our plans beside other libraries, into dist-bench/; installs them into bench/ first. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const bench = fileURLToPath(new URL("../bench/", import.meta.url));
const json = (path) => JSON.parse(readFileSync(path, "utf8"));

/** True when the versions of the libraries that bench/package.json names are installed. */
export function hasPeers() {
  return Object.entries(json(join(bench, "package.json")).devDependencies).every(([name, version]) => {
    const installed = join(bench, "node_modules", name, "package.json");
    return existsSync(installed) && json(installed).version === version;
  });
}

/** Builds dist-bench/. */
export async function buildBenchPage() {
  const { build } = await import("vite");
  await build({ configFile: join(bench, "page/vite.config.ts"), logLevel: "warn" });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (!hasPeers()) {
    console.error("$ npm ci (in bench/)");
    const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
    spawnSync("npm", args, { cwd: bench, stdio: ["ignore", 2, 2], shell: process.platform === "win32" });
  }
  await buildBenchPage();
  console.log("dist-bench/bench.html");
}
