import { composite } from "../../compose";
import { tensor } from "../../families";

export const lerp = composite({
  name: "lerp",
  doc: {
    formula: "a + weight · (b − a)",
    teaches: "Three loads and one store: a moving average, as optimisers use it.",
  },
  params: [
    tensor(["a", "input", "start"], "At weight 0."),
    tensor(["b", "end"], "At weight 1."),
    tensor(["weight"], "How far."),
  ],
  build(b, [start, end, weight]) {
    const way = b.op("way", "sub", [end!, start!]);
    return b.op("between", "add", [start!, b.op("gone", "mul", [weight!, way])]);
  },
});
