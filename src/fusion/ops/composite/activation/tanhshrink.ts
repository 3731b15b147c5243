import { composite } from "../../compose";
import { ONE_TENSOR } from "../../families";

export const tanhshrink = composite({
  name: "tanhshrink",
  doc: { formula: "x − tanh x", teaches: "Two ops on one value in registers." },
  params: [ONE_TENSOR],
  build: (b, [x]) => b.op("shrunk", "sub", [x!, b.op("tanh", "tanh", [x!])]),
});
