import { composite } from "../../compose";
import { ONE_TENSOR } from "../../families";

export const log10 = composite({
  name: "log10",
  doc: { formula: "ln x / ln 10", teaches: "A logarithm and a constant factor." },
  params: [ONE_TENSOR],
  build(b, [x]) {
    const log = b.op("log", "log", [x!]);
    return b.op("scaled", "mul", [log, b.scalar(Math.LOG10E, b.typeOf(log).dtype)]);
  },
});
