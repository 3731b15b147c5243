import { showShape } from "../../ir";
import { composite, optional } from "../compose";
import { tensor } from "../families";
import { wrong } from "../shapes";

export const swiglu = composite({
  name: "swiglu",
  doc: {
    formula: "silu(a) · b",
    teaches: "A gate between two matmuls; one kernel computes both in registers.",
  },
  params: [
    tensor(["a", "gate", "x", "input"], "The gate; alone, its first half along the last axis gates the second."),
    optional(["b", "up"], "What is gated."),
  ],
  check([a, b], _attrs, names) {
    const last = a!.shape.at(-1) ?? 1;
    if (b || last % 2 === 0) return null;
    return wrong("shape-mismatch", `${names[0]} is ${showShape(a!.shape)}: its last size ${last} is not even.`);
  },
  build(b, [a, up]) {
    const axis = b.typeOf(a!).shape.length - 1;
    const size = b.typeOf(a!).shape.at(-1) ?? 0;
    const half = (part: string, from: number) =>
      b.op(part, "slice", [a!], { start: [from], stop: [from + size / 2], step: null, axes: [axis] });
    const gate = up ? a! : half("gate", 0);
    const sigmoid = b.op("sigmoid", "sigmoid", [gate]);
    const silu = b.op("silu", "mul", [gate, sigmoid]);
    return b.op("gated", "mul", [silu, up ?? half("up", size / 2)]);
  },
});
