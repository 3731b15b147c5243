import { along, composite } from "../compose";
import { AXES, KEEPDIMS, ONE_TENSOR } from "../families";
import { axesOf } from "../shapes";

export const logsumexp = composite({
  name: "logsumexp",
  saysAxisInTorch: true,
  doc: {
    formula: "max x + ln Σ e^(x − max x)",
    teaches:
      "The maximum is subtracted first, so nothing overflows. An infinite maximum is the answer itself, because ∞ − ∞ is NaN.",
  },
  params: [ONE_TENSOR, AXES, KEEPDIMS],
  nonDifferentiable: ["max"],
  build(b, [x], { axes, keepdims }) {
    const max = b.op("max", "max", [x!], along(axes));
    const shifted = b.op("shifted", "sub", [x!, max]);
    const exp = b.op("exp", "exp", [shifted]);
    const sum = b.op("sum", "sum", [exp], along(axes));
    const log = b.op("log", "log", [sum]);
    const total = b.op("total", "add_peak", [log, max]);
    if (keepdims === true) return total;
    return b.op("squeezed", "squeeze", [total], { axes: axesOf(axes, b.typeOf(x!).shape.length) });
  },
});
