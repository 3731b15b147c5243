import { composite } from "../compose";
import { buildRunningIndices, RUNNING } from "../running-indices";
import { checkRanked } from "../ranking";

export const cumminIndices = composite({
  name: "cummin_indices",
  doc: {
    formula: "index of the smallest element up to here; of equal ones, the last",
    teaches: "An index counts where its element is the smallest so far. That takes two scans, which share one kernel.",
  },
  params: RUNNING,
  check: checkRanked,
  build: (b, [x], attrs) => buildRunningIndices(b, x!, attrs, "cummin"),
});
