import { showShape } from "../../../ir";
import { composite } from "../../compose";
import { ONE_TENSOR } from "../../families";
import { numberOf, wrong } from "../../shapes";

export const pixelUnshuffle = composite({
  name: "pixel_unshuffle",
  doc: {
    formula: "pixels · r by r → channels · r²",
    teaches: "Only another walk over the same elements: a reshape, a transpose, a reshape.",
  },
  params: [
    ONE_TENSOR,
    { names: ["factor", "upscale_factor", "downscale_factor"], kind: "int", doc: "How many pixels a side." },
  ],
  check([x], attrs, names) {
    const [shape, r] = [x!.shape, numberOf(attrs["factor"], 1)];
    if (shape.length >= 3 && r >= 1 && shape.at(-2)! % r === 0 && shape.at(-1)! % r === 0) return null;
    return wrong("shape-mismatch", `${names[0]} is ${showShape(shape)}: its last two sizes must be multiples of ${r}.`);
  },
  build(b, [x], attrs) {
    const { shape } = b.typeOf(x!);
    const [lead, r] = [shape.slice(0, -3), numberOf(attrs["factor"], 1)];
    const [c, h, w] = shape.slice(-3) as [number, number, number];
    const split = b.op("split", "reshape", [x!], { shape: [...lead, c, h / r, r, w / r, r] });
    const n = lead.length;
    const perm = [...lead.keys(), n, n + 2, n + 4, n + 1, n + 3];
    const woven = b.op("woven", "transpose", [split], { perm, dim1: null });
    return b.op("image", "reshape", [woven], { shape: [...lead, c * r * r, h / r, w / r] });
  },
});
