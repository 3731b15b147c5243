import { showShape } from "../../ir";
import { composite } from "../compose";
import { tensor } from "../families";
import { elementIndices, flattened } from "../linear-indices";
import { checkAxes, indexing, normalAxis, numberOf, wrong } from "../shapes";

export const takeAlongAxis = composite({
  name: "take_along_axis",
  aliases: ["take_along_dim"],
  doc: {
    formula: "x[i, index[i, j], …]",
    teaches: "As gather_elements, but an index of extent 1 serves all of an axis.",
  },
  params: [
    tensor(["x", "input", "arr"], "Where the elements are."),
    tensor(["index", "indices"], "The index along the axis, for each element of the result."),
    { names: ["axis", "dim"], kind: "axis", default: 0, doc: "The axis that is indexed." },
  ],
  chosen: indexing(1, 0, "axis"),
  check([x, index], attrs, names) {
    const bad = checkAxes(numberOf(attrs["axis"], 0), x!.shape, names[0]!);
    if (bad) return bad;
    const axis = normalAxis(numberOf(attrs["axis"], 0), x!.shape.length);
    const [a, b] = [x!.shape, index!.shape];
    const fits = (extent: number, i: number): boolean => i === axis || extent === a[i] || extent === 1 || a[i] === 1;
    if (a.length === b.length && b.every(fits)) return null;
    return wrong(
      "shape-mismatch",
      `${names[0]} is ${showShape(a)}, ${names[1]} is ${showShape(b)}: they need one rank, and the same extents but along the axis.`,
    );
  },
  build(b, [x, index], attrs) {
    const [a, i] = [b.typeOf(x!).shape, b.typeOf(index!).shape];
    const axis = normalAxis(numberOf(attrs["axis"], 0), a.length);
    const both = a.map((extent, at) => (at === axis ? 0 : Math.max(extent, i[at]!)));
    const spread = (part: string, id: typeof x, own: number): NonNullable<typeof x> => {
      const { shape } = b.typeOf(id!);
      const wanted = both.map((extent, at) => (at === axis ? own : extent));
      return wanted.every((extent, at) => extent === shape[at]) ? id! : b.op(part, "expand", [id!], { shape: wanted });
    };
    const whole = spread("x", x, a[axis]!);
    const indices = spread("index", index, i[axis]!);
    const at = elementIndices(b, b.typeOf(whole).shape, indices, axis);
    return b.op("elements", "gather", [flattened(b, whole), at], { axis: 0 });
  },
});
