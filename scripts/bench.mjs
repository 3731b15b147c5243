/**
 * @file `npm run bench`: times naive against fused plans with Dawn in Node.
 * `--bundle FILE` writes the bench as one file instead, for a machine that has only Node and the package `webgpu`.
 */
import { mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build, cached } from "./bundle.mjs";
import { ensureWebgpu } from "./ensure-webgpu.mjs";
import { openGpu } from "./node-gpu.mjs";

const args = process.argv.slice(2);
if (args[0] === "--bundle") {
  const out = resolve(args[1] ?? ".cache/bench.mjs");
  mkdirSync(dirname(out), { recursive: true });
  await build("bench/alone.ts", out, ["webgpu"]);
  console.log(out);
  process.exit(0);
}
if (!ensureWebgpu()) process.exit(1);
const gpu = await openGpu();
if (typeof gpu === "string") {
  console.error(gpu);
  process.exit(1);
}
const bundle = await cached("bench/main.ts", "bench", ["bench", "src"]);
const { main } = await import(pathToFileURL(bundle).href);
process.exit(await main(args, gpu));
