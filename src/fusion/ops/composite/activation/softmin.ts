import { AXIS, composite } from "../../compose";
import { ONE_TENSOR } from "../../families";
import { softmax } from "../softmax";

export const softmin = composite({
  name: "softmin",
  doc: { formula: "softmax(−x)", teaches: "A softmax of −x; once fused, the negation needs no kernel." },
  params: [ONE_TENSOR, AXIS],
  build: (b, [x], attrs) => softmax.build(b, [b.op("negative", "neg", [x!])], attrs),
});
