import { along, composite } from "../../compose";
import { AXES, number, ONE_TENSOR } from "../../families";
import { buildNorm } from "../../norms";
import { checkAxes, numberOf } from "../../shapes";

export const normalize = composite({
  name: "normalize",
  doc: {
    formula: "x / max((Σ |x|ᵖ)^(1/p), eps)",
    teaches: "A reduction and its broadcast: one kernel when a workgroup owns the row.",
  },
  params: [
    ONE_TENSOR,
    { names: ["p"], kind: "float", default: 2, doc: "Which norm: 1, 2, ∞ or another power." },
    { ...AXES, default: 1, doc: "The axis that is normalised." },
    number("eps", 1e-12, "Smallest norm to divide by."),
  ],
  check: ([x], attrs, names) => checkAxes(attrs["axes"], x!.shape, names[0]!),
  build(b, [x], { p, axes, eps }) {
    const norm = buildNorm(b, x!, numberOf(p, 2), along(axes));
    return b.op("normalised", "div", [
      x!,
      b.op("bounded", "maximum", [norm, b.scalar(Number(eps), b.typeOf(norm).dtype)]),
    ]);
  },
});
