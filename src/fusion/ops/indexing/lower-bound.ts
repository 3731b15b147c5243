import { promote, showShape, type Attrs } from "../../ir";
import type { OpDef } from "../define";
import { EXACT, tensor } from "../families";
import { fine, wrong } from "../shapes";

/** Where values belong in a list that is in order: a binary search, one load for each halving. */
export const lowerBound: OpDef = {
  name: "lower_bound",
  internal: true,
  kind: "search",
  doc: {
    formula: "how many keys are < x, or ≤ x",
    teaches: "A binary search loads about log₂ n of n keys, where comparing with all of them loads every one.",
  },
  params: [
    tensor(["keys"], "Numbers in ascending order, one axis."),
    tensor(["x"], "What is looked for."),
    { names: ["right"], kind: "bool", default: false, doc: "Behind the keys that are equal, not before them." },
  ],
  infer([keys, x], _attrs, names = ["keys", "x"]) {
    if (keys!.shape.length !== 1)
      return wrong("shape-mismatch", `${names[0]} is ${showShape(keys!.shape)}: keys in order have one axis.`);
    return fine({ dtype: "i32", shape: x!.shape });
  },
  operandTypes: (types) => types.map(() => types.reduce(promote, "i32")),
  weightedFlops: 32,
  derivative: {},
  expensive: true,
  tolerance: EXACT,
  search: { comesBefore: ({ right }: Attrs) => (right === true ? "le" : "lt") },
};
