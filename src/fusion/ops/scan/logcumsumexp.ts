import type { DerivativeContext } from "../define";
import { logaddexpReduce } from "../reduce/logaddexp-reduce";
import { scan } from "../scans";
import type { NodeId } from "../../ir";

/**
 * Σ sign(wᵢ) exp(f(ln |wᵢ|)): weights of either sign stay logarithms until each sum is made, so that none of them overflows.
 * @param f from a logarithm to one
 */
function signed({ of }: DerivativeContext, w: NodeId, f: (logarithm: NodeId) => NodeId): NodeId {
  const part = (side: NodeId): NodeId => of("exp", [f(of("log", [of("relu", [side])]))]);
  return of("sub", [part(w), part(of("neg", [w]))]);
}

export const logcumsumexp = scan({
  name: "logcumsumexp",
  saysAxisInTorch: true,
  jax: ["cumlogsumexp"],
  doc: {
    formula: "ln Σ eˣ of all up to here",
    teaches: "Walks with logarithms alone, so that rows of any size of numbers are scanned once and nothing overflows.",
  },
  fold: logaddexpReduce,
  exclusive: false,
  derivative: {
    vjp(context, g) {
      const { inputs, output, attrs, of } = context;
      const back = { ...attrs, reverse: attrs["reverse"] !== true };
      return signed(context, g, (log) => {
        const after = of("logcumsumexp", [of("sub", [log, output])], back);
        return of("add", [after, inputs[0]!]);
      });
    },
    jvp(context, [t]) {
      const { inputs, output, attrs, of } = context;
      return signed(context, t!, (log) => {
        const upTo = of("logcumsumexp", [of("add", [log, inputs[0]!])], attrs);
        return of("sub", [upTo, output]);
      });
    },
  },
});
