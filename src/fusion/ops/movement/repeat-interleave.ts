import { nextAxes } from "../indices";
import { copiesVjp, moved } from "../derivatives";
import { interleaveShape, interleaveSource } from "../copies";
import { movement, ONE_TENSOR } from "../families";

export const repeatInterleave = movement({
  name: "repeat_interleave",
  rowWithoutAxis: "everywhere",
  doc: {
    formula: "each element n times",
    teaches: "Fused, it divides an index by n; on its own, it stores every copy.",
  },
  params: [
    ONE_TENSOR,
    { names: ["repeats"], kind: "int", doc: "Copies of each element." },
    { names: ["axis", "dim"], kind: "axis", default: -1, doc: "The axis that grows." },
  ],
  shape: ([x], attrs, [name]) => interleaveShape(x!, attrs, name!),
  derivative: moved(copiesVjp),
  movement: {
    batched: (attrs, { inputs: [x] }) => nextAxes(attrs, x!.length),
    source: (out, { inputs: [x], attrs }, algebra) => interleaveSource(out, x!, attrs, algebra),
  },
});
