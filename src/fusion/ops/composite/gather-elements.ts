import { showShape } from "../../ir";
import { composite } from "../compose";
import { tensor } from "../families";
import { elementIndices, flattened } from "../linear-indices";
import { checkAxes, indexing, normalAxis, numberOf, wrong } from "../shapes";

export const gatherElements = composite({
  name: "gather_elements",
  doc: {
    formula: "x[i, index[i, j], …]",
    teaches: "Each element has its own index along one axis.",
  },
  params: [
    tensor(["x", "input", "data"], "Where the elements are."),
    tensor(["index", "indices"], "The index along the axis, for each element of the result."),
    { names: ["axis", "dim"], kind: "axis", default: 0, doc: "The axis that is indexed." },
  ],
  chosen: indexing(1, 0, "axis"),
  check([x, index], attrs, names) {
    const bad = checkAxes(numberOf(attrs["axis"], 0), x!.shape, names[0]!);
    if (bad) return bad;
    const axis = normalAxis(numberOf(attrs["axis"], 0), x!.shape.length);
    const [a, b] = [x!.shape, index!.shape];
    if (a.length === b.length && b.every((extent, i) => i === axis || extent <= a[i]!)) return null;
    return wrong(
      "shape-mismatch",
      `${names[0]} is ${showShape(a)}, ${names[1]} is ${showShape(b)}: they need one rank, and only along the axis may the index be longer.`,
    );
  },
  build(b, [x, index], attrs) {
    const { shape } = b.typeOf(x!);
    const axis = normalAxis(numberOf(attrs["axis"], 0), shape.length);
    return b.op("elements", "gather", [flattened(b, x!), elementIndices(b, shape, index!, axis)], { axis: 0 });
  },
});
