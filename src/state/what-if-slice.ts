/** @file Questions to the planner: the same program with one choice changed. The document stays as it is until the answer is kept. */
import { changeOf } from "./question";
import { constantsOf } from "./sizes";
import type { Slice } from "./slice";

/** Sizes are asked about at these multiples of the one that is written. */
const MULTIPLES = [0.25, 0.5, 1, 2, 4];

type Names = "openWhatIf" | "closeWhatIf" | "askWhatIf" | "keepWhatIf" | "askSizes" | "askSaved";

export const whatIfSlice: Slice<Names> = (deeds) => ({
  async askSizes(name) {
    const { compilation: of } = deeds.get().derived;
    const written = of && constantsOf(of.text).get(name);
    if (!of?.naive || !written) return;
    const asked = { of, name, rows: null };
    deeds.set({ sizes: asked });
    const values = [...new Set(MULTIPLES.map((times) => Math.max(1, Math.round(written * times))))];
    const { text, options } = of;
    const reply = await deeds.world.compileWorker.ask({ kind: "sizes", text, options, name, values });
    if (deeds.get().sizes !== asked) return;
    deeds.set({ sizes: { ...asked, rows: reply.ok && reply.value.kind === "sizes" ? reply.value.rows : [] } });
  },
  async askSaved() {
    const { compilation: of } = deeds.get().derived;
    if (!of?.naive) return;
    const { text, options } = of;
    const reply = await deeds.world.compileWorker.ask({ kind: "saved", text, options });
    if (deeds.get().derived.compilation !== of) return;
    deeds.set({ savedSheet: { of, sheet: reply.ok && reply.value.kind === "saved" ? reply.value.sheet : null } });
  },
  openWhatIf: () => deeds.set({ whatIf: deeds.get().whatIf ?? { status: "none" } }),
  closeWhatIf: () => deeds.set({ whatIf: null }),
  async askWhatIf(question) {
    const { compilation: of } = deeds.get().derived;
    if (!of?.naive) return;
    const asking = { status: "asking", question, of } as const;
    deeds.set({ whatIf: asking });
    const { text, options } = of;
    const change = changeOf(question, options);
    const reply = await deeds.world.compileWorker.ask({ kind: "what-if", text, options, change });
    if (deeds.get().whatIf !== asking) return;
    const answer = reply.ok && reply.value.kind === "what-if" ? reply.value.answer : null;
    const failed = {
      status: "failed",
      question,
      of,
      text: reply.ok ? "There is no plan to change." : reply.text,
    } as const;
    deeds.set({ whatIf: answer ? { status: "answered", question, of, answer } : failed });
  },
  keepWhatIf() {
    const { whatIf, document, actions } = deeds.get();
    if (whatIf?.status !== "answered") return;
    deeds.set({ whatIf: { status: "none" } });
    actions.setOptions(changeOf(whatIf.question, document.options));
  },
});
