import { ofExponentials } from "../exponentials";

export const softmax = ofExponentials(
  {
    name: "softmax",
    doc: {
      formula: "e^(x − max x) / Σ e^(x − max x)",
      teaches: "Five kernels op by op; one when a workgroup owns the row: 8 full-size transfers become 2.",
    },
  },
  (b, { exp, sum }) => b.op("share", "div", [exp, sum]),
);
