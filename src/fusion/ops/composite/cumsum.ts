import { composite } from "../compose";
import { ONE_TENSOR } from "../families";
import { buildRunning, RUNNING } from "../running";
import { checkAxes, numberOf } from "../shapes";

export const cumsum = composite({
  name: "cumsum",
  doc: {
    formula: "Σ of all up to here",
    teaches:
      "Written as one masked sum for each element: n²/2 additions where a scan needs n, but no order between threads.",
  },
  params: [ONE_TENSOR, ...RUNNING],
  check: ([x], attrs, names) => checkAxes(numberOf(attrs["axis"], -1), x!.shape, names[0]!),
  build: (b, [x], attrs) => buildRunning(b, x!, attrs, "sum", 0),
});
