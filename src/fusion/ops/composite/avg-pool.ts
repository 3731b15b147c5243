import { composite } from "../compose";
import { PADDING } from "../convolution";
import { ONE_TENSOR } from "../families";
import { CEIL, checkPool, KERNEL, POOL_DILATION, POOL_STRIDE, refusedPadding, windowMean } from "../pooling";

export const avgPool = composite({
  name: "avg_pool",
  floatsInTorch: true,
  aliases: ["avg_pool1d", "avg_pool2d", "avg_pool3d"],
  doc: {
    formula: "mean of each window",
    teaches: "The divisor is constant unless windows reach over the border; then each window counts its elements.",
  },
  params: [
    ONE_TENSOR,
    KERNEL,
    POOL_STRIDE,
    PADDING,
    CEIL,
    { names: ["count_include_pad"], kind: "bool", default: true, doc: "The border counts as elements." },
    POOL_DILATION,
  ],
  check: checkPool,
  refusedInTorch: refusedPadding,
  build: (b, [x], attrs) => windowMean(b, x!, attrs, attrs["count_include_pad"] !== false),
});
