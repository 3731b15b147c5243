import { composite } from "../compose";
import { tensor } from "../families";

export const mseLoss = composite({
  name: "mse_loss",
  doc: {
    formula: "mean((a − b)²)",
    teaches: "The differences live in registers: two tensors are read, one number is written.",
  },
  params: [tensor(["a", "input", "x"], "What was computed."), tensor(["b", "target", "y"], "What it should be.")],
  build(b, [a, target]) {
    const difference = b.op("difference", "sub", [a!, target!]);
    const square = b.op("square", "square", [difference]);
    return b.op("mean", "mean", [square], { axes: null, keepdims: false });
  },
});
