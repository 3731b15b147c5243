import { type Shape } from "../../../ir";
import { composite } from "../../compose";
import { ONE_TENSOR } from "../../families";
import { checkAxes, normalAxis, numberOf, numbersOf } from "../../shapes";

/** −1 becomes what the other sizes leave of `extent`. */
const openSize = (sizes: Shape, extent: number): Shape => {
  const known = sizes.reduce((product, size) => (size === -1 ? product : product * size), 1);
  return sizes.map((size) => (size === -1 ? extent / known : size));
};

export const unflatten = composite({
  name: "unflatten",
  doc: { formula: "one axis as several", teaches: "Free: no byte moves, only the index arithmetic changes." },
  params: [
    ONE_TENSOR,
    { names: ["dim", "axis"], kind: "axis", doc: "The axis." },
    {
      names: ["sizes", "unflattened_size"],
      kind: "shape",
      variadic: true,
      doc: "Sizes instead of it; one may be −1: what is left over.",
    },
  ],
  check: ([x], attrs, names) => checkAxes(numberOf(attrs["dim"], 0), x!.shape, names[0]!),
  build(b, [x], attrs) {
    const { shape } = b.typeOf(x!);
    const axis = normalAxis(numberOf(attrs["dim"], 0), shape.length);
    return b.op("split", "reshape", [x!], {
      shape: shape.toSpliced(axis, 1, ...openSize(numbersOf(attrs["sizes"]), shape[axis] ?? 1)),
    });
  },
});
