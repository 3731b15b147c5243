import { sum } from "../reduce/sum";
import { scan } from "../scans";

export const cumsum = scan({
  name: "cumsum",
  doc: {
    formula: "Σ of all up to here",
    teaches: "A workgroup walks its row once: threads add what stands before them in log₂ steps, and carry the sum on.",
  },
  fold: sum,
  exclusive: true,
  derivative: { vjp: ({ attrs, of }, g) => of("cumsum", [g], { ...attrs, reverse: attrs["reverse"] !== true }) },
});
