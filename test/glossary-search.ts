/** @file Finds replaced names and phrases (old-words.ts) in code, tests, docs and scripts. */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { oldFiles, oldIdentifiers, oldPhrases, strayWords, strayWordsIn } from "./old-words";

const FOLDERS = ["src", "test", "e2e", "docs", "scripts"];
/** They name the old words on purpose. */
const EXEMPT = new Set(["test/old-words.ts", "docs/glossary.md", "src/glossary/terms.ts"]);

/** Text by path. */
export const searchedTexts = (): ReadonlyMap<string, string> =>
  new Map(
    FOLDERS.flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: "utf8" }).map(
        (name) => `${folder}/${name.replaceAll("\\", "/")}`,
      ),
    )
      .filter((path) => /\.(ts|tsx|mts|mjs|css|md)$/.test(path) && !EXEMPT.has(path))
      .map((path) => [path, readFileSync(path, "utf8")]),
  );

const escaped = (words: readonly string[]): string =>
  words.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)).join("|");
/** Words of one phrase follow each other across the line breaks of comments and prose too. */
const acrossLines = (words: string): string => words.split(" ").join(String.raw`(?:\s+(?:\*|//)?\s*)`);

export const identifierPattern = (names: readonly string[]): RegExp =>
  new RegExp(String.raw`(?<![\w$])(?:${escaped(names)})(?![\w$])`, "g");
export const phrasePattern = (phrases: readonly string[]): RegExp =>
  new RegExp(String.raw`\b(?:${phrases.map(acrossLines).join("|")})\b`, "gi");

/** Where `pattern` stands: `file:line: words`. */
export const found = (path: string, text: string, pattern: RegExp): readonly string[] =>
  [...text.matchAll(pattern)].map(
    (match) => `${path}:${text.slice(0, match.index).split("\n").length}: ${match[0].replaceAll(/\s+/g, " ")}`,
  );

/** Words where their meaning is not: by folder, outside of quotes, hyphens and "in place". */
export const strayWordsFound = (texts = searchedTexts()): readonly string[] =>
  Object.entries(strayWords).flatMap(([folder, words]) => {
    const pattern = new RegExp(String.raw`(?<![\w$"/-]|\bin )(?:${escaped(words)})(?![\w$"-])`, "g");
    return [...texts].flatMap(([path, text]) =>
      path.startsWith(`${folder}/`) && !strayWordsIn.includes(path) ? found(path, text, pattern) : [],
    );
  });

const isThere = (path: string): boolean => [".ts", ".tsx", ".css"].some((ending) => existsSync(`src/${path}${ending}`));

/** Old files that are there again. */
export const oldFilesFound = (): readonly string[] => Object.keys(oldFiles).filter(isThere);
/** Files that the table names as replacements and that are not there. */
export const missingFiles = (): readonly string[] => Object.values(oldFiles).filter((path) => !isThere(path));

/** Every replaced identifier, phrase and file that came back. */
export function oldWordsFound(texts = searchedTexts()): readonly string[] {
  const identifiers = identifierPattern(Object.keys(oldIdentifiers));
  const phrases = phrasePattern(Object.keys(oldPhrases));
  return [
    ...[...texts].flatMap(([path, text]) => [...found(path, text, identifiers), ...found(path, text, phrases)]),
    ...oldFilesFound(),
  ];
}
