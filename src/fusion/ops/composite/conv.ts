import { sizeOf } from "../../ir";
import { composite, optional } from "../compose";
import { checkConvolution, DILATION, GROUPS, groupsOf, PADDING, STRIDE, stepsOf, windowProduct } from "../convolution";
import { tensor } from "../families";
import { paddingOf } from "../windows";

export const conv = composite({
  name: "conv",
  oneDtypeInTorch: true,
  mayLackBatch: true,
  aliases: ["conv1d", "conv2d", "conv3d"],
  doc: {
    formula: "Σ weight · window",
    teaches: "A matmul whose columns are the windows of x. They are read in place and never stored.",
  },
  params: [
    tensor(["x", "input"], "Batch, channels, then the spatial axes."),
    tensor(["weight", "w", "filter"], "Outputs, channels of a group, then the taps."),
    optional(["bias", "b"], "One number for each output."),
    STRIDE,
    PADDING,
    DILATION,
    GROUPS,
  ],
  check: (inputs, attrs, names) => checkConvolution(inputs, attrs, names, { inAxis: 1, perGroup: true }),
  build(b, [x, weight, bias], attrs) {
    const [batch, channels, ...extents] = b.typeOf(x!).shape as [number, number, ...number[]];
    const [outputs, , ...kernel] = b.typeOf(weight!).shape as [number, number, ...number[]];
    const { stride, dilation } = stepsOf(attrs, kernel.length);
    const padding = paddingOf(attrs["padding"], kernel.length);
    const plain =
      [...kernel, ...stride].every((by) => by === 1) && padding.every((p) => p.before === 0 && p.after === 0);
    const around = [...padding.map((p) => p.before), ...padding.map((p) => p.after)];
    const windows = plain
      ? x!
      : b.op("windows", "window", [x!], { kernel_size: kernel, stride, dilation, padding: around });
    const positions = plain ? extents : b.typeOf(windows).shape.slice(2 + kernel.length);
    return windowProduct(b, windows, weight!, bias ?? null, {
      batch,
      channels,
      outputs,
      groups: groupsOf(attrs),
      taps: sizeOf(kernel),
      positions,
    });
  },
});
