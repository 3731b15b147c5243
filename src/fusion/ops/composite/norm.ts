import { composite } from "../compose";
import { AXES, KEEPDIMS, number, ONE_TENSOR } from "../families";
import { wrong } from "../shapes";

export const norm = composite({
  name: "norm",
  doc: { formula: "(Σ |x|ᵖ)^(1/p)", teaches: "One read of x; the sum never leaves the kernel." },
  params: [ONE_TENSOR, number("p", 2, "1 or 2.", "ord"), AXES, KEEPDIMS],
  check: (_inputs, { p }) =>
    p === 1 || p === 2 ? null : wrong("bad-attr", `norm knows p = 1 and p = 2; ${String(p)} was given.`),
  build: (b, [x], { p, axes, keepdims }) =>
    b.op("norm", p === 1 ? "l1_norm" : "l2_norm", [x!], { axes: axes ?? null, keepdims: keepdims ?? false }),
});
