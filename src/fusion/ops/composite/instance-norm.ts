import { affine, axesFrom, checkChannels, standardised } from "../channels";
import { composite, optional } from "../compose";
import { number, ONE_TENSOR } from "../families";

export const instanceNorm = composite({
  name: "instance_norm",
  doc: {
    formula: "each channel of each image to mean 0, variance 1",
    teaches: "Rows here are whole images of one channel: mean, variance and the result in one kernel.",
  },
  params: [
    ONE_TENSOR,
    optional(["weight", "scale", "gamma"], "Scale of each channel."),
    optional(["bias", "beta"], "Shift of each channel."),
    number("eps", 1e-5, "Added before the square root, to avoid dividing by 0.", "epsilon"),
  ],
  check: (inputs, _attrs, names) => checkChannels(inputs, names),
  build: (b, [x, weight, bias], attrs) =>
    affine(b, standardised(b, x!, axesFrom(b.typeOf(x!).shape, 2), Number(attrs["eps"])), weight ?? null, bias ?? null),
});
