import { showShape, sizeOf } from "../../ir";
import { composite } from "../compose";
import { tensor } from "../families";
import { along, tupleIndices } from "../linear-indices";
import { numberOf, wrong } from "../shapes";

export const gatherNd = composite({
  name: "gather_nd",
  doc: {
    formula: "x[index[…, 0], index[…, 1], …]",
    teaches: "A tuple of indices is turned into one address: multiply by strides and add.",
  },
  params: [
    tensor(["x", "input", "data"], "Where the elements are."),
    tensor(["index", "indices"], "Tuples of indices along the last axis."),
    { names: ["batch_dims"], kind: "int", default: 0, doc: "Leading axes that both share." },
  ],
  check([x, index], attrs, names) {
    const batch = numberOf(attrs["batch_dims"], 0);
    const [a, b] = [x!.shape, index!.shape];
    const depth = b.at(-1) ?? 0;
    const fits =
      b.length > batch &&
      batch >= 0 &&
      batch + depth <= a.length &&
      b.slice(0, batch).every((extent, i) => extent === a[i]);
    if (fits) return null;
    return wrong(
      "shape-mismatch",
      `${names[0]} is ${showShape(a)}, ${names[1]} is ${showShape(b)}: after ${batch} shared axes a tuple of ${depth} indices must fit.`,
    );
  },
  build(b, [x, index], attrs) {
    const batch = numberOf(attrs["batch_dims"], 0);
    const { shape } = b.typeOf(x!);
    const tuples = b.typeOf(index!).shape;
    const depth = tuples.at(-1)!;
    const [shared, walked] = [shape.slice(0, batch), shape.slice(batch, batch + depth)];
    const rest = shape.slice(batch + depth);
    let linear = tupleIndices(b, walked, index!);
    if (sizeOf(shared) > 1) {
      const blocks = along(b, "block", sizeOf(shared), sizeOf(walked), 0, 1);
      const spread = b.op("blocks", "reshape", [blocks], {
        shape: [...shared, ...tuples.slice(batch, -1).map(() => 1)],
      });
      linear = b.op("place", "add", [linear, spread]);
    }
    const rows = b.op("rows", "reshape", [x!], { shape: [sizeOf(shared) * sizeOf(walked), ...rest] });
    return b.op("elements", "gather", [rows, linear], { axis: 0 });
  },
});
