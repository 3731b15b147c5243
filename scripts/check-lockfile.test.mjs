import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { lockfileFaults } from "./check-lockfile.mjs";

test("a platform's binary that is missing is named", () => {
  const packages = {
    "": {},
    "node_modules/tool": { integrity: "x", optionalDependencies: { "@tool/linux": "1", "@tool/mac": "1" } },
    "node_modules/@tool/linux": { integrity: "y", optional: true },
  };
  expect(lockfileFaults({ packages })).toEqual([
    "node_modules/tool wants @tool/mac on some platform, and it is not in the lockfile",
  ]);
});

test("the project's own lockfile is whole", () => {
  expect(lockfileFaults(JSON.parse(readFileSync("package-lock.json", "utf8")))).toEqual([]);
});
