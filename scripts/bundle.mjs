/** @file One entry of the sources as one file for Node, stored in .cache/ under the hash of what it was made from. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const cache = join(root, ".cache");

/** Source files below `folder`, with the size and time that stand for their text. */
function* stamps(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && entry.name !== "node_modules") yield* stamps(path);
    else if (!entry.name.includes(".test.")) {
      const { size, mtimeMs } = statSync(path);
      yield `${path} ${size} ${mtimeMs}`;
    }
  }
}

/** A hash of all that the bundle of `entry` could depend on: sources by size and time, tools by version. */
function keyOf(entry, folders) {
  const hash = createHash("sha256").update(entry);
  hash.update(readFileSync(join(root, "package-lock.json")));
  hash.update(readFileSync(fileURLToPath(import.meta.url)));
  for (const folder of folders) for (const stamp of stamps(join(root, folder))) hash.update(stamp);
  return hash.digest("hex").slice(0, 16);
}

/** Builds `entry` (from the root) into the one file `out`. Packages go in, except those in `external`; `alias` puts files instead of them. */
export async function build(entry, out, external = [], alias = {}) {
  const { build: viteBuild } = await import("vite");
  const folder = dirname(out);
  const scratch = join(folder, `building-${process.pid}`);
  await viteBuild({
    root,
    configFile: false,
    logLevel: "error",
    resolve: { alias },
    ssr: { noExternal: true, external },
    build: {
      ssr: join(root, entry),
      outDir: scratch,
      emptyOutDir: true,
      target: "node20",
      minify: false,
      copyPublicDir: false,
      // Named here too: a package that is not installed can't be found to be external.
      rollupOptions: { external, output: { entryFileNames: "bundle.mjs", codeSplitting: false } },
    },
  });
  renameSync(join(scratch, "bundle.mjs"), out); // in one step: another start may be reading
  rmSync(scratch, { recursive: true, force: true });
}

/** The path of an up-to-date bundle of `entry`; built when the sources have changed since. */
export async function cached(entry, name, folders, external = []) {
  mkdirSync(cache, { recursive: true });
  const out = join(cache, `${name}-${keyOf(entry, folders)}.mjs`);
  if (existsSync(out)) return out;
  await build(entry, out, external);
  const old = readdirSync(cache).filter((file) => file.startsWith(`${name}-`) && join(cache, file) !== out);
  for (const file of old) rmSync(join(cache, file), { force: true });
  return out;
}
