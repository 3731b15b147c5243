/** @file Kernels written by hand: the document's texts, and what is wrong with them before they run. */
import { bindsOf, handText, recordOf, type Document } from "../document";
import { loadPart } from "./load-part";
import type { Slice } from "./slice-context";

/** The document with another text for what binds so; null: without one. */
function withText({ byHand = {}, ...rest }: Document, binds: string, wgsl: string | null): Document {
  const texts = recordOf(byHand);
  if (wgsl === null) delete texts[binds];
  else texts[binds] = wgsl;
  return Object.keys(texts).length > 0 ? { ...rest, byHand: texts } : rest;
}

export const byHandSlice: Slice<"writeKernel" | "placeKernel" | "checkKernel"> = (context) => ({
  writeKernel(kernel, wgsl) {
    const { document } = context.get();
    const before = handText(document.byHand, kernel);
    if (before === wgsl) return;
    const next = withText(document, bindsOf(kernel), wgsl);
    if (before === null || wgsl === null) context.commit(next, "option");
    else context.type(next);
  },
  placeKernel(binds, kernel) {
    const { document } = context.get();
    const wgsl = document.byHand?.[binds];
    if (wgsl === undefined) return;
    const without = withText(document, binds, null);
    context.commit(kernel ? withText(without, bindsOf(kernel), wgsl) : without, "option");
  },
  async checkKernel(kernel, build) {
    const { check } = await loadPart(() => import("./hand-check"));
    await check(context, kernel, bindsOf(kernel), build);
  },
});
