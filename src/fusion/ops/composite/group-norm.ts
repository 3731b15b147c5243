import { showShape, sizeOf } from "../../ir";
import { affine, checkChannels, standardised } from "../channels";
import { composite, optional } from "../compose";
import { number, ONE_TENSOR } from "../families";
import { numberOf, wrong } from "../shapes";

export const groupNorm = composite({
  name: "group_norm",
  floatsInTorch: true,
  doc: {
    formula: "groups of channels to mean 0, variance 1",
    teaches: "A layer_norm over groups of channels; the reshape around it costs nothing.",
  },
  params: [
    ONE_TENSOR,
    { names: ["num_groups", "groups"], kind: "int", doc: "Number of groups that the channels are divided into." },
    optional(["weight", "scale", "gamma"], "Scale of each channel."),
    optional(["bias", "beta"], "Shift of each channel."),
    number("eps", 1e-5, "Added before the square root, to avoid dividing by 0.", "epsilon"),
  ],
  check(inputs, attrs, names) {
    const { shape } = inputs[0]!;
    const groups = numberOf(attrs["num_groups"], 1);
    const bad = checkChannels(inputs, names);
    if (bad || (Number.isInteger(groups) && groups >= 1 && shape[1]! % groups === 0)) return bad;
    return wrong(
      "bad-attr",
      `${names[0]} is ${showShape(shape)}: its ${shape[1]} channels can't be split into ${groups} groups.`,
    );
  },
  build(b, [x, weight, bias], attrs) {
    const { shape } = b.typeOf(x!);
    const groups = numberOf(attrs["num_groups"], 1);
    const rows = b.op("rows", "reshape", [x!], { shape: [shape[0]!, groups, sizeOf(shape) / (shape[0]! * groups)] });
    const normal = standardised(b, rows, [2], Number(attrs["eps"]));
    return affine(b, b.op("image", "reshape", [normal], { shape }), weight ?? null, bias ?? null);
  },
});
