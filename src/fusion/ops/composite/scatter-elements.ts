import { showShape } from "../../ir";
import { composite } from "../compose";
import { tensor } from "../families";
import { along, elementIndices, flattened } from "../linear-indices";
import { checkReduction, filledUp, joinUpdates, REDUCTION } from "../scattering";
import { checkAxes, indexing, normalAxis, numberOf, wrong } from "../shapes";

export const scatterElements = composite({
  name: "scatter_elements",
  aliases: ["scatter"],
  withAxisFirst: "scatter_elements",
  keeps: "dtype",
  doc: {
    formula: "x[i, index[i, j], …] ← updates[i, j, …]",
    teaches:
      "Computed as a gather: each element looks for the updates that name it. This needs more comparisons, but no two threads write the same element.",
  },
  params: [
    tensor(["x", "input", "data"], "What is written into."),
    tensor(["index", "indices"], "Where each update goes along the axis; indices out of range are dropped."),
    tensor(["updates", "src", "value"], "What is written, of the index's shape; what reaches beyond it is left out."),
    { names: ["axis", "dim"], kind: "axis", default: 0, doc: "The axis that is indexed." },
    REDUCTION,
  ],
  chosen: indexing(1, 0, "axis"),
  check([x, index, updates], attrs, names) {
    const bad = checkAxes(numberOf(attrs["axis"], 0), x!.shape, names[0]!) ?? checkReduction(attrs);
    if (bad) return bad;
    const [a, b] = [x!.shape, index!.shape];
    const c = updates!.shape.length === 0 ? b : updates!.shape;
    const axis = normalAxis(numberOf(attrs["axis"], 0), a.length);
    const reaches = c.length === b.length && b.every((extent, i) => extent <= c[i]!);
    if (a.length === b.length && reaches && b.every((extent, i) => i === axis || extent <= a[i]!)) return null;
    return wrong(
      "shape-mismatch",
      `${names[0]} is ${showShape(a)}, ${names[1]} is ${showShape(b)}, ${names[2]} is ${showShape(c)}: one rank, and an update for each index.`,
    );
  },
  build(b, [x, index, updates], attrs) {
    const { shape } = b.typeOf(x!);
    const axis = normalAxis(numberOf(attrs["axis"], 0), shape.length);
    const asked = filledUp(b, "asked", index!, shape, axis, -1);
    const wanted = b.typeOf(index!).shape;
    const own = b.typeOf(updates!).shape;
    const whole = { start: wanted.map(() => 0), stop: wanted, step: wanted.map(() => 1) };
    const full =
      own.length === 0
        ? b.op("full", "expand", [updates!], { shape: wanted })
        : own.join() === wanted.join()
          ? updates!
          : b.op("cut", "slice", [updates!], whole);
    const given = filledUp(b, "given", full, shape, axis, 0);
    const spread = b.op("spread", "unsqueeze", [asked], { axes: [axis] });
    const match = b.op("match", "eq", [spread, along(b, "slot", shape[axis]!, 1, axis, shape.length + 1)]);
    const values = b.op("values", "unsqueeze", [given], { axes: [axis] });
    const fetch = (last: typeof match): typeof match =>
      b.op("fetched", "gather", [flattened(b, given), elementIndices(b, b.typeOf(given).shape, last, axis)], {
        axis: 0,
      });
    return joinUpdates(b, x!, { match, axis: axis + 1, values, fetch }, attrs);
  },
});
