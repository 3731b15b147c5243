import { composite } from "../../compose";
import { tensor } from "../../families";
import { checkReduced, REDUCED, reduced } from "../../losses";

export const l1Loss = composite({
  name: "l1_loss",
  doc: {
    formula: "mean(|a − b|)",
    teaches: "The differences live in registers: two tensors are read, one number is written.",
  },
  params: [
    tensor(["a", "input", "x", "predictions", "logits"], "What was computed."),
    tensor(["b", "target", "y", "targets", "labels"], "What it should be."),
    REDUCED,
  ],
  check: checkReduced,
  build: (b, [a, target], attrs) =>
    reduced(b, b.op("distance", "abs", [b.op("difference", "sub", [a!, target!])]), attrs),
});
