/** @file One vocabulary: docs/glossary.md is printed from src/glossary, and replaced names stay away. */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { terms, type Term } from "../src/glossary";
import { oldFiles, oldIdentifiers, oldPhrases } from "./old-words";

const FOLDERS = ["src", "test", "e2e", "docs", "scripts"];
/** They name the old words on purpose. */
const EXEMPT = new Set(["test/old-words.ts", "docs/glossary.md", "src/glossary/terms.ts"]);

const files = FOLDERS.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name.replaceAll("\\", "/")}`),
).filter((path) => /\.(ts|tsx|mts|mjs|css|md)$/.test(path) && !EXEMPT.has(path));
const texts = new Map(files.map((path) => [path, readFileSync(path, "utf8")]));

const escaped = (words: readonly string[]): string =>
  words.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)).join("|");

/** Where `pattern` stands: `file:line: words`. */
function* found(path: string, text: string, pattern: RegExp): Generator<string> {
  for (const match of text.matchAll(pattern))
    yield `${path}:${text.slice(0, match.index).split("\n").length}: ${match[0].replaceAll(/\s+/g, " ")}`;
}

/** Words in one line of comment or prose follow each other across ` * ` and `// ` too. */
const phrase = (words: string): string => words.split(" ").join(String.raw`(?:\s+(?:\*|//)?\s*)`);

describe("replaced words", () => {
  test("identifiers", () => {
    const pattern = new RegExp(String.raw`(?<![\w$])(?:${escaped(Object.keys(oldIdentifiers))})(?![\w$])`, "g");
    expect([...texts].flatMap(([path, text]) => [...found(path, text, pattern)])).toEqual([]);
  });
  test("phrases", () => {
    const pattern = new RegExp(String.raw`\b(?:${Object.keys(oldPhrases).map(phrase).join("|")})\b`, "gi");
    expect([...texts].flatMap(([path, text]) => [...found(path, text, pattern)])).toEqual([]);
  });
  test("files", () => {
    const back = Object.keys(oldFiles).filter((path) =>
      [".ts", ".tsx", ".css"].some((ending) => existsSync(`src/${path}${ending}`)),
    );
    expect(back).toEqual([]);
  });
  test("what replaced a file is there", () => {
    const gone = Object.values(oldFiles).filter(
      (path) => ![".ts", ".tsx"].some((ending) => existsSync(`src/${path}${ending}`)),
    );
    expect(gone).toEqual([]);
  });
  test("a word that came back is found", () => {
    const pattern = new RegExp(String.raw`\b(?:${phrase("the old words")})\b`, "gi");
    expect([...found("a.ts", "/**\n * the Old\n * words */", pattern)]).toHaveLength(1);
  });
});

const quoted = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(", ");

function entry({ name, meaning, code, page, instead }: Term): string {
  const where = [
    ...(code.length > 0 ? [`code: ${quoted(code)}`] : []),
    ...(page ? [`page: ${page}`] : []),
    ...(instead ? [`not: _${instead.join("_, _")}_`] : []),
  ];
  return `- **${name}**: ${meaning} (${where.join("; ")})`;
}

const page = `# Glossary

One word for each thing, and one thing for each word, in code, on the page, in docs and in commits. The words are those of
papers, PyTorch and XLA. This page is printed from \`src/glossary/terms.ts\` by \`npx vitest run test/glossary.test.ts -u\`;
names and phrases that were replaced, and must not come back, stand in \`test/old-words.ts\`.

${terms.map(entry).join("\n")}
`;

describe("the glossary", () => {
  test("is printed as docs/glossary.md", async () => {
    await expect(page).toMatchFileSnapshot("../docs/glossary.md");
  });
  test("is in order, with one entry a word", () => {
    const names = terms.map(({ name }) => name.toLowerCase());
    expect(names).toEqual([...new Set(names)].toSorted());
  });
  test.each(terms)("$name: one plain sentence", ({ meaning }) => {
    expect(meaning).toMatch(/^[A-Z][^.]*\.$/);
    expect(meaning.length).toBeLessThanOrEqual(130);
  });
  test.each(terms.filter(({ code }) => code.length > 0))("$name: code that exists", ({ code }) => {
    const sources = [...texts].filter(([path]) => path.startsWith("src/"));
    const missing = code.filter((name) =>
      name.includes("/")
        ? !existsSync(`src/${name}`)
        : !sources.some(([, text]) => new RegExp(String.raw`\b${name}\b`).test(text)),
    );
    expect(missing).toEqual([]);
  });
});
