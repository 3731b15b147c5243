/** @file Looking inside: one kernel at work, and the numbers of a value. Both are asked of the worker, at a small size. */
import type { Compilation, Kernel } from "../../fusion";
import { hasValue, selectPlan } from "../selectors";
import type { Slice, SliceContext } from "./slice-context";
import { askBeside } from "../ask-beside";

/** Why nothing can be shown of a kernel or a value: it is computed at a smaller size, and there it may not be. */
const large = (what: "kernel" | "value"): string =>
  `No smaller size of this program was found at which it compiles and has this ${what}. Sizes that are named at the left edge, as in N = 2048, are made smaller first.`;

/** The kernels of the shown plan that compute what `kernel` does, and which of them it is. */
function nthOf(context: SliceContext, kernel: Kernel): number {
  const kernels = selectPlan(context.get())?.kernels ?? [];
  return Math.max(
    0,
    kernels.filter(({ region }) => region === kernel.region).findIndex(({ id }) => id === kernel.id),
  );
}

export const insideSlice: Slice<"lookInside" | "watchKernel" | "numbersOf"> = (context) => {
  const changed = (of: Compilation) => () => context.get().derived.compilation !== of;
  return {
    lookInside: (inside) => context.set({ inside, ...(inside ? { race: null, comparison: null } : {}) }),
    async watchKernel(kernel, workgroup) {
      const { cursor } = context.get();
      const of = context.get().derived.compilation;
      if (!of) return "There is no plan yet.";
      const { text, options } = of;
      const nth = nthOf(context, kernel);
      const { region } = kernel;
      const asked = { kind: "watch", text, options, cursor, region, nth, workgroup } as const;
      const reply = await askBeside(context, asked, changed(of));
      if (!reply.ok) return reply.text;
      return (reply.value.kind === "watched" && reply.value.watched) || large("kernel");
    },
    async numbersOf(node) {
      const { cursor } = context.get();
      const of = context.get().derived.compilation;
      if (!of) return "There is no plan yet.";
      // Of the state that is asked about: another may be shown when the answer comes.
      const has = hasValue(context.get(), node);
      const { text, options } = of;
      const reply = await askBeside(context, { kind: "numbers", text, options, cursor, node }, changed(of));
      if (!reply.ok) return reply.text;
      if (reply.value.kind === "numbers" && reply.value.numbers) return reply.value.numbers;
      return has ? large("value") : `This program has no value ${node}.`;
    },
  };
};
