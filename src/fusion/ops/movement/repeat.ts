import { copiesVjp, moved, tilesVjp } from "../derivatives";
import { interleaveShape, interleaveSource, tileShape, tileSource } from "../copies";
import { movement, ONE_TENSOR } from "../families";
import { isAbsent } from "../indices";
import { numbersOf } from "../shapes";

/** PyTorch's repeat copies the whole tensor; NumPy's, which names an axis, repeats each element. */
export const repeat = movement({
  name: "repeat",
  inJax: "repeat_interleave",
  doc: {
    formula: "copies side by side",
    teaches: "Fused, it takes an index modulo the size; on its own, it stores every copy.",
  },
  params: [
    ONE_TENSOR,
    { names: ["repeats", "sizes"], kind: "ints", variadic: true, doc: "Copies along each axis, the last axis last." },
    {
      names: ["axis", "dim"],
      kind: "axis",
      default: null,
      doc: "Given an axis, each element is repeated along it instead.",
    },
  ],
  shape: ([x], attrs, [name]) =>
    isAbsent(attrs["axis"]) ? tileShape(x!, numbersOf(attrs["repeats"])) : interleaveShape(x!, attrs, name!),
  derivative: moved((context, g) => (isAbsent(context.attrs["axis"]) ? tilesVjp(context, g) : copiesVjp(context, g))),
  movement: {
    source: (out, { inputs: [x], attrs }, algebra) =>
      isAbsent(attrs["axis"]) ? tileSource(out, x!, algebra) : interleaveSource(out, x!, attrs, algebra),
  },
});
