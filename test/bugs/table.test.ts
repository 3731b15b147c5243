/** @file The table of injected bugs fits the source: each text is still there, none is shipped, and what is gone is told. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { bugsIn, withBugs } from "./bug.ts";
import { allBugs } from "./index.ts";

const all = Object.entries(allBugs).flatMap(([name, replacements]) =>
  replacements.map(([file]) => [name, file] as const),
);
const built = (file: string): string => withBugs(allBugs, file, readFileSync(file, "utf8"), "./switch");

test("each bug changes the files that it names", () => {
  const absent = all.filter(
    ([name, file]) => !built(file).includes(name === "*" ? "injected.any()" : `injected.on("${name}")`),
  );
  expect(absent).toEqual([]);
});

const one = (text: string, wrong: string): ReturnType<typeof bugsIn> =>
  bugsIn("src", { "off-by-one": [["a.ts", text, wrong]] });

test("an expression, a statement and a gap between statements", () => {
  const source = "let a =\n  b + 1;\nf(a);";
  const build = (text: string, wrong: string): string =>
    withBugs(one(text, wrong), "src/a.ts", source, "s").replace('import * as injected from "s"; ', "");
  expect(build("let a = b + «1»;", "2")).toBe('let a =\n  b + (injected.on("off-by-one") ? (2) : (1));\nf(a);');
  expect(build("«f(a);»", "")).toBe('let a =\n  b + 1;\nif (injected.on("off-by-one")) {  } else { f(a); }');
  expect(build("«»f(a);", "return;")).toBe('let a =\n  b + 1;\nif (injected.on("off-by-one")) { return; } f(a);');
  expect(withBugs(one("«1»", "2"), "src/b.ts", source, "s")).toBe(source);
});

test("a text that is gone, a text without a mark and bugs that overlap are told", () => {
  const build = (bugs: ReturnType<typeof bugsIn>) => (): string => withBugs(bugs, "src/a.ts", "f(1);", "s");
  expect(build(one("g(«1»)", "2"))).toThrow("bug off-by-one: src/a.ts no longer has “g(«1»)”");
  expect(build(one("f(1)", "2"))).toThrow("mark one part");
  expect(build({ ...one("f(«1»)", "2"), other: [["src/a.ts", "«f(1)»", "0"]] })).toThrow("two bugs overlap");
});
