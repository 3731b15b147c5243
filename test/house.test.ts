/** @file The house stays in order: what `npm run house` counts may fall and not rise. scripts/house.json has the limits. */
import { readFileSync, readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { nodeId } from "../src/fusion/ir";
import { codeLines, cyclesIn, limits, measure } from "../scripts/house.mjs";

describe("limits of scripts/house.json", async () => {
  const { found } = await measure();
  const held = limits();
  test("name exactly what is measured", () => {
    expect(Object.keys(held).toSorted()).toEqual(Object.keys(found).toSorted());
  });
  test.each(Object.entries(found))("%s", (what, list) => {
    expect(list.length, `${what}:\n${list.join("\n")}`).toBeLessThanOrEqual(held[what]!);
  });
});

test("lines of code are those that are neither empty nor comment", () => {
  expect(codeLines("/** a\n * b\n */\n\nconst x = 1; // c\n// d\n/* e */\nf();\n")).toBe(2);
});

test("files that import each other are one cycle", () => {
  const edges = new Map([
    ["a", ["b"]],
    ["b", ["c"]],
    ["c", ["a", "d"]],
    ["d", ["e"]],
    ["e", []],
  ]);
  expect(cyclesIn(edges)).toEqual([["a", "b", "c"]]);
});

test("the picture of docs/architecture.md names every folder of src/, src/fusion/ and what is listed below one, and no other", () => {
  const picture = /```\nsrc\/\n(.*?)```/s.exec(readFileSync("docs/architecture.md", "utf8"))![1]!;
  const folders = (path: string): readonly string[] =>
    readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .toSorted();
  const named = new Map<string, string[]>();
  const inside: Record<number, string> = { 2: "src" };
  for (const line of picture.split("\n")) {
    const indent = line.search(/\S/);
    const parent = inside[indent];
    if (parent === undefined) continue;
    // The folders that a line is about stand at its start; words follow after spaces.
    const names = [.../^\s+((?:\w+\/ ?)+)/.exec(line)![1]!.matchAll(/\w+/g)].map(([name]) => name);
    named.set(parent, [...(named.get(parent) ?? []), ...names]);
    inside[indent + 2] = `${parent}/${names[0]}`;
  }
  expect(named.size).toBeGreaterThan(4);
  for (const [path, names] of named) expect({ path, names: names.toSorted() }).toEqual({ path, names: folders(path) });
});

test("one file takes ids apart", () => {
  // The types refuse methods of strings; what is left are regular expressions.
  const matched = readdirSync("src", { recursive: true, encoding: "utf8" })
    .map((name) => `src/${name.replaceAll("\\", "/")}`)
    .filter(
      (file) =>
        /\.tsx?$/.test(file) &&
        file !== "src/fusion/ir/id-spelling.ts" &&
        /\.(?:test|exec)\((?:\w+\.)*(?:id|nodeId)\)/.test(readFileSync(file, "utf8")),
    );
  expect(matched).toEqual([]);
  // @ts-expect-error Ids are opaque.
  expect(() => nodeId("h/0").split("/")).not.toThrow();
});
