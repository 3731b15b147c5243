/** @file Looking into one kernel's knobs, and timing them on this device. Choosing is choices-slice's business. */
import type { SweepState } from "./types";
import type { Slice } from "./slice";

type Names = "askKnobs" | "sweepKnob" | "cancelSweep";

export const knobsSlice: Slice<Names> = (deeds) => {
  let current: AbortController | null = null;
  return {
    async askKnobs(region) {
      const { derived, cursor } = deeds.get();
      const { compilation: of } = derived;
      if (!of?.naive) return;
      const { text, options } = of;
      const reply = await deeds.world.compileWorker.ask({ kind: "knobs", text, options, cursor, region });
      const now = deeds.get();
      if (now.derived.compilation !== of || now.cursor !== cursor) return;
      const sheet = reply.ok && reply.value.kind === "knobs" ? reply.value.sheet : null;
      deeds.set({ knobs: { of, cursor, region, sheet } });
    },
    async sweepKnob(region, output, knob) {
      const { derived, cursor } = deeds.get();
      const { compilation } = derived;
      if (!compilation?.naive) return;
      const { text, options } = compilation;
      current?.abort();
      const abort = new AbortController();
      current = abort;
      const show = (outcome: SweepState["outcome"]): void => {
        if (current === abort) deeds.set({ sweep: { text, output, knob, outcome } });
      };
      show({ status: "running", said: "Asking the device" });
      const device = await deeds.world.session.describe();
      if (!device.ok) return show({ status: "failed", said: device.problem.text });
      const { target } = device.value;
      const reply = await deeds.world.compileWorker.ask({ kind: "sweep", text, options, cursor, region, knob, target });
      const sweep = reply.ok && reply.value.kind === "sweep" ? reply.value.sweep : null;
      if (!sweep) return show({ status: "failed", said: `On ${device.value.name} this kernel has no such choice.` });
      const plans = sweep.values.map(({ plan }) => plan);
      const measured = await deeds.world.session.sweep(plans, sweep.inputs, {
        signal: abort.signal,
        onProgress: ({ text: said }) => show({ status: "running", said }),
      });
      if (!measured.ok) return show({ status: "failed", said: measured.problem.text });
      const rows = sweep.values.map(({ value }, i) => ({ value, nanoseconds: measured.value[i] ?? [] }));
      show({ status: "done", device: device.value, rows });
    },
    cancelSweep() {
      current?.abort();
      current = null;
      deeds.set({ sweep: null });
    },
  };
};
