import { composite } from "../compose";
import { buildRunningIndices, RUNNING } from "../running-indices";
import { checkRanked } from "../ranking";

export const cummaxIndices = composite({
  name: "cummax_indices",
  doc: {
    formula: "index of the largest element up to here; of equal ones, the last",
    teaches: "An index counts where its element is the largest so far. That takes two scans, which share one kernel.",
  },
  params: RUNNING,
  check: checkRanked,
  build: (b, [x], attrs) => buildRunningIndices(b, x!, attrs, "cummax"),
});
