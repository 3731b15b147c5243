import { sizeOf } from "../../ir";
import { composite, optional } from "../compose";
import {
  checkConvolution,
  DILATION,
  GROUPS,
  groupsOf,
  PADDING,
  perAxis,
  shaped,
  STRIDE,
  stepsOf,
  windowProduct,
} from "../convolution";
import { tensor } from "../families";
import { eachAxis, paddingOf } from "../windows";

export const convTranspose = composite({
  name: "conv_transpose",
  oneDtypeInTorch: true,
  mayLackBatch: true,
  aliases: ["conv_transpose1d", "conv_transpose2d", "conv_transpose3d"],
  doc: {
    formula: "Σ flipped weight · window of x spread out",
    teaches:
      "The backward pass of a convolution: the same contraction over an input with gaps, which are never stored.",
  },
  params: [
    tensor(["x", "input"], "Batch, channels, then the spatial axes."),
    tensor(["weight", "w", "filter"], "Channels, outputs of a group, then the taps."),
    optional(["bias", "b"], "One number for each output."),
    STRIDE,
    PADDING,
    perAxis(["output_padding"], 0, "More elements at the end of each axis."),
    GROUPS,
    DILATION,
  ],
  check: (inputs, attrs, names) => checkConvolution(inputs, attrs, names, { inAxis: 0, perGroup: false }),
  build(b, [x, weight, bias], attrs) {
    const [batch, channels] = b.typeOf(x!).shape as [number, number];
    const [, share, ...kernel] = b.typeOf(weight!).shape as [number, number, ...number[]];
    const groups = groupsOf(attrs);
    const rank = kernel.length;
    const { stride, dilation } = stepsOf(attrs, rank);
    const cut = paddingOf(attrs["padding"], rank);
    const more = eachAxis(attrs["output_padding"], rank, 0);
    const reach = kernel.map((size, axis) => dilation[axis]! * (size - 1));
    const padding = [
      ...reach.map((far, axis) => far - cut[axis]!.before),
      ...reach.map((far, axis) => far - cut[axis]!.after + more[axis]!),
    ];
    const windows = b.op("windows", "window", [x!], { kernel_size: kernel, dilation, padding, interior: stride });
    const positions = b.typeOf(windows).shape.slice(2 + rank);
    // [C, O/G, taps] → [G, O/G, C/G, taps reversed]
    const parted = shaped(b, "parted", weight!, [groups, channels / groups, share, ...kernel]);
    const perm = [0, 2, 1, ...kernel.map((_, axis) => axis + 3)];
    const transposed = b.op("transposed", "transpose", [parted], { perm, dim1: null });
    const taps = kernel.map((_, axis) => axis + 3);
    const flipped = b.op("flipped", "flip", [transposed], { axes: taps });
    return windowProduct(b, windows, flipped, bias ?? null, {
      batch,
      channels,
      outputs: share * groups,
      groups,
      taps: sizeOf(kernel),
      positions,
    });
  },
});
