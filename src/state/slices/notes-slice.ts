/** @file Side notes: which one is read, and the counts of the examples that it names. */
import { defaultOptions } from "../../fusion";
import { findExample, optionsFor } from "../../lessons";
import { askBeside } from "../ask-beside";
import type { Slice } from "./slice-context";

export const notesSlice: Slice<"openNote" | "countLessons"> = (context) => ({
  openNote: (id) => context.set({ dialog: "notes", note: id }),
  async countLessons(ids) {
    const known = context.get().lessonTotals;
    const wanted = ids.flatMap((id) => (known.has(id) ? [] : (findExample(id) ?? [])));
    if (wanted.length === 0) return;
    const programs = wanted.map((lesson) => ({
      text: lesson.text,
      options: optionsFor(lesson, defaultOptions, null, defaultOptions),
    }));
    const reply = await askBeside(context, { kind: "totals", programs });
    if (!reply.ok || reply.value.kind !== "totals") return;
    const { totals } = reply.value;
    const found = wanted.flatMap(({ id }, i) => (totals[i] ? [[id, totals[i]] as const] : []));
    context.set({ lessonTotals: new Map([...context.get().lessonTotals, ...found]) });
  },
});
