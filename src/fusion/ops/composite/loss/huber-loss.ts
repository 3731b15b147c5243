import { composite } from "../../compose";
import { number } from "../../families";
import { checkReduced, COMPARED, REDUCED, reduced } from "../../losses";

export const huberLoss = composite({
  name: "huber_loss",
  jaxDefaults: { reduction: "none" },
  doc: {
    formula: "mean(|a − b| ≤ δ ? (a − b)² / 2 : δ (|a − b| − δ/2))",
    teaches: "Both branches are computed in registers; only one is used.",
  },
  params: [...COMPARED, REDUCED, number("delta", 1, "Up to here it is a parabola.")],
  check: checkReduced,
  build(b, [a, target], attrs) {
    const difference = b.op("difference", "sub", [a!, target!]);
    const { dtype } = b.typeOf(difference);
    const [distance, delta] = [b.op("distance", "abs", [difference]), Number(attrs["delta"])];
    const curve = b.op("curve", "mul", [b.op("square", "square", [difference]), b.scalar(0.5, dtype)]);
    const above = b.op("above", "sub", [distance, b.scalar(delta / 2, dtype)]);
    const line = b.op("line", "mul", [above, b.scalar(delta, dtype)]);
    return reduced(
      b,
      b.op("losses", "where", [b.op("near", "le", [distance, b.scalar(delta, dtype)]), curve, line]),
      attrs,
    );
  },
});
