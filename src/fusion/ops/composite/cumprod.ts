import { composite } from "../compose";
import { ONE_TENSOR } from "../families";
import { buildRunning, RUNNING } from "../running";
import { checkAxes, numberOf } from "../shapes";

export const cumprod = composite({
  name: "cumprod",
  doc: {
    formula: "Π of all up to here",
    teaches: "One masked product for each element; a scan would be cheaper on long rows.",
  },
  params: [ONE_TENSOR, ...RUNNING],
  check: ([x], attrs, names) => checkAxes(numberOf(attrs["axis"], -1), x!.shape, names[0]!),
  build: (b, [x], attrs) => buildRunning(b, x!, attrs, "prod", 1),
});
