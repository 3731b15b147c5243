/** @file Builds the compiler with its injected bugs, for the tests in this folder alone. */
import { relative } from "node:path";
import type { Plugin } from "vite";
import { allBugs } from "./index.ts";
import { withBugs } from "./bug.ts";

export function injectedBugs(): Plugin {
  const switches = new URL("switch.ts", import.meta.url).pathname;
  let root = "";
  return {
    name: "injected-bugs",
    enforce: "pre",
    configResolved(config) {
      ({ root } = config);
    },
    transform: (source, id) => withBugs(allBugs, relative(root, id).replaceAll("\\", "/"), source, switches),
  };
}
