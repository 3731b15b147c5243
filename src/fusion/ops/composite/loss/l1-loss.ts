import { composite } from "../../compose";
import { checkReduced, COMPARED, REDUCED, reduced } from "../../losses";

export const l1Loss = composite({
  name: "l1_loss",
  doc: {
    formula: "mean(|a − b|)",
    teaches: "The differences stay in registers: two tensors are loaded and one number is stored.",
  },
  params: [...COMPARED, REDUCED],
  check: checkReduced,
  build: (b, [a, target], attrs) =>
    reduced(b, b.op("distance", "abs", [b.op("difference", "sub", [a!, target!])]), attrs),
});
