import { showShape, type Attrs } from "../../ir";
import type { OpDef } from "../define";
import { EXACT, tensor } from "../families";
import { fine, numberOf, wrong } from "../shapes";

const targetsOf = ({ targets }: Attrs): number => numberOf(targets, 1);
const listsOf = ({ lists }: Attrs): number => numberOf(lists, 1);

/**
 * The elements of a list by their keys: first which elements, those of one key side by side, in any order; then for each key
 * where its range starts, and then where it stops. Elements whose key lies outside have no range.
 */
export const groupIndices: OpDef = {
  name: "group_indices",
  internal: true,
  kind: "groups",
  doc: {
    formula: "[order…, starts…, stops…]: keys[order[i]] = t where starts[t] ≤ i < stops[t]",
    teaches:
      "Whole numbers that all threads add to at once count each key and number its elements: no key is compared.",
  },
  params: [
    tensor(["keys"], "Whole numbers, one axis."),
    { names: ["targets"], kind: "int", default: 1, doc: "Keys are 0 … targets − 1; others have no range." },
    {
      names: ["lists"],
      kind: "int",
      default: 1,
      doc: "Equal parts of the list, one after the other, each of which has as many keys for itself.",
    },
  ],
  infer([keys], attrs, names = ["keys"]) {
    if (keys!.shape.length !== 1)
      return wrong("shape-mismatch", `${names[0]} is ${showShape(keys!.shape)}: keys have one axis.`);
    return fine({ dtype: "i32", shape: [keys!.shape[0]! + 2 * targetsOf(attrs)] });
  },
  operandTypes: () => ["i32"],
  flopsPerElement: 1,
  derivative: {},
  expensive: true,
  tolerance: EXACT,
  groups: { listed: true, targets: targetsOf, lists: listsOf },
};
