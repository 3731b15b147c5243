import { composite } from "../compose";
import { tensor } from "../families";
import { checkReduced, REDUCED, reduced } from "../losses";

export const mseLoss = composite({
  name: "mse_loss",
  doc: {
    formula: "mean((a − b)²)",
    teaches: "The differences stay in registers: two tensors are loaded and one number is stored.",
  },
  params: [
    tensor(["a", "input", "x"], "What was computed."),
    tensor(["b", "target", "y"], "What it should be."),
    REDUCED,
  ],
  check: checkReduced,
  build(b, [a, target], attrs) {
    const difference = b.op("difference", "sub", [a!, target!]);
    const square = b.op("square", "square", [difference]);
    return reduced(b, square, attrs);
  },
});
