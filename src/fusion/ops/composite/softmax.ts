import { ofExponentials } from "../exponentials";

export const softmax = ofExponentials(
  {
    name: "softmax",
    doc: {
      formula: "e^(x − max x) / Σ e^(x − max x)",
      teaches: "Five passes as five kernels, one when a workgroup keeps its row: 8 full-size transfers become 2.",
    },
  },
  (b, { exp, sum }) => b.op("share", "div", [exp, sum]),
);
