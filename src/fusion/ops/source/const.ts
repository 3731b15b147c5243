import type { DType } from "../../ir";
import type { OpDef } from "../define";
import { EXACT } from "../families";
import { fine } from "../shapes";

/** A literal: written into the kernel's text, so it moves no byte. */
export const constant: OpDef = {
  name: "const",
  kind: "source",
  doc: { formula: "2.0", teaches: "A literal in the kernel's code; nothing is loaded." },
  params: [{ names: ["value"], kind: "float", doc: "The number." }],
  infer: (_inputs, attrs) => fine({ dtype: (attrs["dtype"] as DType | undefined) ?? "f32", shape: [] }),
  weightedFlops: 0,
  expensive: false,
  tolerance: EXACT,
};
