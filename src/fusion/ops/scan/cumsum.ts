import { sum } from "../reduce/sum";
import { scan } from "../scans";

export const cumsum = scan({
  name: "cumsum",
  saysAxisInTorch: true,
  rowWithoutAxis: "jax",
  doc: {
    formula: "Σ of all up to here",
    teaches:
      "A workgroup reads its row once: threads combine their sums in log₂ steps and carry the total to the next block.",
  },
  fold: sum,
  exclusive: true,
  derivative: { vjp: ({ attrs, of }, g) => of("cumsum", [g], { ...attrs, reverse: attrs["reverse"] !== true }) },
});
