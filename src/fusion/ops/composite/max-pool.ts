import { composite } from "../compose";
import { PADDING } from "../convolution";
import { ONE_TENSOR } from "../families";
import { BELOW_ALL } from "../limits";
import {
  CEIL,
  checkPool,
  KERNEL,
  POOL_DILATION,
  POOL_STRIDE,
  poolAxes,
  poolWindows,
  refusedPadding,
  tapAxes,
} from "../pooling";

export const maxPool = composite({
  name: "max_pool",
  floatsInTorch: true,
  aliases: ["max_pool1d", "max_pool2d", "max_pool3d"],
  doc: {
    formula: "max of each window",
    teaches:
      "A reduction over the taps of every window; overlapping windows read their shared elements from the cache.",
  },
  params: [ONE_TENSOR, KERNEL, POOL_STRIDE, PADDING, POOL_DILATION, CEIL],
  check: checkPool,
  refusedInTorch: refusedPadding,
  build(b, [x], attrs) {
    const { dtype, shape } = b.typeOf(x!);
    const windows = poolWindows(b, x!, poolAxes(shape, attrs), BELOW_ALL(dtype));
    return b.op("max", "max", [windows], { axes: tapAxes(shape, attrs), keepdims: false });
  },
});
