import { composite } from "../compose";
import { tensor } from "../families";

export const embedding = composite({
  name: "embedding",
  doc: { formula: "weight[index]", teaches: "Loads only the selected rows, not the whole table." },
  params: [
    tensor(["index", "input", "indices", "ids"], "Row numbers."),
    tensor(["weight", "table"], "One row for each number."),
  ],
  build: (b, [index, weight]) => b.op("rows", "gather", [weight!, index!], { axis: 0 }),
});
