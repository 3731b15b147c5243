/** @file A loop whose body works element by element: what it carries stays in registers, however often it goes round. */
import type { OpDef } from "../define";
import { loopMeaning, loopParams, type Find } from "../map-loops";

/** The op, over the ops that `find` knows. */
export function mapLoop(find: Find): OpDef {
  const { loop, js, infer } = loopMeaning(find);
  return {
    name: "map_loop",
    kind: "elementwise",
    doc: {
      formula: "carried = body(carried), iterations times",
      teaches:
        "Carried values stay in registers: memory is read before the first iteration and written after the last.",
    },
    params: loopParams([]),
    infer,
    weightedFlops: 1,
    expensive: true,
    tolerance: { rtol: 0, atol: 0, reason: "what the ops of its body allow, iteration after iteration" },
    scalar: {
      js,
      wgsl() {
        throw new TypeError("a loop is no expression: it is written as statements");
      },
    },
    loop,
  };
}
