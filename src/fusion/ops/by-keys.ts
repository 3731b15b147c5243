/** @file What ops have in common that take the elements of a list by their keys. */
import { showShape, type Attrs } from "../ir";
import type { OpDef } from "./define";
import { EXACT, tensor } from "./families";
import { fine, numberOf, wrong } from "./shapes";

const targetsOf = ({ targets }: Attrs): number => numberOf(targets, 1);
const listsOf = ({ lists }: Attrs): number => numberOf(lists, 1);

interface ByKeys extends Pick<OpDef, "name" | "doc"> {
  /** What is said of keys outside: `others are not counted`. */
  readonly outside: string;
  readonly leaves: NonNullable<OpDef["groups"]>["leaves"];
  /** Elements of the result, i32. */
  readonly size: (elements: number, targets: number) => number;
}

/** An op on keys, whole numbers of one axis; those outside 0 … targets − 1 are passed over. */
export const byKeys = ({ name, doc, outside, leaves, size }: ByKeys): OpDef => ({
  name,
  internal: true,
  kind: "groups",
  doc,
  params: [
    tensor(["keys"], "Whole numbers, one axis."),
    { names: ["targets"], kind: "int", default: 1, doc: `Keys are 0 … targets − 1; ${outside}.` },
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
    return fine({ dtype: "i32", shape: [size(keys!.shape[0]!, targetsOf(attrs))] });
  },
  operandTypes: () => ["i32"],
  weightedFlops: 1,
  derivative: {},
  expensive: true,
  tolerance: EXACT,
  groups: { leaves, targets: targetsOf, lists: listsOf },
});
