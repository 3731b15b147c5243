/** @file Actions on the document as a whole: typing, finished edits, examples, moves, undo, size. */
import { applyTextEdits, defaultOptions, type CompileOptions } from "../../fusion";
import { bindsOf, handText, recordOf, writeDraft, type Document } from "../../document";
import { findExample, optionsFor, presetOf, startExample, type Example } from "../../lessons";
import { loadPart } from "../load-part";
import { selectExample, selectOpenExample } from "../selectors";
import type { Slice } from "./slice-context";

/** What a copy is called that is downloaded as it is stored. */
export const DRAFT_FILE = "earlier-work.fusion.json";

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

/** The document with another text for what binds so; null: without one. */
function withText({ byHand = {}, ...rest }: Document, binds: string, wgsl: string | null): Document {
  const texts = recordOf(byHand);
  if (wgsl === null) delete texts[binds];
  else texts[binds] = wgsl;
  return Object.keys(texts).length > 0 ? { ...rest, byHand: texts } : rest;
}

/** A challenge asks for another program, which is written line by line. */
const asksForAnother = ({ id }: Example): boolean => presetOf(id)?.chapter === "challenges";

/** A text that has no more of its example's lines is a program of its own: what the example had set does not go along. */
function typed(document: Document, text: string): Document {
  const next = { ...document, text };
  const example = selectExample({ document });
  // What was only cleared may be put back.
  if (!example || text.trim() === "" || asksForAnother(example) || selectOpenExample({ document: next })) return next;
  return { ...next, example: null, options: optionsFor(null, document.options, example, defaultOptions) };
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
  | "setConstant"
  | "startAfresh"
  | "openPrevious"
  | "downloadPrevious"
  | "downloadWork"
  | "writeKernel"
  | "setHandKernel"
  | "checkKernel";

export const documentSlice: Slice<Exclude<Names, "openDocument">> = (context) => ({
  typeText(text) {
    const { document } = context.get();
    if (text === document.text) return;
    context.type(typed(document, text));
  },
  applyEdits(edits, origin) {
    const { document } = context.get();
    const text = applyTextEdits(document.text, edits);
    if (text !== document.text) context.commit({ ...document, text }, origin);
  },
  openExample(id) {
    const { options, example } = context.get().document;
    const next = exampleDocument(id, options, example);
    if (next) context.replace(next, "example");
  },
  moveNodes(moved) {
    const { document } = context.get();
    if (Object.keys(moved).length === 0) return;
    context.commit({ ...document, positions: recordOf(document.positions, moved) }, "canvas");
  },
  undo: () => context.undo(),
  redo: () => context.redo(),
  async setSize(size) {
    const sizes = findExample(context.get().document.example)?.sizes;
    if (sizes) await context.get().actions.setConstant(sizes.name, sizes[size]);
  },
  async setConstant(name, value) {
    const { setConstant } = await loadPart(() => import("../edits"));
    const { document } = context.get();
    const edit = setConstant(document.text, name, value);
    if (!edit.ok) {
      context.set({ notice: { tone: "warn", text: edit.text } });
      return;
    }
    context.commit({ ...document, text: applyTextEdits(document.text, edit.edits) }, "option");
  },
  startAfresh() {
    const next = exampleDocument(startExample.id, defaultOptions, null);
    if (!next) return;
    const { previousWorks } = context.get();
    context.replace(next, "example");
    if (context.get().previousWorks === previousWorks) return;
    const action = { label: "Back to it", kind: "open-draft" } as const;
    context.set({
      notice: { tone: "info", text: "The previous program is among the copies of earlier work.", action },
    });
  },
  openPrevious(index) {
    const work = context.get().previousWorks[index];
    if (!work) return;
    if (work.document) context.replace(work.document, "option");
    else context.environment.download(DRAFT_FILE, work.draft);
  },
  downloadPrevious(index) {
    const work = context.get().previousWorks[index];
    if (work) context.environment.download(DRAFT_FILE, work.draft);
  },
  downloadWork() {
    context.environment.download(DRAFT_FILE, writeDraft(context.get().document));
  },
  writeKernel(kernel, wgsl) {
    const { document } = context.get();
    const before = handText(document.byHand, kernel);
    if (before === wgsl) return;
    const next = withText(document, bindsOf(kernel), wgsl);
    if (before === null || wgsl === null) context.commit(next, "option");
    else context.type(next);
  },
  setHandKernel(binds, kernel) {
    const { document } = context.get();
    const wgsl = document.byHand?.[binds];
    if (wgsl === undefined) return;
    const without = withText(document, binds, null);
    context.commit(kernel ? withText(without, bindsOf(kernel), wgsl) : without, "option");
  },
  async checkKernel(kernel, build) {
    const { check } = await loadPart(() => import("../runs/hand-check"));
    await check(context, kernel, bindsOf(kernel), build);
  },
});
