/** @file Edits on a text. Apart from what finds them: who only applies edits reads no program. */
import type { TextEdit } from "../../ir";

/** The text after `edits`, which must not overlap. Edits at one offset apply in the order given. */
export function applyTextEdits(text: string, edits: readonly TextEdit[]): string {
  const sorted = edits.map((edit, i) => ({ edit, i })).sort((a, b) => a.edit.span.from - b.edit.span.from || a.i - b.i);
  let out = "";
  let at = 0;
  for (const { edit } of sorted) {
    out += text.slice(at, edit.span.from) + edit.insert;
    at = Math.max(at, edit.span.to);
  }
  return out + text.slice(at);
}
