import { composite } from "../compose";
import { AXES, KEEPDIMS, number, ONE_TENSOR } from "../families";
import { buildNorm } from "../norms";
import { numberOf } from "../shapes";

export const norm = composite({
  name: "norm",
  aliases: ["vector_norm"],
  doc: { formula: "(Σ |x|ᵖ)^(1/p)", teaches: "One read of x; the sum never leaves the kernel." },
  params: [ONE_TENSOR, number("p", 2, "1, 2, ∞, 0 or another power.", "ord"), AXES, KEEPDIMS],
  build: (b, [x], { p, axes, keepdims }) =>
    buildNorm(b, x!, numberOf(p, 2), { axes: axes ?? null, keepdims: keepdims ?? false }),
});
