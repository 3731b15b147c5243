import { affine, axesFrom, channelwise, checkChannels, standardised } from "../channels";
import { composite, optional } from "../compose";
import { number, ONE_TENSOR } from "../families";
import { isAbsent } from "../indices";
import { wrong } from "../shapes";

export const batchNorm = composite({
  name: "batch_norm",
  doc: {
    formula: "(x − mean) / √(variance + eps) · weight + bias",
    teaches:
      "At inference it is a scale and a shift per channel, which can be folded into the weights of a convolution before it.",
  },
  params: [
    ONE_TENSOR,
    optional(["mean", "running_mean"], "Of each channel; in training the batch's own."),
    optional(["variance", "running_var", "var"], "Of each channel; in training the batch's own."),
    optional(["weight", "scale", "gamma"], "Scale of each channel."),
    optional(["bias", "beta"], "Shift of each channel."),
    { names: ["training"], kind: "bool", default: false, doc: "Use the batch's own mean and variance." },
    number("momentum", 0.1, "How much of the running values, which PyTorch stores in training, is of this batch."),
    number("eps", 1e-5, "Added before the square root, to avoid dividing by 0.", "epsilon"),
  ],
  check(inputs, attrs, names) {
    const stated = inputs[1] && inputs[2];
    if (attrs["training"] !== true && !stated)
      return wrong("missing-argument", "At inference batch_norm needs the mean and the variance of each channel.");
    return checkChannels(inputs, names);
  },
  refusedInTorch: ({ training, momentum }) =>
    training === true && isAbsent(momentum)
      ? "With momentum=None the running values are the mean of all batches so far, whose number is not read: give a momentum."
      : null,
  build(b, [x, mean, variance, weight, bias], attrs) {
    const { shape, dtype } = b.typeOf(x!);
    const eps = Number(attrs["eps"]);
    // Without both statistics there is only an open call, whose own mean and variance are all there is to draw.
    if (attrs["training"] === true || !mean || !variance)
      return affine(b, standardised(b, x!, [0, ...axesFrom(shape, 2)], eps), weight ?? null, bias ?? null);
    const raised = b.op("variance_eps", "add", [variance, b.scalar(eps, dtype)]);
    const deviation = channelwise(b, "deviations", b.op("deviation", "sqrt", [raised]), shape.length);
    const centre = b.op("centre", "sub", [x!, channelwise(b, "means", mean, shape.length)]);
    return affine(b, b.op("normalised", "div", [centre, deviation]), weight ?? null, bias ?? null);
  },
});
