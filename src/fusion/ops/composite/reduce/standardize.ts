import { standardised } from "../../channels";
import { composite } from "../../compose";
import { AXES, number, ONE_TENSOR } from "../../families";
import { axesOf, checkAxes } from "../../shapes";

export const standardize = composite({
  name: "standardize",
  doc: { formula: "(x − mean) / √(variance + eps)", teaches: "A layer_norm without weights, along any axes." },
  params: [
    ONE_TENSOR,
    { ...AXES, default: -1, doc: "Axes that share a mean." },
    number("eps", 1e-5, "Added before the square root, to avoid dividing by 0.", "epsilon"),
  ],
  check: ([x], attrs, names) => checkAxes(attrs["axes"], x!.shape, names[0]!),
  build(b, [x], { axes, eps }) {
    const rank = b.typeOf(x!).shape.length;
    return standardised(b, x!, axesOf(axes ?? null, rank), Number(eps));
  },
});
