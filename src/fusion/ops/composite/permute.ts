import { composite } from "../compose";
import { ONE_TENSOR } from "../families";

export const permute = composite({
  name: "permute",
  doc: { formula: "axes in another order", teaches: "A transpose by its full permutation." },
  params: [
    ONE_TENSOR,
    { names: ["dims", "axes", "perm"], kind: "ints", variadic: true, doc: "Input axis of each output axis." },
  ],
  build: (b, [x], { dims }) => b.op("permuted", "transpose", [x!], { perm: dims ?? [], dim1: null }),
});
