/** @file `npm run -s fusion -- plan|explain|wgsl|run|train|export|picture|report FILE`: starts the command line in src/cli. */
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { cached } from "./bundle.mjs";
import { openGpu } from "./node-gpu.mjs";
import { pixelsOf } from "./pixels.mjs";

const folders = [
  "src/cli",
  "src/fusion",
  "src/gpu",
  "src/document",
  "src/import",
  "src/lessons",
  "src/panels/model",
  "src/panels/posters",
  "src/picture",
];
const tokens = () => readFile(new URL("../src/tokens.css", import.meta.url), "utf8");
const bundle = await cached("src/cli/index.ts", "fusion-cli", folders);
const { main, nodeEnvironment } = await import(pathToFileURL(bundle).href);
const code = await main(process.argv.slice(2), nodeEnvironment({ gpu: openGpu, tokens, pixels: pixelsOf }));
await new Promise((resolve) => process.stdout.write("", resolve)); // a pipe may still be taking the answer
process.exit(code); // Dawn keeps a thread of its own
