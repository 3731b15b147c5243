import { showShape } from "../../ir";
import { moved, sumTo } from "../derivatives";
import { movement, ONE_TENSOR } from "../families";
import { broadcastIndex } from "../indices";
import { fine, numbersOf, wrong } from "../shapes";

export const expand = movement({
  name: "expand",
  aliases: ["broadcast_to"],
  doc: {
    formula: "repeats axes of size 1",
    teaches: "Fused, it ignores one index; on its own, it stores every copy.",
  },
  params: [
    ONE_TENSOR,
    { names: ["shape", "sizes", "size"], kind: "shape", variadic: true, doc: "The result's sizes; −1 keeps a size." },
  ],
  shape([x], attrs, [name]) {
    const asked = numbersOf(attrs["shape"]);
    const offset = asked.length - x!.length;
    const shape = asked.map((extent, axis) => (extent === -1 ? (x![axis - offset] ?? -1) : extent));
    const fits = offset >= 0 && x!.every((extent, axis) => extent === 1 || extent === shape[axis + offset]);
    if (fits) return fine(shape);
    return wrong(
      "shape-mismatch",
      `${name} is ${showShape(x!)}: it can't be expanded to ${asked.join("×")}; only sizes of 1 can grow, and new axes come first.`,
    );
  },
  derivative: moved((context, g) => sumTo(context, g, context.typeOf(context.inputs[0]!).shape)),
  movement: {
    batched: (_attrs, { output, size }) => ({ shape: [size, ...output] }),
    spreads: true,
    source: (out, { inputs: [x] }, algebra) => [{ when: null, operand: 0, index: broadcastIndex(out, x!, algebra) }],
  },
});
