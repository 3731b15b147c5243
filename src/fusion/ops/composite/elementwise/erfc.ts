import { composite } from "../../compose";
import { ONE_TENSOR } from "../../families";

export const erfc = composite({
  name: "erfc",
  jax: ["erfc"],
  doc: { formula: "1 − erf x", teaches: "For large x the difference rounds to 0: f32 has no digits left below 6e−8." },
  params: [ONE_TENSOR],
  build(b, [x]) {
    const error = b.op("erf", "erf", [x!]);
    return b.op("rest", "sub", [b.scalar(1, b.typeOf(error).dtype), error]);
  },
});
