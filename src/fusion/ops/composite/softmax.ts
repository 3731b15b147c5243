import { ofExponentials } from "../exponentials";

export const softmax = ofExponentials(
  {
    name: "softmax",
    floatsInTorch: true,
    doc: {
      formula: "e^(x − max x) / Σ e^(x − max x)",
      teaches:
        "Op by op, the row goes through memory between its kernels; where a workgroup owns the row, one kernel reads it once.",
    },
  },
  (b, { exp, sum }) => b.op("share", "div", [exp, sum]),
);
