/** @file Questions to the planner: the same program with one choice changed. The document stays as it is until the answer is kept. */
import { askBeside } from "../ask-beside";
import { changeOf } from "../question";
import { constantsOf, sizesAround, type Compilation } from "../../fusion";
import type { Slice, SliceContext } from "./slice-context";

type Names =
  "openWhatIf" | "closeWhatIf" | "askWhatIf" | "keepWhatIf" | "askSizes" | "askSaved" | "askOrders" | "askBestPlan";

/** Whether another program is planned by now than the one that was asked about. */
const changedFrom = (context: SliceContext, of: Compilation) => (): boolean => context.get().derived.compilation !== of;

export const whatIfSlice: Slice<Names> = (context) => ({
  async askSizes(name) {
    const { compilation: of } = context.get().derived;
    const written = of && constantsOf(of.text).get(name);
    if (!of?.naive || !written) return;
    const asked = { of, name, rows: null };
    context.set({ sizes: asked });
    const { text, options } = of;
    const question = { kind: "sizes", text, options, name, values: sizesAround(written) } as const;
    const isOld = (): boolean => context.get().sizes !== asked;
    const reply = await askBeside(context, question, isOld);
    if (isOld()) return;
    context.set({ sizes: { ...asked, rows: reply.ok && reply.value.kind === "sizes" ? reply.value.rows : [] } });
  },
  async askSaved() {
    const { compilation: of } = context.get().derived;
    if (!of?.naive) return;
    const { text, options } = of;
    const isOld = changedFrom(context, of);
    const reply = await askBeside(context, { kind: "saved", text, options }, isOld);
    if (isOld()) return;
    context.set({ savedSheet: { of, sheet: reply.ok && reply.value.kind === "saved" ? reply.value.sheet : null } });
  },
  async askOrders() {
    const { compilation: of } = context.get().derived;
    if (!of?.naive) return [];
    const { text, options } = of;
    const reply = await askBeside(context, { kind: "orders", text, options }, changedFrom(context, of));
    return reply.ok && reply.value.kind === "orders" ? reply.value.rows : [];
  },
  async askBestPlan() {
    const { compilation: of } = context.get().derived;
    if (!of?.naive) return null;
    const { text, options } = of;
    const reply = await askBeside(context, { kind: "optimum", text, options }, changedFrom(context, of));
    return reply.ok && reply.value.kind === "optimum" ? reply.value.best : null;
  },
  openWhatIf: () => context.set({ whatIf: context.get().whatIf ?? { status: "none" } }),
  closeWhatIf: () => context.set({ whatIf: null }),
  async askWhatIf(question) {
    const { compilation: of } = context.get().derived;
    if (!of?.naive) return;
    const asking = { status: "asking", question, of } as const;
    context.set({ whatIf: asking });
    const { text, options } = of;
    const change = changeOf(question, options);
    const isOld = (): boolean => context.get().whatIf !== asking;
    const reply = await askBeside(context, { kind: "what-if", text, options, change }, isOld);
    if (isOld()) return;
    const answer = reply.ok && reply.value.kind === "what-if" ? reply.value.answer : null;
    const failed = {
      status: "failed",
      question,
      of,
      text: reply.ok ? "There is no plan to change." : reply.text,
    } as const;
    context.set({ whatIf: answer ? { status: "answered", question, of, answer } : failed });
  },
  keepWhatIf() {
    const { whatIf, document, actions } = context.get();
    if (whatIf?.status !== "answered") return;
    context.set({ whatIf: { status: "none" } });
    actions.setOptions(changeOf(whatIf.question, document.options));
  },
});
