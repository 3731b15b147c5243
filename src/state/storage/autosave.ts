/**
 * @file Saves the draft: within a second of each change, at once when the page is hidden. It never writes over work that
 * is stored nowhere else: not over another tab's, not over a draft that can't be read, not over what a link replaced.
 */
import type { DecisionRef, Document } from "../../document";
import { readDraft, writeDraft } from "../../document";
import { addCopy } from "./copies";
import type { SavedState } from "../types";
import type { Shelf } from "../environment";

export const DRAFT_KEY = "fusion-playground.draft";
export const SAVE_PAUSE_MILLIS = 400;

export interface Autosave {
  /** The draft as it was found on this visit; null where there was none. */
  readonly found: string | null;
  /** Saves `document` soon. */
  later(document: Document): void;
  /** Saves what waits, now. */
  flush(): void;
  /** Notes in the stored draft which step of it is looked at; nothing where another program is stored, or another tab owns it. */
  mark(document: Document, decision: DecisionRef | null): void;
  /** `draft` must be stored as a copy before the draft may be written over; tried at once and before each save. */
  protect(draft: string): boolean;
  /** Another tab owns the draft (false), or this one does (true). */
  own(owner: boolean): void;
  /** Becomes the owner knowingly: what another tab saved meanwhile is stored as a copy first. */
  takeOver(document: Document): void;
}

interface Storing {
  readonly storage: Shelf;
  /** ms since 1970 */
  readonly now: () => number;
  /** Hears what became of each save. */
  readonly report: (saved: SavedState) => void;
  /** The copies changed. */
  readonly copied: () => void;
}

/** A name for this tab among the copies. */
const tabName = (): string => Math.random().toString(36).slice(2, 10);

export function startAutosave({ storage, now, report, copied }: Storing): Autosave {
  const tab = tabName();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let waiting: Document | null = null;
  let owner = true;
  /** The stored draft as this tab read or wrote it last. */
  const found = storage.read(DRAFT_KEY);
  let known = found;
  /** Drafts that stand nowhere but in the storage's one draft. */
  let unsafe: string[] = [];

  const secure = (text: string): boolean => {
    unsafe = unsafe.filter((draft) => draft !== text && !addCopy(storage, draft, now()));
    return unsafe.length === 0;
  };
  const copy = (text: string): SavedState => {
    const done = addCopy(storage, text, now(), tab);
    if (done) copied();
    return done ? "copied" : "blocked";
  };
  const save = (document: Document): SavedState => {
    const text = writeDraft(document);
    // What the next visit can't open is not saved, whatever the storage answers.
    if (!readDraft(text).ok) return "blocked";
    // Where tabs can't agree on an owner (no locks on an insecure origin), the draft itself tells of the other one.
    if (owner && storage.read(DRAFT_KEY) !== known) owner = false;
    if (!owner) return copy(text);
    const protectedBefore = unsafe.length;
    if (!secure(text)) return "no-room";
    if (protectedBefore > 0) copied();
    if (!storage.write(DRAFT_KEY, text)) return "blocked";
    known = storage.read(DRAFT_KEY);
    return known === text ? "saved" : "blocked";
  };
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (!waiting) return;
    const document = waiting;
    waiting = null;
    report(save(document));
  };
  const later = (document: Document): void => {
    waiting = document;
    report("saving");
    // Not restarted by further changes: however fast one types, a save comes every SAVE_PAUSE_MILLIS.
    timer ??= setTimeout(flush, SAVE_PAUSE_MILLIS);
  };
  return {
    found,
    later,
    flush,
    mark(document, decision) {
      if (!owner || known === null || storage.read(DRAFT_KEY) !== known) return;
      const stored = readDraft(known);
      if (!stored.ok || stored.value.dropped.length > 0 || stored.value.state.document.text !== document.text) return;
      const text = writeDraft(stored.value.state.document, decision);
      if (text !== known && storage.write(DRAFT_KEY, text)) known = storage.read(DRAFT_KEY);
    },
    protect(draft) {
      if (!unsafe.includes(draft)) unsafe.push(draft);
      const safe = secure("");
      copied();
      return safe;
    },
    own(next) {
      owner = next;
    },
    takeOver(document) {
      const theirs = storage.read(DRAFT_KEY);
      if (theirs !== null && theirs !== known) unsafe.push(theirs);
      known = theirs;
      owner = true;
      later(document);
      flush();
    },
  };
}
