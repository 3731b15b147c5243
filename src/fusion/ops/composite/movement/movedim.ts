import { composite } from "../../compose";
import { ONE_TENSOR } from "../../families";
import { checkAxes, normalAxis, numbersOf, wrong } from "../../shapes";

export const movedim = composite({
  name: "movedim",
  aliases: ["moveaxis"],
  doc: {
    formula: "axes moved, the others in their order",
    teaches: "A transpose: its reader only computes another index.",
  },
  params: [
    ONE_TENSOR,
    { names: ["source"], kind: "ints", doc: "Axes that move." },
    { names: ["destination"], kind: "ints", doc: "Their new positions." },
  ],
  check([x], attrs, names) {
    const bad =
      checkAxes(attrs["source"], x!.shape, names[0]!) ?? checkAxes(attrs["destination"], x!.shape, "the result");
    if (bad || numbersOf(attrs["source"]).length === numbersOf(attrs["destination"]).length) return bad;
    return wrong("bad-attr", "movedim needs one destination for each axis that moves.");
  },
  build(b, [x], attrs) {
    const rank = b.typeOf(x!).shape.length;
    const [from, to] = [attrs["source"], attrs["destination"]].map((axes) =>
      numbersOf(axes).map((axis) => normalAxis(axis, rank)),
    );
    const others = b.typeOf(x!).shape.flatMap((_, axis) => (from!.includes(axis) ? [] : [axis]));
    const perm: number[] = [];
    for (let position = 0; position < rank; position++) {
      const moved = from![to!.indexOf(position)];
      perm.push(moved ?? others.shift() ?? position);
    }
    return b.op("moved", "transpose", [x!], { perm, dim1: null });
  },
});
