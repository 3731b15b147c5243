/** @file Two small build plugins: the policy as a meta element for static hosts, and the list of files for the service worker. */
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { join, relative } from "node:path";

/** Writes the policy into the built page; the dev server runs without one. */
export function metaPolicy(policy) {
  return {
    name: "meta-policy",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler: (html) =>
        html.replace("<head>", `<head>\n    <meta http-equiv="Content-Security-Policy" content="${policy}" />`),
    },
  };
}

function* filesUnder(folder) {
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) yield* filesUnder(path);
    else yield path;
  }
}

/**
 * Fills the two placeholders of public/sw.js once every file is written: the list of files to keep for offline use,
 * and a version that changes exactly when one of them does.
 */
export function offlineList() {
  let out = "dist";
  return {
    name: "offline-list",
    apply: "build",
    configResolved(config) {
      out = config.build.outDir;
    },
    closeBundle: {
      order: "post",
      async handler() {
        const { existsSync, writeFileSync } = await import("node:fs");
        const worker = join(out, "sw.js");
        if (!existsSync(worker)) return;
        const hash = createHash("sha256");
        const files = [];
        for (const path of filesUnder(out)) {
          const name = relative(out, path).replaceAll("\\", "/");
          // Pages for chats are for who comes from one.
          if (name === "sw.js" || name.startsWith("share/") || name.startsWith(".")) continue;
          files.push(name);
          hash.update(name).update(readFileSync(path));
        }
        const source = readFileSync(worker, "utf8");
        writeFileSync(
          worker,
          source
            .replace("/* files */ []", JSON.stringify(["./", ...files]))
            .replace("/* version */ dev", hash.digest("hex").slice(0, 16)),
        );
      },
    },
  };
}
