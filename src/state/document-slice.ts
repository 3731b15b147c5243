/** @file Deeds on the document as a whole: typing, finished edits, examples, moves, undo, size. */
import { applyTextEdits, defaultOptions, type CompileOptions } from "../fusion";
import { recordOf, type Document } from "../document";
import { findExample, optionsFor } from "../lessons";
import type { Slice } from "./slice";

/**
 * The example `id` as a fresh document; null when there is no such example.
 * @param options what the document before it had
 * @param left the example that was open before it, whose own options do not go along
 */
export function exampleDocument(id: string, options: CompileOptions, left: string | null): Document | null {
  const example = findExample(id);
  return (
    example && {
      text: example.text,
      positions: recordOf(),
      options: optionsFor(example, options, findExample(left), defaultOptions),
      example: example.id,
    }
  );
}

type Names =
  | "typeText"
  | "applyEdits"
  | "openExample"
  | "openDocument"
  | "moveNodes"
  | "undo"
  | "redo"
  | "setSize"
  | "openPrevious";

export const documentSlice: Slice<Exclude<Names, "openDocument">> = (deeds) => ({
  typeText(text) {
    const { document } = deeds.get();
    if (text !== document.text) deeds.type({ ...document, text });
  },
  applyEdits(edits, origin) {
    const { document } = deeds.get();
    const text = applyTextEdits(document.text, edits);
    if (text !== document.text) deeds.commit({ ...document, text }, origin);
  },
  openExample(id) {
    const { options, example } = deeds.get().document;
    const next = exampleDocument(id, options, example);
    if (next) deeds.replace(next, "example");
  },
  moveNodes(moved) {
    const { document } = deeds.get();
    if (Object.keys(moved).length === 0) return;
    deeds.commit({ ...document, positions: recordOf(document.positions, moved) }, "canvas");
  },
  undo: () => deeds.undo(),
  redo: () => deeds.redo(),
  async setSize(size) {
    const { setConstant } = await import("./edits");
    const { document } = deeds.get();
    const sizes = findExample(document.example)?.sizes;
    if (!sizes) return;
    const edit = setConstant(document.text, sizes.name, sizes[size]);
    if (!edit.ok) {
      deeds.set({ notice: { tone: "warn", text: edit.text } });
      return;
    }
    deeds.commit({ ...document, text: applyTextEdits(document.text, edit.edits) }, "option");
  },
  openPrevious(index) {
    const work = deeds.get().previousWorks[index];
    if (work) deeds.replace(work.document, "link");
  },
});
