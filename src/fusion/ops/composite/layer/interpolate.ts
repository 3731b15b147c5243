import { composite } from "../../compose";
import { ONE_TENSOR } from "../../families";
import { buildResized, checkResize } from "../../resizing";

export const interpolate = composite({
  name: "interpolate",
  aliases: ["upsample"],
  doc: {
    formula: "x at other sizes",
    teaches: "By whole factors, nearest is an index divided; between pixels, each result reads two along each axis.",
  },
  params: [
    ONE_TENSOR,
    { names: ["size"], kind: "ints", default: null, doc: "Sizes of the spatial axes." },
    { names: ["scale_factor"], kind: "ints", default: null, doc: "Or by how much they grow." },
    { names: ["mode"], kind: "string", default: "nearest", doc: "nearest, linear, bilinear, trilinear or area." },
    { names: ["align_corners"], kind: "bool", default: false, doc: "Corners stay corners." },
  ],
  check: checkResize,
  build: (b, [x], attrs) => buildResized(b, x!, attrs),
});
