import { along, composite, optional } from "../compose";
import { ONE_TENSOR, number } from "../families";
import { checkNormalised, normalisedAxes, NORMALISED } from "../normalised";

/** x − mean is written twice on purpose: finding that both are one value is the first thing a compiler does. */
export const layerNorm = composite({
  name: "layer_norm",
  floatsInTorch: true,
  doc: {
    formula: "(x − mean) / √(variance + eps) · weight + bias",
    teaches: "Mean, variance and normalisation work on the same rows. With the row in registers, x is loaded once.",
  },
  params: [
    ONE_TENSOR,
    optional(["weight", "scale", "gamma"], "Scale, of the normalised shape."),
    optional(["bias", "beta"], "Shift, of the normalised shape."),
    number("eps", 1e-5, "Added before the square root, to avoid dividing by 0.", "epsilon"),
    NORMALISED,
  ],
  check: checkNormalised,
  build(b, [x, weight, bias], attrs) {
    const axes = normalisedAxes(b.typeOf(x!).shape, weight ?? bias ?? null, attrs, b);
    const mean = b.op("mean", "mean", [x!], along(axes));
    const centre = b.op("centre", "sub", [x!, mean]);
    const square = b.op("square", "square", [centre]);
    const variance = b.op("variance", "mean", [square], along(axes));
    const raised = b.op("variance_eps", "add", [variance, b.scalar(Number(attrs["eps"]))]);
    const deviation = b.op("deviation", "sqrt", [raised]);
    const again = b.op("centre_again", "sub", [x!, mean]);
    const normal = b.op("normalised", "div", [again, deviation]);
    const scaled = weight ? b.op("scaled", "mul", [normal, weight]) : normal;
    return bias ? b.op("shifted", "add", [scaled, bias]) : scaled;
  },
});
