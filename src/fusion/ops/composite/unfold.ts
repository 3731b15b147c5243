import { showShape, sizeOf } from "../../ir";
import { composite } from "../compose";
import { DILATION, PADDING, STRIDE } from "../convolution";
import { ONE_TENSOR } from "../families";
import { KERNEL } from "../pooling";
import { wrong } from "../shapes";
import { eachAxis, paddingOf } from "../windows";

export const unfold = composite({
  name: "unfold",
  aliases: ["im2col"],
  doc: {
    formula: "every window as a column",
    teaches: "The matrix that a convolution multiplies. Stored, it is one copy of x for each tap of the window.",
  },
  params: [ONE_TENSOR, KERNEL, DILATION, PADDING, STRIDE],
  check: ([x], _attrs, names) =>
    x!.shape.length >= 3
      ? null
      : wrong(
          "shape-mismatch",
          `${names[0]} is ${showShape(x!.shape)}: unfold takes batch, channels and spatial axes.`,
        ),
  build(b, [x], attrs) {
    const [batch, channels, ...extents] = b.typeOf(x!).shape as [number, number, ...number[]];
    const rank = extents.length;
    const kernel = eachAxis(attrs["kernel_size"], rank, 1);
    const around = paddingOf(attrs["padding"], rank);
    const windows = b.op("windows", "window", [x!], {
      kernel_size: kernel,
      stride: eachAxis(attrs["stride"], rank, 1),
      dilation: eachAxis(attrs["dilation"], rank, 1),
      padding: [...around.map((p) => p.before), ...around.map((p) => p.after)],
    });
    const positions = sizeOf(b.typeOf(windows).shape.slice(2 + rank));
    return b.op("columns", "reshape", [windows], { shape: [batch, channels * sizeOf(kernel), positions] });
  },
});
