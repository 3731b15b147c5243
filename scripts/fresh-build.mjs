/** @file Builds the page when its sources changed since the last build. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "vite";

const inputs = [
  "src",
  "public",
  "index.html",
  "vite.config.ts",
  "package-lock.json",
  "scripts/csp.mjs",
  "scripts/vite-plugins.mjs",
];
// In the built folder itself: every other build empties it, and takes the stamp along.
const STAMP = "dist/.sources";

function* filesOf(path) {
  if (!existsSync(path)) return;
  if (!statSync(path).isDirectory()) yield path;
  else for (const name of readdirSync(path).sort()) yield* filesOf(join(path, name));
}

/** A hash over the names and contents of everything that the page is built from, tests left out. */
export function sourceHash() {
  const hash = createHash("sha256");
  for (const input of inputs) {
    for (const file of filesOf(input)) {
      if (!/\.test\.tsx?$/.test(file)) hash.update(file).update(readFileSync(file));
    }
  }
  return hash.digest("hex");
}

/** Builds `dist/` unless it is there and of these sources. Answers whether it had to. */
export async function freshBuild() {
  const hash = sourceHash();
  const last = existsSync(STAMP) ? readFileSync(STAMP, "utf8") : "";
  if (last === hash && existsSync("dist/index.html")) return false;
  await build({ logLevel: "warn" });
  writeFileSync(STAMP, hash);
  return true;
}
