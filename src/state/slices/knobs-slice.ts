/** @file Looking into one kernel: its knobs and their times on this device, how its threads meet memory. Choosing is choices-slice's business. */
import { askBeside } from "../ask-beside";
import type { RegionId } from "../../fusion";
import type { SweepState } from "../types";
import type { SliceContext, Slice } from "./slice-context";

type Names = "askKnobs" | "askLooks" | "sweepKnob" | "cancelSweep";

/** What the worker says of a kernel of the shown state; null when another state is shown by then. */
async function ask(context: SliceContext, kind: "knobs" | "looks", region: RegionId) {
  const { derived, cursor } = context.get();
  const { compilation: of } = derived;
  if (!of?.naive) return null;
  const { text, options } = of;
  const isOld = (): boolean => {
    const now = context.get();
    return now.derived.compilation !== of || now.cursor !== cursor;
  };
  const reply = await askBeside(context, { kind, text, options, cursor, region }, isOld);
  return reply.ok && !isOld() ? { reply: reply.value, about: { of, cursor, region } } : null;
}

export const knobsSlice: Slice<Names> = (context) => {
  let current: AbortController | null = null;
  return {
    async askKnobs(region) {
      const asked = await ask(context, "knobs", region);
      if (asked?.reply.kind === "knobs") context.set({ knobs: { ...asked.about, sheet: asked.reply.sheet } });
    },
    async askLooks(region) {
      const asked = await ask(context, "looks", region);
      if (asked?.reply.kind === "looks") context.set({ looks: { region, kernels: asked.reply.kernels } });
    },
    async sweepKnob(region, output, knob) {
      const { derived, cursor } = context.get();
      const { compilation } = derived;
      if (!compilation?.naive) return;
      const { text, options } = compilation;
      current?.abort();
      const abort = new AbortController();
      current = abort;
      const show = (outcome: SweepState["outcome"]): void => {
        if (current === abort) context.set({ sweep: { text, output, knob, outcome } });
      };
      show({ status: "running", text: "Asking the device" });
      const device = await context.environment.session.describe();
      if (!device.ok) return show({ status: "failed", text: device.problem.text });
      const { target } = device.value;
      const question = { kind: "sweep", text, options, cursor, region, knob, target } as const;
      const reply = await askBeside(context, question, () => abort.signal.aborted);
      const sweep = reply.ok && reply.value.kind === "sweep" ? reply.value.sweep : null;
      if (!sweep) return show({ status: "failed", text: `On ${device.value.name} this kernel has no such choice.` });
      const plans = sweep.values.map(({ plan }) => plan);
      const measured = await context.environment.session.sweep(plans, sweep.inputs, {
        signal: abort.signal,
        onProgress: ({ text }) => show({ status: "running", text }),
      });
      if (!measured.ok) return show({ status: "failed", text: measured.problem.text });
      const rows = sweep.values.map(({ value }, i) => ({ value, nanoseconds: measured.value[i] ?? [] }));
      show({ status: "done", device: device.value, rows });
    },
    cancelSweep() {
      current?.abort();
      current = null;
      context.set({ sweep: null });
    },
  };
};
