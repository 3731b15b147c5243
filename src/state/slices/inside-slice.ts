/** @file Looking inside: one kernel at work, and the numbers of a value. Both are asked of the worker, at a small size. */
import type { Kernel } from "../../fusion";
import { selectPlan } from "../selectors";
import type { Slice, SliceContext } from "./slice-context";
import { askBeside } from "../worlds";

const LARGE =
  "No smaller size of this program was found at which it still compiles. Name its sizes at the left edge, as in N = 2048, and look again.";

/** The kernels of the shown plan that compute what `kernel` does, and which of them it is. */
function nthOf(context: SliceContext, kernel: Kernel): number {
  const kernels = selectPlan(context.get())?.kernels ?? [];
  return Math.max(
    0,
    kernels.filter(({ region }) => region === kernel.region).findIndex(({ id }) => id === kernel.id),
  );
}

export const insideSlice: Slice<"lookInside" | "watchKernel" | "numbersOf"> = (context) => ({
  lookInside: (inside) => context.set({ inside, ...(inside ? { race: null, comparison: null } : {}) }),
  async watchKernel(kernel, workgroup) {
    const { derived, cursor } = context.get();
    if (!derived.compilation) return "There is no plan yet.";
    const { text, options } = derived.compilation;
    const nth = nthOf(context, kernel);
    const { region } = kernel;
    const reply = await askBeside(context, { kind: "watch", text, options, cursor, region, nth, workgroup });
    if (!reply.ok) return reply.text;
    return (reply.value.kind === "watched" && reply.value.watched) || LARGE;
  },
  async numbersOf(node) {
    const { derived, cursor } = context.get();
    if (!derived.compilation) return "There is no plan yet.";
    const { text, options } = derived.compilation;
    const reply = await askBeside(context, { kind: "numbers", text, options, cursor, node });
    if (!reply.ok) return reply.text;
    return (reply.value.kind === "numbers" && reply.value.numbers) || LARGE;
  },
});
