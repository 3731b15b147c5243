/** @file The file form: readable JSON, also for the draft in the browser's storage. */
import type { Checked } from "../fusion";
import { limits } from "./limits";
import { deeperThan, readState, type Opened } from "./schema";
import type { DecisionRef, Document, SharedState } from "./types";

/** JSON text as a state, after the checks that links and files share. */
export function parseState(json: string): Checked<Opened> {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return { ok: false, code: "not-json", text: "It is damaged: its contents are not JSON." };
  }
  if (deeperThan(value, limits.depth)) {
    return { ok: false, code: "too-deep", text: `It is nested deeper than ${limits.depth} levels.` };
  }
  return readState(value);
}

/** The text of a `.fusion.json` file. */
export const encodeFile = (state: SharedState): string => `${JSON.stringify(state, null, 2)}\n`;

/** Reads a `.fusion.json` file; refused with a reason when it is too large, damaged or of a newer version. */
export function decodeFile(text: string): Checked<Opened> {
  // A UTF-16 unit takes at most three bytes of UTF-8; the exact count is only worth taking near the limit.
  if (text.length * 3 > limits.fileBytes && new TextEncoder().encode(text).length > limits.fileBytes) {
    return { ok: false, code: "too-large", text: `It is larger than ${limits.fileBytes >> 20} MiB.` };
  }
  return parseState(text);
}

/** A draft as it is stored; `decision`: the step that its person looked at last. */
export const writeDraft = (document: Document, decision: DecisionRef | null = null): string =>
  JSON.stringify({ version: 1, document, decision });

/** Reads a draft of this browser, of any size; refused with a reason when it is damaged or of a newer version. */
export const readDraft = (text: string): Checked<Opened> => parseState(text);
