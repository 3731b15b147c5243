import { composite } from "../compose";
import { PADDING } from "../convolution";
import { number, ONE_TENSOR } from "../families";
import { CEIL, checkPool, KERNEL, POOL_DILATION, POOL_STRIDE, poolAxes, poolWindows, tapAxes } from "../pooling";

export const lpPool = composite({
  name: "lp_pool",
  aliases: ["lp_pool1d", "lp_pool2d", "lp_pool3d"],
  doc: {
    formula: "(Σ |x|ᵖ)^(1/p) of each window",
    teaches: "The power and the root stay in registers around one sum.",
  },
  params: [
    ONE_TENSOR,
    number("p", 2, "The power; 1 and 2 need no pow.", "norm_type"),
    KERNEL,
    POOL_STRIDE,
    CEIL,
    PADDING,
    POOL_DILATION,
  ],
  check: checkPool,
  build(b, [x], attrs) {
    const { shape } = b.typeOf(x!);
    const windows = poolWindows(b, x!, poolAxes(shape, attrs), 0);
    const fold = { axes: tapAxes(shape, attrs), keepdims: false };
    const p = Number(attrs["p"]);
    if (p === 1 || p === 2) return b.op("norm", p === 1 ? "l1_norm" : "l2_norm", [windows], fold);
    const raised = b.op("power", "pow", [b.op("size", "abs", [windows]), b.scalar(p)]);
    return b.op("norm", "pow", [b.op("sum", "sum", [raised], fold), b.scalar(1 / p)]);
  },
});
