import { composite } from "../../compose";
import { number } from "../../families";
import { checkReduced, COMPARED, REDUCED, reduced } from "../../losses";

export const smoothL1Loss = composite({
  name: "smooth_l1_loss",
  doc: {
    formula: "mean(|a − b| < beta ? (a − b)² / 2beta : |a − b| − beta/2)",
    teaches: "Both branches are computed in registers; only one is used.",
  },
  params: [...COMPARED, REDUCED, number("beta", 1, "Up to here it is a parabola.")],
  check: checkReduced,
  build(b, [a, target], attrs) {
    const difference = b.op("difference", "sub", [a!, target!]);
    const { dtype } = b.typeOf(difference);
    const [distance, beta] = [b.op("distance", "abs", [difference]), Number(attrs["beta"])];
    if (beta === 0) return reduced(b, distance, attrs);
    const curve = b.op("curve", "mul", [b.op("square", "square", [difference]), b.scalar(0.5 / beta, dtype)]);
    const line = b.op("line", "sub", [distance, b.scalar(beta / 2, dtype)]);
    return reduced(
      b,
      b.op("losses", "where", [b.op("near", "lt", [distance, b.scalar(beta, dtype)]), curve, line]),
      attrs,
    );
  },
});
