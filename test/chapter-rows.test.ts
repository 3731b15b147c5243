/** @file Every item of the five chapters has its reference on the page: an example, a sentence, a note, a pass, a reason, a story. */
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { allProfiles, findOp, parseProgram, passCatalogue } from "../src/fusion";
import { acceptedCodes, costCodes, legalityCodes, userCodes } from "../src/fusion/ir/verdict";
import { allLessons, findExample, findNote } from "../src/lessons";
import { chapterRows } from "../src/panels/model/notes/chapter-rows";

/** `kind:name`; a story or a law is `kind:file|words of its title`. */
type Reference = `${"example" | "claim" | "note" | "pass" | "code" | "op" | "profile" | "story" | "law"}:${string}`;

interface Row {
  readonly id: string;
  readonly status: string;
  readonly references: readonly Reference[];
}

const table = readFileSync("docs/seeds.md", "utf8");

/** A line of the table in docs/seeds.md; `\|` is a bar inside a cell. */
function rowOf(line: string): Row {
  const [, id, , status, where] = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
  const references = [...where!.matchAll(/`([^`]+)`/g)].map(
    ([, reference]) => reference!.replace("\\|", "|") as Reference,
  );
  return { id: id!, status: status!, references };
}

const rows: readonly Row[] = table
  .split("\n")
  .filter((line) => /^\| *\d{3}-\d\d/.test(line))
  .map(rowOf);

const claimed = new Set(allLessons.flatMap(({ claims = [] }) => claims.map(({ row }) => row)));
const codes = new Set<string>([...legalityCodes, ...costCodes, ...userCodes, ...acceptedCodes]);
const contains = (file: string, words: string): boolean =>
  existsSync(file) && readFileSync(file, "utf8").includes(words);

const [fileOf, wordsOf] = [(name: string) => name.split("|")[0]!, (name: string) => name.split("|")[1]!];

/** Whether the page has what a reference names, by kind. */
const checks: Readonly<Record<string, (name: string, row: string) => boolean>> = {
  example: (name) => findExample(name) !== null,
  claim: (name, row) => name === row && name in chapterRows && claimed.has(name),
  note: (name, row) => findNote(name)?.rows.includes(row) === true,
  pass: (name) => passCatalogue.some((pass) => pass.name === name),
  code: (name) => codes.has(name),
  op: (name) => findOp(name) !== null,
  profile: (name) => allProfiles.some((profile) => profile.name === name),
  story: (name) => contains(`e2e/${fileOf(name)}`, wordsOf(name)),
  law: (name) => contains(fileOf(name), wordsOf(name)),
};

function isThere(row: string, reference: Reference): boolean {
  const at = reference.indexOf(":");
  return checks[reference.slice(0, at)]!(reference.slice(at + 1), row);
}

describe("every item of the chapters", () => {
  test("all 111 are listed", () => {
    const counts = { "000": 26, "001": 18, "002": 21, "003": 38, "004": 8 };
    const all = Object.entries(counts).flatMap(([chapter, count]) =>
      Array.from({ length: count }, (_, i) => `${chapter}-${String(i + 1).padStart(2, "0")}`),
    );
    expect(rows.map(({ id }) => id)).toEqual(all);
  });

  test.each(rows)("$id has its references", ({ id, references }) => {
    expect(references.filter((reference) => !isThere(id, reference))).toEqual([]);
    expect(references.length).toBeGreaterThan(0);
  });

  test("each is live, told or partly there, which says what is missing, and they are counted", () => {
    expect(rows.filter(({ status }) => !/^(?:live|told|partly: .{10,})$/.test(status))).toEqual([]);
    const counted = ["live", "told", "partly"].map(
      (status) => `${rows.filter((row) => row.status.startsWith(status)).length} ${status}`,
    );
    expect(table).toContain(`${counted.join(", ")}.`);
  });

  test("what is only told stands in notes", () => {
    const told = rows.filter(({ status }) => status === "told");
    expect(told.filter(({ references }) => references.every((reference) => !reference.startsWith("note:")))).toEqual(
      [],
    );
  });
});

test("a width taken from the input is a mistake at its line, unless the weight is square", () => {
  const program = (out: number, width: string): string =>
    `x: f32[8, 16]\nw: f32[16, ${out}] = param()\nh = x @ w\ny = gelu(layer_norm(h, (${width},)))\n`;
  expect(parseProgram(program(16, "x.size(-1)")).diagnostics).toEqual([]);
  expect(parseProgram(program(32, "h.size(-1)")).diagnostics).toEqual([]);
  const text = program(32, "x.size(-1)");
  const [wrong] = parseProgram(text).diagnostics;
  expect(text.slice(0, wrong!.span.from).split("\n")).toHaveLength(4);
  expect(wrong!.text).toMatch(/32/);
});
