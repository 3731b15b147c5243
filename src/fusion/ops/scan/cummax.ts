import { running } from "../derivatives";
import { max } from "../reduce/max";
import { scan } from "../scans";

export const cummax = scan({
  name: "cummax",
  saysAxisInTorch: true,
  indices: "cummax_indices",
  keeps: "truths",
  doc: {
    formula: "max of all up to here",
    teaches: "Chooses, never rounds: a scan in parallel answers what one thread in order would.",
  },
  fold: max,
  exclusive: false,
  derivative: running,
});
