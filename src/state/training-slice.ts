/** @file Training in the page: what is shown of it, and the door to what does it, in a chunk of its own. */
import { loadPart } from "./load-part";
import type { Slice } from "./slice-context";

export const trainingSlice: Slice<"train"> = (context) => ({
  async train(command, calm = false) {
    const { train } = await loadPart(() => import("./training-run"));
    await train(context, command, calm);
  },
});
