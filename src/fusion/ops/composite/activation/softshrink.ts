import { composite } from "../../compose";
import { ONE_TENSOR } from "../../families";

export const softshrink = composite({
  name: "softshrink",
  doc: { formula: "x − min(max(x, −λ), λ)", teaches: "Soft thresholding: x minus x clamped to the bound." },
  params: [
    ONE_TENSOR,
    { names: ["lambd", "lambda_"], kind: "float", default: 0.5, doc: "Up to this size a value becomes 0." },
  ],
  build(b, [x], { lambd }) {
    const near = b.op("near", "clamp", [x!], { min: -Number(lambd), max: Number(lambd) });
    return b.op("shrunk", "sub", [x!, near]);
  },
});
