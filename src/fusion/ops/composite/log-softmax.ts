import { ofExponentials } from "../exponentials";

export const logSoftmax = ofExponentials(
  {
    name: "log_softmax",
    floatsInTorch: true,
    doc: {
      formula: "x − max x − ln Σ e^(x − max x)",
      teaches: "Written as log(softmax(x)), it would take the logarithm of probabilities that have rounded to 0.",
    },
  },
  (b, { shifted, sum }) => b.op("share", "sub", [shifted, b.op("log", "log", [sum])]),
);
