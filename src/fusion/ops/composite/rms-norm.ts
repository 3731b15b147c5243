import { along, composite, optional } from "../compose";
import { number, ONE_TENSOR } from "../families";
import { checkNormalised, normalisedAxes, NORMALISED } from "../normalised";

export const rmsNorm = composite({
  name: "rms_norm",
  doc: {
    formula: "x · rsqrt(mean(x²) + eps) · weight",
    teaches: "A layer_norm without the mean: one reduction instead of two.",
  },
  params: [
    ONE_TENSOR,
    optional(["weight", "scale", "gamma"], "Scale, of the normalised shape."),
    number("eps", 1.1920928955078125e-7, "Added before the square root, to avoid dividing by 0.", "epsilon"),
    NORMALISED,
  ],
  check: checkNormalised,
  build(b, [x, weight], attrs) {
    const axes = normalisedAxes(b.typeOf(x!).shape, weight ?? null, attrs, b);
    const square = b.op("square", "square", [x!]);
    const mean = b.op("mean", "mean", [square], along(axes));
    const raised = b.op("mean_eps", "add", [mean, b.scalar(Number(attrs["eps"]))]);
    const scale = b.op("scale", "rsqrt", [raised]);
    const normal = b.op("normalised", "mul", [x!, scale]);
    return weight ? b.op("scaled", "mul", [normal, weight]) : normal;
  },
});
