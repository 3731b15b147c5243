import { composite } from "../compose";
import { buildRunningPlaces, RUNNING } from "../running-places";
import { checkRanked } from "../ranking";

export const cummaxIndices = composite({
  name: "cummax_indices",
  doc: {
    formula: "place of the largest of all up to here, the last where several are",
    teaches: "A place counts where its element is the largest so far: two scans, which one kernel makes.",
  },
  params: RUNNING,
  check: checkRanked,
  build: (b, [x], attrs) => buildRunningPlaces(b, x!, attrs, "cummax"),
});
