import { composite } from "../../compose";
import { ONE_TENSOR, tensor } from "../../families";
import { indexing } from "../../shapes";

export const indexSelect = composite({
  name: "index_select",
  doc: {
    formula: "x[…, index, …]",
    teaches: "Loads the index and then the element, so only the selected elements are loaded.",
  },
  params: [
    ONE_TENSOR,
    { names: ["dim", "axis"], kind: "axis", doc: "The axis." },
    tensor(["index"], "Which ones, along the axis."),
  ],
  chosen: indexing(1, 0, "dim"),
  build: (b, [x, index], { dim }) => b.op("selected", "gather", [x!, index!], { axis: dim ?? 0 }),
});
