import type { OpDef } from "../define";
import { EXACT } from "../families";
import { fine } from "../shapes";

/** An operand that is drawn but not connected yet, written `...`. */
export const hole: OpDef = {
  name: "hole",
  kind: "source",
  doc: { formula: "...", teaches: "Connect an input here. There is no plan until then." },
  params: [],
  infer: () => fine({ dtype: "f32", shape: [] }),
  weightedFlops: 0,
  expensive: false,
  tolerance: EXACT,
};
