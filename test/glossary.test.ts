/** @file One vocabulary: docs/glossary.md is printed from src/glossary, and replaced names stay away. */
import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { terms, type Term } from "../src/glossary";
import { found, missingFiles, oldWordsFound, phrasePattern, searchedTexts, strayWordsFound } from "./glossary-search";

const texts = searchedTexts();

describe("replaced words", () => {
  test("identifiers, phrases and files stay away", () => {
    expect(oldWordsFound(texts)).toEqual([]);
  });
  test("words of one meaning stay where it is", () => {
    expect(strayWordsFound(texts)).toEqual([]);
  });
  test("a word without its meaning is found, but not where it is a name in quotes or stands in a phrase", () => {
    const text = 'const place = read("kept"); // in place, in-place';
    expect(strayWordsFound(new Map([["src/fusion/a.ts", text]]))).toEqual(["src/fusion/a.ts:1: place"]);
  });
  test("what replaced a file is there", () => {
    expect(missingFiles()).toEqual([]);
  });
  test("a phrase that came back is found across lines", () => {
    expect(found("a.ts", "/**\n * the Old\n * words */", phrasePattern(["the old words"]))).toEqual([
      "a.ts:2: the Old * words",
    ]);
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
