/** @file Keeps the draft: within a second of each change, at once when the page is hidden. A link never writes over it. */
import type { Document } from "../document";
import { readDraft, writeDraft } from "../document";
import type { PreviousWork } from "./types";
import type { Shelf } from "./environment";

export const DRAFT_KEY = "fusion-playground.draft";
export const PREVIOUS_KEY = "fusion-playground.previous";
export const SAVE_PAUSE_MILLIS = 400;
const KEPT_WORKS = 10;

export interface Autosave {
  /** Saves `document` soon. */
  later(document: Document): void;
  /** Saves what waits, now. */
  flush(): void;
}

/** `report` hears what became of each save. */
export function startAutosave(storage: Shelf, report: (saved: "saving" | "saved" | "blocked") => void): Autosave {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let waiting: Document | null = null;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (!waiting) return;
    const document = waiting;
    waiting = null;
    report(storage.write(DRAFT_KEY, writeDraft(document)) ? "saved" : "blocked");
  };
  return {
    later(document) {
      waiting = document;
      report("saving");
      // Not restarted by further changes: however fast one types, a save comes every SAVE_PAUSE_MILLIS.
      timer ??= setTimeout(flush, SAVE_PAUSE_MILLIS);
    },
    flush,
  };
}

/** The draft that was kept, or null when there is none that can be read. */
export function storedDraft(storage: Shelf): Document | null {
  const text = storage.read(DRAFT_KEY);
  return text === null ? null : readDraft(text);
}

const titleOf = (document: Document): string =>
  document.text
    .split("\n")
    .find((line) => line.trim() !== "")
    ?.trim()
    .slice(0, 60) ?? "empty";

/** Work that was replaced, newest first. Unreadable entries are left out. */
export function storedWorks(storage: Shelf): PreviousWork[] {
  const text = storage.read(PREVIOUS_KEY);
  if (text === null) return [];
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    return [];
  }
  if (!Array.isArray(list)) return [];
  const works: PreviousWork[] = [];
  for (const entry of list.slice(0, KEPT_WORKS) as unknown[]) {
    if (typeof entry !== "object" || entry === null) continue;
    const { when, draft } = entry as { when?: unknown; draft?: unknown };
    const document = typeof draft === "string" ? readDraft(draft) : null;
    if (document) works.push({ title: titleOf(document), when: typeof when === "number" ? when : 0, document });
  }
  return works;
}

/** Keeps `document` as the newest previous work; the same text is kept once. */
export function keepWork(
  storage: Shelf,
  works: readonly PreviousWork[],
  document: Document,
  when: number,
): PreviousWork[] {
  const next = [
    { title: titleOf(document), when, document },
    ...works.filter((work) => work.document.text !== document.text),
  ].slice(0, KEPT_WORKS);
  storage.write(
    PREVIOUS_KEY,
    JSON.stringify(next.map((work) => ({ when: work.when, draft: writeDraft(work.document) }))),
  );
  return next;
}
