import { running } from "../derivatives";
import { min } from "../reduce/min";
import { scan } from "../scans";

export const cummin = scan({
  name: "cummin",
  doc: {
    formula: "min of all up to here",
    teaches: "The same walk as a running sum with another fold: one template serves both.",
  },
  fold: min,
  exclusive: false,
  derivative: running,
});
