/** @file Deeds on the document as a whole: typing, finished edits, examples, moves, undo, size. */
import { applyTextEdits, setConstant, type CompileOptions } from "../fusion";
import { recordOf, type Document } from "../document";
import { findExample } from "../lessons";
import type { Slice } from "./slice";

/** Pins belong to one program; the other options go along to the next. */
const withoutPins = (options: CompileOptions): CompileOptions => ({ ...options, forced: [], forbidden: [] });

/** The example `id` as a fresh document under `options`; null when there is no such example. */
export function exampleDocument(id: string, options: CompileOptions): Document | null {
  const example = findExample(id);
  return (
    example && {
      text: example.text,
      positions: recordOf(),
      savedChoices: recordOf(),
      options: { ...withoutPins(options), granularity: example.granularity },
      example: example.id,
    }
  );
}

type Names =
  | "typeText" | "applyEdits" | "openExample" | "openDocument" | "moveNodes" | "undo" | "redo" | "setSize" | "openPrevious"; // prettier-ignore

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
    const next = exampleDocument(id, deeds.get().document.options);
    if (next) deeds.replace(next, "example");
  },
  moveNodes(moved) {
    const { document } = deeds.get();
    if (Object.keys(moved).length === 0) return;
    deeds.commit({ ...document, positions: recordOf(document.positions, moved) }, "canvas");
  },
  undo: () => deeds.undo(),
  redo: () => deeds.redo(),
  setSize(size) {
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
