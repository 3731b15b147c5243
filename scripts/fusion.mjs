/** @file `npm run -s fusion -- plan|explain|wgsl|run|train|export FILE`: starts the command line in src/cli. */
import { pathToFileURL } from "node:url";
import { cached } from "./bundle.mjs";
import { openGpu } from "./node-gpu.mjs";

const folders = ["src/cli", "src/fusion", "src/gpu", "src/document", "src/import", "src/lessons"];
const bundle = await cached("src/cli/index.ts", "fusion-cli", folders);
const { main, nodeEnvironment } = await import(pathToFileURL(bundle).href);
const code = await main(process.argv.slice(2), nodeEnvironment(openGpu));
await new Promise((resolve) => process.stdout.write("", resolve)); // a pipe may still be taking the answer
process.exit(code); // Dawn keeps a thread of its own
