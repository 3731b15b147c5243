/** @file Dated copies of earlier work, newest first: at most ten. What can't be read is saved as it was found, to be downloaded. */
import { readDraft, type Document } from "../../document";
import type { Shelf } from "../environment";
import { selectTitle } from "../selectors";
import type { PreviousWork } from "../slices/slice-states";

export const COPIES_KEY = "fusion-playground.previous";
export const MAX_COPIES = 10;

/** One copy as it is stored. */
interface Entry {
  readonly when: number;
  readonly draft: string;
  /** The tab that saves its work here because another tab owns the draft. */
  readonly tab?: string;
}

const LONGEST = 60;

/** Lines of the text itself, not of a class, a def or a docstring in it. */
function outerLines(text: string): string[] {
  const plain = text.replace(/^\s*("""|''')[\s\S]*?\1/gm, "");
  return plain.split("\n").filter((line) => /^[^\s#)\]}]/.test(line));
}

/** Imports, decorators and switches come before what a program is about. */
const SAYS_NOTHING = /^(import|from|@|torch\.manual_seed|np\.random\.seed|if __name__)\b|^@/;

/**
 * The class or function that the text's own lines use last, or that it ends with; else its first line that says something;
 * "empty" where none does.
 */
export function programName(text: string): string {
  const lines = outerLines(text);
  const made = lines.flatMap((line) => /^(?:class|def|async def)\s+(\w+)/.exec(line)?.[1] ?? []);
  const used = lines.filter((line) => !/^(class|def|async def)\b/.test(line)).join("\n");
  const named = made.findLast((name) => new RegExp(`\\b${name}\\b`).test(used)) ?? made.at(-1);
  if (named) return named;
  const first = lines.find((line) => !SAYS_NOTHING.test(line)) ?? text.split("\n").find((line) => line.trim() !== "");
  return first?.trim().slice(0, LONGEST) ?? "empty";
}

/** What it began as, else what its text is about. */
const titleOf = (document: Document): string => selectTitle({ document }) ?? programName(document.text);

function entryOf(value: unknown): Entry | null {
  if (typeof value !== "object" || value === null) return null;
  const { when, draft, tab } = value as { when?: unknown; draft?: unknown; tab?: unknown };
  if (typeof draft !== "string") return null;
  return { when: typeof when === "number" ? when : 0, draft, ...(typeof tab === "string" ? { tab } : {}) };
}

/** What is stored; a list that can't be read is one entry, so that adding a copy never loses it. */
function entries(storage: Shelf): Entry[] {
  const text = storage.read(COPIES_KEY);
  if (text === null) return [];
  try {
    const list: unknown = JSON.parse(text);
    const found = Array.isArray(list) ? list.map(entryOf) : [null];
    if (found.every((entry) => entry !== null)) return found;
  } catch {
    // Damaged: handled below.
  }
  return [{ when: 0, draft: text }];
}

/** The copies of earlier work, newest first. `document` is null where a copy can't be opened by this version. */
export function readCopies(storage: Shelf): PreviousWork[] {
  return entries(storage).map(({ when, draft }) => {
    const opened = readDraft(draft);
    const document: Document | null = opened.ok ? opened.value.state.document : null;
    return { title: document ? titleOf(document) : "Work that can't be opened here", when, document, draft };
  });
}

const programOf = (draft: string): string => {
  const opened = readDraft(draft);
  return opened.ok ? opened.value.state.document.text : draft;
};

/**
 * Saves `draft` as the newest copy; the same program is stored once, and a tab has one entry. The list is read afresh,
 * since another tab may have added to it. Where the browser has no room the oldest copies go first.
 * @param when ms since 1970
 * @returns false when even this copy alone finds no room; then nothing was changed
 */
export function addCopy(storage: Shelf, draft: string, when: number, tab?: string): boolean {
  const program = programOf(draft);
  const others = entries(storage).filter(
    (entry) => (tab === undefined || entry.tab !== tab) && programOf(entry.draft) !== program,
  );
  const list = [{ when, draft, ...(tab === undefined ? {} : { tab }) }, ...others].slice(0, MAX_COPIES);
  for (let count = list.length; count > 0; count--) {
    if (storage.write(COPIES_KEY, JSON.stringify(list.slice(0, count)))) return true;
  }
  return false;
}
