import { composite } from "../../compose";
import { ONE_TENSOR } from "../../families";
import { checkAxes, normalAxis, numberOf } from "../../shapes";

export const diff = composite({
  name: "diff",
  keeps: "truths",
  doc: {
    formula: "x[i + 1] − x[i]",
    teaches: "Two slices of one tensor: fused, each element is read by its neighbour too, from the cache.",
  },
  params: [
    ONE_TENSOR,
    { names: ["n"], kind: "int", default: 1, doc: "How many times." },
    { names: ["dim", "axis"], kind: "axis", default: -1, doc: "The axis." },
  ],
  check: ([x], attrs, names) => checkAxes(numberOf(attrs["dim"], -1), x!.shape, names[0]!),
  build(b, [x], attrs) {
    const axis = normalAxis(numberOf(attrs["dim"], -1), b.typeOf(x!).shape.length);
    let left = x!;
    for (let round = 0; round < Math.max(0, numberOf(attrs["n"], 1)); round++) {
      const extent = b.typeOf(left).shape[axis] ?? 0;
      const cut = (part: string, start: number, stop: number) =>
        b.op(part, "slice", [left], { start: [start], stop: [stop], step: null, axes: [axis] });
      left = b.op("difference", "sub", [cut("next", 1, Math.max(1, extent)), cut("own", 0, Math.max(0, extent - 1))]);
    }
    return left;
  },
});
