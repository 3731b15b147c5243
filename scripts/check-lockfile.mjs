/**
 * @file Every platform's binary that a locked package names must be in the lockfile, with its integrity.
 * A registry that lags behind makes npm leave some out without a word, and `npm ci` fails elsewhere.
 */
import { readFileSync } from "node:fs";

/** What is wrong with a parsed package-lock.json, one sentence each. */
export function lockfileFaults(lock) {
  const packages = Object.entries(lock.packages ?? {});
  const names = new Set(
    packages.map(([path]) => path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length)),
  );
  const faults = [];
  for (const [path, entry] of packages) {
    if (path === "") continue;
    if (!entry.integrity && !entry.link) faults.push(`${path} has no integrity`);
    for (const name of Object.keys(entry.optionalDependencies ?? {})) {
      if (!names.has(name)) faults.push(`${path} wants ${name} on some platform, and it is not in the lockfile`);
    }
  }
  if (packages.length < 2) faults.push("the lockfile names no packages");
  return faults;
}

if (process.argv[1]?.endsWith("check-lockfile.mjs")) {
  const faults = lockfileFaults(JSON.parse(readFileSync("package-lock.json", "utf8")));
  for (const fault of faults) console.error(fault);
  console.log(`lockfile: ${faults.length} faults`);
  process.exit(faults.length > 0 ? 1 : 0);
}
