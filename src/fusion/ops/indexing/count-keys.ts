import { showShape, type Attrs } from "../../ir";
import type { OpDef } from "../define";
import { EXACT, tensor } from "../families";
import { fine, numberOf, wrong } from "../shapes";

const targetsOf = ({ targets }: Attrs): number => numberOf(targets, 1);
const listsOf = ({ lists }: Attrs): number => numberOf(lists, 1);

/** How many elements of a list have each key. Elements whose key lies outside are not counted. */
export const countKeys: OpDef = {
  name: "count_keys",
  internal: true,
  kind: "groups",
  doc: {
    formula: "counts[t] = how many i have keys[i] = t",
    teaches:
      "Whole numbers that all threads add to at once count each key: no key is compared, and none is put in order.",
  },
  params: [
    tensor(["keys"], "Whole numbers, one axis."),
    { names: ["targets"], kind: "int", default: 1, doc: "Keys are 0 … targets − 1; others are not counted." },
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
    return fine({ dtype: "i32", shape: [targetsOf(attrs)] });
  },
  operandTypes: () => ["i32"],
  flopsPerElement: 1,
  derivative: {},
  expensive: true,
  tolerance: EXACT,
  groups: { listed: false, targets: targetsOf, lists: listsOf },
};
