/**
 * @file A loop along tensors: each iteration reads a row of them, changes what it carries, element by element or row by row,
 * and may give a row.
 */
import type { Attrs } from "../../ir";
import type { Along, OpDef } from "../define";
import { loopMeaning, loopParams, type Find } from "../map-loops";
import { numberOf } from "../shapes";

const along = (attrs: Attrs): Along => ({ axis: numberOf(attrs["axis"], -1), backwards: attrs["reverse"] === true });

/** The op, over the ops that `find` knows. */
export function rowLoop(find: Find): OpDef {
  const { loop, infer } = loopMeaning(find, along);
  return {
    name: "row_loop",
    kind: "loop",
    doc: {
      formula: "carried, rows[t] = body(carried, xs[t]), t = 0, 1 …",
      teaches:
        "Carried values stay in registers: a thread goes along the rows, reads each once and stores what it gives of it.",
    },
    params: loopParams([
      {
        names: ["axis"],
        kind: "int",
        default: -1,
        doc: "The axis that rows are counted along, from the end: -1 is the last.",
      },
      { names: ["reverse"], kind: "bool", default: false, doc: "Whether the first iteration gives the last row." },
    ]),
    infer,
    weightedFlops: 1,
    expensive: true,
    tolerance: { rtol: 0, atol: 0, reason: "what the ops of its body allow, iteration after iteration" },
    loop,
  };
}
