import { composite } from "../../compose";
import { tensor } from "../../families";
import { checkReduced, reduced } from "../../losses";

export const klDiv = composite({
  name: "kl_div",
  doc: {
    formula: "mean(y (ln y − x))",
    teaches: "Where y is 0 the result is 0, even if the logarithm is infinite.",
  },
  params: [
    tensor(["x", "input"], "Logarithms of probabilities."),
    tensor(["y", "target"], "Probabilities."),
    {
      names: ["reduction"],
      kind: "string",
      default: "mean",
      doc: "mean, sum, none, or batchmean: the sum over the first axis's size.",
    },
    { names: ["log_target"], kind: "bool", default: false, doc: "The target is given as logarithms." },
  ],
  check: (inputs, attrs, names) => (attrs["reduction"] === "batchmean" ? null : checkReduced(inputs, attrs, names)),
  build(b, [x, y], attrs) {
    const { dtype, shape } = b.typeOf(y!);
    const log = attrs["log_target"] === true;
    const share = log ? b.op("share", "exp", [y!]) : y!;
    const apart = b.op("apart", "sub", [log ? y! : b.op("log", "log", [y!]), x!]);
    const product = b.op("product", "mul", [share, apart]);
    const zero = b.scalar(0, dtype);
    const losses = log ? product : b.op("losses", "where", [b.op("there", "gt", [y!, zero]), product, zero]);
    if (attrs["reduction"] !== "batchmean") return reduced(b, losses, attrs);
    return b.op("average", "div", [reduced(b, losses, { reduction: "sum" }), b.scalar(shape[0] ?? 1, dtype)]);
  },
});
