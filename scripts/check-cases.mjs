/**
 * @file `npm run check:cases [-- PATH… --device webgpu]`: every external case below the paths, or below the folder named by
 * CASES_DIR, or where the cases are usually unpacked.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const given = process.argv.slice(2);
const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
const usual = process.env.CASES_DIR ?? join(cache, "fusion-playground", "cases");
const kinds = ["onnx_node", "onnx_pytorch", "ort_fusion", "models", "ort_web_ops", "jax_autodiff", "jax_vmap"].map(
  (kind) => join(usual, kind),
);
const paths = given.some((each) => !each.startsWith("--") && existsSync(each))
  ? []
  : kinds.filter((path) => existsSync(path));
if (paths.length === 0 && given.length === 0) {
  console.error(`No cases at ${usual}. Name a folder, or set CASES_DIR.`);
  process.exit(1);
}
const { status } = spawnSync(process.execPath, ["scripts/fusion.mjs", "check", ...paths, ...given], {
  stdio: "inherit",
});
process.exit(status ?? 1);
