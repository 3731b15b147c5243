/** @file Undo and redo over whole documents. Documents share their parts, so a snapshot costs next to nothing. */
import type { Document } from "../../document";

/** Typing without a pause this long is one step. */
export const TYPING_PAUSE_MILLIS = 700;
const MAX_STEPS = 500;

export interface History {
  readonly past: readonly Document[];
  readonly present: Document;
  readonly future: readonly Document[];
  /** When the present was last typed into; null when typing must start a new step. */
  readonly typedAt: number | null;
}

export const startHistory = (present: Document): History => ({ past: [], present, future: [], typedAt: null });

/** A finished gesture: one step. A change to nothing is no step. */
export function commit(history: History, next: Document): History {
  if (next === history.present) return history;
  return {
    past: [...history.past.slice(1 - MAX_STEPS), history.present],
    present: next,
    future: [],
    typedAt: null,
  };
}

/** Typing: joins the step that it continues. */
export function type(history: History, next: Document, now: number): History {
  if (next === history.present) return history;
  const joins = history.typedAt !== null && now - history.typedAt <= TYPING_PAUSE_MILLIS;
  return joins ? { ...history, present: next, future: [], typedAt: now } : { ...commit(history, next), typedAt: now };
}

/** What is typed from here on is a step of its own. */
export const pause = (history: History): History => ({ ...history, typedAt: null });

/** One step back; the same history when there is none. */
export function undo(history: History): History {
  const previous = history.past.at(-1);
  if (!previous) return history;
  return {
    past: history.past.slice(0, -1),
    present: previous,
    future: [history.present, ...history.future],
    typedAt: null,
  };
}

/** One step forward again; the same history when there is none. */
export function redo(history: History): History {
  const [next, ...future] = history.future;
  if (!next) return history;
  return { past: [...history.past, history.present], present: next, future, typedAt: null };
}
