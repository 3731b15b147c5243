import { showShape } from "../../../ir";
import { composite } from "../../compose";
import { number, tensor } from "../../families";
import { checkAxes, indexing, normalAxis, numberOf, wrong } from "../../shapes";
import { scatterElements } from "../scatter-elements";

export const indexAdd = composite({
  name: "index_add",
  keeps: "dtype",
  doc: {
    formula: "x[…, index[i], …] += source[…, i, …]",
    teaches: "Computed as a gather: each index sums the rows that name it, in a fixed order.",
  },
  params: [
    tensor(["x", "input"], "What is added to."),
    { names: ["dim", "axis"], kind: "axis", doc: "The axis." },
    tensor(["index"], "Where each slice of the source goes."),
    tensor(["source", "tensor"], "What is added."),
    number("alpha", 1, "Scale of what is added."),
  ],
  chosen: indexing(1, 0, "dim"),
  check([x, index, source], attrs, names) {
    const bad = checkAxes(numberOf(attrs["dim"], 0), x!.shape, names[0]!);
    if (bad) return bad;
    const axis = normalAxis(numberOf(attrs["dim"], 0), x!.shape.length);
    const wanted = x!.shape.map((extent, i) => (i === axis ? (index!.shape[0] ?? 0) : extent));
    if (index!.shape.length === 1 && source!.shape.join() === wanted.join()) return null;
    return wrong(
      "shape-mismatch",
      `${names[0]} is ${showShape(x!.shape)}, ${names[2]} is ${showShape(source!.shape)}: with ${showShape(index!.shape)} indices it must be ${showShape(wanted)}.`,
    );
  },
  build(b, [x, index, source], { dim, alpha }) {
    const { dtype, shape } = b.typeOf(source!);
    const axis = normalAxis(numberOf(dim, 0), shape.length);
    const lane = shape.map((extent, i) => (i === axis ? extent : 1));
    const indices = b.op("places", "expand", [b.op("lane", "reshape", [index!], { shape: lane })], { shape });
    const scaled = Number(alpha) === 1 ? source! : b.op("scaled", "mul", [source!, b.scalar(Number(alpha), dtype)]);
    return scatterElements.build(b, [x!, indices, scaled], { axis, reduction: "add" });
  },
});
