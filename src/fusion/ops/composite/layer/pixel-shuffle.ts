import { showShape } from "../../../ir";
import { composite } from "../../compose";
import { ONE_TENSOR } from "../../families";
import { numberOf, wrong } from "../../shapes";

export const pixelShuffle = composite({
  name: "pixel_shuffle",
  doc: {
    formula: "channels · r² → pixels · r by r",
    teaches: "Only another walk over the same elements: a reshape, a transpose, a reshape.",
  },
  params: [
    ONE_TENSOR,
    { names: ["factor", "upscale_factor", "downscale_factor"], kind: "int", doc: "How many pixels a side." },
  ],
  check([x], attrs, names) {
    const [shape, r] = [x!.shape, numberOf(attrs["factor"], 1)];
    if (shape.length >= 3 && r >= 1 && shape.at(-3)! % (r * r) === 0) return null;
    return wrong(
      "shape-mismatch",
      `${names[0]} is ${showShape(shape)}: its channels, third from the end, must be a multiple of ${r * r}.`,
    );
  },
  build(b, [x], attrs) {
    const { shape } = b.typeOf(x!);
    const [lead, r] = [shape.slice(0, -3), numberOf(attrs["factor"], 1)];
    const [c, h, w] = shape.slice(-3) as [number, number, number];
    const split = b.op("split", "reshape", [x!], { shape: [...lead, c / (r * r), r, r, h, w] });
    const n = lead.length;
    const perm = [...lead.keys(), n, n + 3, n + 1, n + 4, n + 2];
    const woven = b.op("woven", "transpose", [split], { perm, dim1: null });
    return b.op("image", "reshape", [woven], { shape: [...lead, c / (r * r), h * r, w * r] });
  },
});
