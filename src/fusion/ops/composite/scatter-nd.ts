import { showShape, sizeOf } from "../../ir";
import { composite } from "../compose";
import { tensor } from "../families";
import { along } from "../linear-indices";
import { checkReduction, joinUpdates, REDUCTION, tupleIndicesInside } from "../scattering";
import { wrong } from "../shapes";

export const scatterNd = composite({
  name: "scatter_nd",
  keeps: "dtype",
  doc: {
    formula: "x[index[…, 0], index[…, 1], …] ← updates[…]",
    teaches: "Each row of x looks for the updates that name it, so the result does not depend on the order of threads.",
  },
  params: [
    tensor(["x", "input", "data"], "What is written into."),
    tensor(["index", "indices"], "Tuples of indices along the last axis; indices out of range are dropped."),
    tensor(["updates", "src"], "A row for each tuple."),
    REDUCTION,
  ],
  check([x, index, updates], attrs, names) {
    const bad = checkReduction(attrs);
    const [a, b, c] = [x!.shape, index!.shape, updates!.shape];
    const depth = b.at(-1) ?? 0;
    const fits = b.length > 0 && depth <= a.length && [...b.slice(0, -1), ...a.slice(depth)].join() === c.join();
    if (bad || fits) return bad;
    return wrong(
      "shape-mismatch",
      `${names[0]} is ${showShape(a)}, ${names[1]} is ${showShape(b)}: updates of ${showShape([...b.slice(0, -1), ...a.slice(depth)])} are needed, ${names[2]} is ${showShape(c)}.`,
    );
  },
  build(b, [x, index, updates], attrs) {
    const { shape } = b.typeOf(x!);
    const tuples = b.typeOf(index!).shape;
    const depth = tuples.at(-1)!;
    const [walked, rest, count] = [shape.slice(0, depth), shape.slice(depth), sizeOf(tuples.slice(0, -1))];
    const [elements, row] = [sizeOf(walked), sizeOf(rest)];
    const asked = b.op("asked", "reshape", [tupleIndicesInside(b, walked, index!)], { shape: [1, count, 1] });
    const match = b.op("match", "eq", [asked, along(b, "slot", elements, 1, 0, 3)]);
    const rows = b.op("rows", "reshape", [updates!], { shape: [count, row] });
    const values = b.op("values", "reshape", [updates!], { shape: [1, count, row] });
    const fetch = (last: typeof match): typeof match =>
      b.op("fetched", "gather", [rows, b.op("numbers", "reshape", [last], { shape: [elements] })], { axis: 0 });
    const flat = b.op("flat", "reshape", [x!], { shape: [elements, row] });
    const joined = joinUpdates(b, flat, { match, axis: 1, values, fetch }, attrs);
    return b.op("result", "reshape", [joined], { shape });
  },
});
