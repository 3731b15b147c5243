import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { allComposites, allOps, findOp, opDef } from "./index";
import { FORMER_NAMES } from "./former-names";

const here = import.meta.dirname;
const folders = readdirSync(here, { withFileTypes: true }).filter((entry) => entry.isDirectory());
const inFolders = folders.flatMap(({ name: folder }) =>
  readdirSync(join(here, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => ({ file: basename(path), text: readFileSync(join(here, folder, path), "utf8") })),
);

test("every file of the families' folders is in the list, and nothing else is", () => {
  const named = inFolders.map(({ text }) => /name: "(\w+)"/.exec(text)![1]!).toSorted();
  expect([...allOps, ...allComposites].map((def) => def.name).toSorted()).toEqual(named);
});

test("a file is called as its op is", () => {
  for (const { file, text } of inFolders) {
    expect(file).toBe(`${/name: "(\w+)"/.exec(text)![1]!.replaceAll("_", "-")}.ts`);
  }
});

test("the lists are alphabetical, and no name or alias is taken twice", () => {
  for (const list of [allOps, allComposites]) {
    const names = list.map((def) => def.name);
    expect(names).toEqual(names.toSorted());
  }
  const all = [...allOps, ...allComposites].flatMap((def) => [def.name, ...(def.aliases ?? [])]);
  expect(all.filter((name, i) => all.indexOf(name) !== i)).toEqual([]);
});

test("a former name finds the op that has another name now, and no op has it", () => {
  for (const [former, now] of Object.entries(FORMER_NAMES)) {
    expect(findOp(former)).toBe(opDef(now));
    expect([...allOps, ...allComposites].map((def) => def.name)).not.toContain(former);
  }
});

test("names that JavaScript objects know are not ops", () => {
  for (const name of ["constructor", "__proto__", "toString", ""]) expect(findOp(name)).toBeNull();
  expect(() => opDef("softmax")).toThrow("no op softmax");
});

test("every op says what it computes and what it teaches, and its parameters say what they are", () => {
  for (const def of [...allOps, ...allComposites]) {
    expect(def.doc.formula.length).toBeGreaterThan(0);
    expect(def.doc.teaches).toMatch(/\.$/);
    const spellings = def.params.flatMap((param) => param.names);
    expect(spellings).toEqual([...new Set(spellings)]);
    for (const param of def.params) expect(param.doc).toMatch(/\.$/);
  }
});

test("an op's file is short enough to read at a glance", () => {
  const long = inFolders.filter(({ text }) => text.split("\n").length > 70);
  expect(long.map(({ file }) => file)).toEqual([]);
});
