import { showShape } from "../../ir";
import { composite } from "../compose";
import { number, ONE_TENSOR } from "../families";
import { numberOf, wrong } from "../shapes";

export const localResponseNorm = composite({
  name: "local_response_norm",
  aliases: ["lrn"],
  doc: {
    formula: "x / (k + alpha/n · Σ of n neighbouring channels' x²)^beta",
    teaches: "Windows over channels: each square is read by its neighbours too, from the cache.",
  },
  params: [
    ONE_TENSOR,
    { names: ["size"], kind: "int", doc: "Channels in one sum." },
    number("alpha", 1e-4, "Weight of the mean square."),
    number("beta", 0.75, "The power."),
    number("k", 1, "Added to it.", "bias"),
    {
      names: ["before"],
      kind: "int",
      default: null,
      doc: "How many of them come before the channel itself; half of them when left out, as in PyTorch.",
    },
  ],
  check([x], attrs, names) {
    if (x!.shape.length < 2)
      return wrong("shape-mismatch", `${names[0]} is ${showShape(x!.shape)}: it needs batch and channels.`);
    return numberOf(attrs["size"], 1) >= 1 ? null : wrong("bad-attr", "The sum takes at least one channel.");
  },
  build(b, [x], attrs) {
    const { shape, dtype } = b.typeOf(x!);
    const size = numberOf(attrs["size"], 1);
    const before = numberOf(attrs["before"], Math.floor(size / 2));
    const inner = shape.slice(2);
    const window = {
      kernel_size: [size, ...inner.map(() => 1)],
      padding: [before, ...inner.map(() => 0), size - 1 - before, ...inner.map(() => 0)],
    };
    const windows = b.op("neighbours", "window", [b.op("square", "square", [x!])], window);
    const axes = [1, ...inner.map((_, i) => i + 2)];
    const sum = b.op("sum", "sum", [windows], { axes, keepdims: false });
    const share = b.op("share", "mul", [sum, b.scalar(numberOf(attrs["alpha"], 1e-4) / size, dtype)]);
    const base = b.op("base", "add", [share, b.scalar(numberOf(attrs["k"], 1), dtype)]);
    return b.op("normalised", "div", [
      x!,
      b.op("power", "pow", [base, b.scalar(numberOf(attrs["beta"], 0.75), dtype)]),
    ]);
  },
});
