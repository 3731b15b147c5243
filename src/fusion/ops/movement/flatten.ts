import { sizeOf } from "../../ir";
import { like, moved } from "../derivatives";
import { movement, ONE_TENSOR } from "../families";
import { regroup } from "../indices";
import { checkAxes, fine, normalAxis, numberOf, wrong } from "../shapes";

export const flatten = movement({
  name: "flatten",
  aliases: ["ravel"],
  doc: { formula: "joins axes", teaches: "Free: no byte moves, only the index arithmetic changes." },
  params: [
    ONE_TENSOR,
    { names: ["start_dim"], kind: "axis", default: 0, doc: "First axis to join." },
    { names: ["end_dim"], kind: "axis", default: -1, doc: "Last axis to join." },
  ],
  shape([x], attrs, [name]) {
    if (x!.length === 0) return fine([1]);
    const bad = checkAxes(attrs["start_dim"], x!, name!) ?? checkAxes(attrs["end_dim"], x!, name!);
    if (bad) return bad;
    const start = normalAxis(numberOf(attrs["start_dim"], 0), x!.length);
    const end = normalAxis(numberOf(attrs["end_dim"], -1), x!.length);
    if (start > end) return wrong("bad-axis", `flatten joins axes ${start} to ${end}: the first comes after the last.`);
    return fine([...x!.slice(0, start), sizeOf(x!.slice(start, end + 1)), ...x!.slice(end + 1)]);
  },
  derivative: moved((context, g) => like(context, g, context.typeOf(context.inputs[0]!))),
  movement: {
    free: true,
    source: (out, { inputs: [x], output }, algebra) => [
      { when: null, operand: 0, index: regroup(out, output, x!, algebra) },
    ],
  },
});
