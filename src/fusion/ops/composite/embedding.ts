import { composite } from "../compose";
import { tensor } from "../families";
import { indexing } from "../shapes";

export const embedding = composite({
  name: "embedding",
  doc: { formula: "weight[index]", teaches: "Loads only the selected rows, not the whole table." },
  params: [
    tensor(["index", "input", "indices", "ids"], "Row numbers."),
    tensor(["weight", "table"], "One row for each number."),
  ],
  chosen: indexing(0, 1, 0),
  build: (b, [index, weight]) => b.op("rows", "gather", [weight!, index!], { axis: 0 }),
});
