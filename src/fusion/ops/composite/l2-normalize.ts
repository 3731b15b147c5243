import { along, AXIS, composite } from "../compose";
import { number, ONE_TENSOR } from "../families";

export const l2Normalize = composite({
  name: "l2_normalize",
  doc: {
    formula: "x / √Σ x²",
    teaches: "A reduction and its broadcast: one kernel when a workgroup owns the row.",
  },
  params: [ONE_TENSOR, AXIS, number("eps", 0, "Smallest norm to divide by; none when 0.", "epsilon")],
  build(b, [x], { axis, eps }) {
    const square = b.op("square", "square", [x!]);
    const sum = b.op("sum", "sum", [square], along(axis));
    const norm = b.op("norm", "sqrt", [sum]);
    const bounded = Number(eps) > 0 ? b.op("bounded", "maximum", [norm, b.scalar(Number(eps))]) : norm;
    return b.op("normalised", "div", [x!, bounded]);
  },
});
