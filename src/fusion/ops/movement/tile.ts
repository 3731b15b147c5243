import { moved, tilesVjp } from "../derivatives";
import { movement, ONE_TENSOR } from "../families";
import { tileShape, tileSource } from "../copies";
import { numbersOf } from "../shapes";

export const tile = movement({
  name: "tile",
  doc: {
    formula: "copies side by side",
    teaches: "Fused, it takes an index modulo the size; on its own, it stores every copy.",
  },
  params: [
    ONE_TENSOR,
    {
      names: ["repeats", "reps", "dims"],
      kind: "ints",
      variadic: true,
      doc: "Copies along each axis, the last axis last.",
    },
  ],
  shape: ([x], attrs) => tileShape(x!, numbersOf(attrs["repeats"])),
  derivative: moved(tilesVjp),
  movement: {
    // Its attributes count from the last axis.
    batched: (attrs) => attrs,
    source: (out, { inputs: [x] }, algebra) => tileSource(out, x!, algebra),
  },
});
