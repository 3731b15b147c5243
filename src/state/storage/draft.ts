/** @file The draft of the last visit: what is opened of it, and what is noted in it when the page goes. */
import { decisionAt, readDraft, type DecisionRef, type Document } from "../../document";
import { defaultOptions } from "../../fusion";
import { startExample } from "../../lessons";
import { exampleDocument } from "../slices/document-slice";
import type { Notice, PlaygroundState } from "../types";
import type { Autosave } from "./autosave";

/** The step of a draft that was looked at last. */
export interface LastStep {
  readonly text: string;
  readonly decision: DecisionRef;
}

interface OpenedDraft {
  readonly document: Document;
  readonly notice: Notice | null;
  readonly left: LastStep | null;
}

/** The draft of the last visit, or the first example. A draft that can't be read as a whole is saved as a copy first. */
export function openDraft(autosave: Pick<Autosave, "found" | "protect">): OpenedDraft {
  const fresh = (): Document => exampleDocument(startExample.id, defaultOptions, null)!;
  if (autosave.found === null) return { document: fresh(), notice: null, left: null };
  const opened = readDraft(autosave.found);
  const dropped = opened.ok ? opened.value.dropped : [];
  if (opened.ok && dropped.length === 0) {
    const { document, decision } = opened.value.state;
    return { document, notice: null, left: decision && { text: document.text, decision } };
  }
  const safe = autosave.protect(autosave.found);
  const what = opened.ok
    ? `Your program was opened. This part of it can't be read: ${dropped.slice(0, 3).join(", ")}.`
    : `Your saved program can't be opened. ${opened.text}`;
  const fate = safe ? "It is saved as a copy, as it was." : "There is no room for a copy, so it is not overwritten.";
  return {
    document: opened.ok ? opened.value.state.document : fresh(),
    notice: {
      tone: "warn",
      text: `${what} ${fate}`,
      ...(safe ? { action: { label: "Download it", kind: "download-copy" } } : {}),
    },
    left: null,
  };
}

/** Saves what waits, and which step of the draft is looked at; a lesson and a prediction begin where they say. */
export function leave(
  autosave: Pick<Autosave, "flush" | "mark">,
  { document, derived: { compilation }, cursor, lesson, predict }: PlaygroundState,
): void {
  autosave.flush();
  if (lesson || predict || compilation?.text !== document.text) return;
  autosave.mark(document, decisionAt(compilation.steps, cursor));
}
