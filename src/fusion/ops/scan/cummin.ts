import { running } from "../derivatives";
import { min } from "../reduce/min";
import { scan } from "../scans";

export const cummin = scan({
  name: "cummin",
  saysAxisInTorch: true,
  indices: "cummin_indices",
  keeps: "truths",
  doc: {
    formula: "min of all up to here",
    teaches: "A running sum with another operation.",
  },
  fold: min,
  exclusive: false,
  derivative: running,
});
