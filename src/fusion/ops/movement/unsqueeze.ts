import { like, moved } from "../derivatives";
import { movement, ONE_TENSOR } from "../families";
import { regroup } from "../indices";
import { axesOf, checkAxes, fine, numbersOf } from "../shapes";

export const unsqueeze = movement({
  name: "unsqueeze",
  aliases: ["expand_dims"],
  doc: { formula: "adds axes of size 1", teaches: "Free: no byte moves, only the index arithmetic changes." },
  params: [
    ONE_TENSOR,
    { names: ["axes", "dim", "axis"], kind: "axes", doc: "Where the new axes stand in the result." },
  ],
  shape([x], attrs, [name]) {
    const result = Array.from({ length: x!.length + numbersOf(attrs["axes"]).length }, () => 1);
    const bad = checkAxes(attrs["axes"], result, `the result of unsqueezing ${name}`);
    if (bad) return bad;
    const added = new Set(axesOf(attrs["axes"], result.length));
    const rest = [...x!];
    return fine(result.map((_, axis) => (added.has(axis) ? 1 : rest.shift()!)));
  },
  derivative: moved((context, g) => like(context, g, context.typeOf(context.inputs[0]!))),
  movement: {
    free: true,
    source: (out, { inputs: [x], output }, algebra) => [
      { when: null, operand: 0, index: regroup(out, output, x!, algebra) },
    ],
  },
});
