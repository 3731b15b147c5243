import type { NodeId } from "../../ir";
import { composite } from "../compose";
import { ONE_TENSOR } from "../families";
import { checkAxes, normalAxis, numberOf } from "../shapes";

export const logcumsumexp = composite({
  name: "logcumsumexp",
  aliases: ["cumlogsumexp"],
  doc: {
    formula: "log Σ eˣ of all up to here",
    teaches: "Each step joins stretches twice as long: log₂ n steps, and no exponential leaves the range of f32.",
  },
  params: [
    ONE_TENSOR,
    { names: ["axis", "dim"], kind: "axis", default: -1, doc: "The axis that is walked." },
    { names: ["reverse"], kind: "bool", default: false, doc: "From the end." },
  ],
  check: ([x], attrs, names) => checkAxes(numberOf(attrs["axis"], -1), x!.shape, names[0]!),
  build(b, [x], attrs) {
    const { shape } = b.typeOf(x!);
    const axis = normalAxis(numberOf(attrs["axis"], -1), shape.length);
    const [extent, back] = [shape[axis] ?? 1, attrs["reverse"] === true];
    let sums = x!;
    for (let by = 1; by < extent; by *= 2) {
      const part = (name: string, start: number, stop: number): NodeId =>
        b.op(`${name}_${by}`, "slice", [sums], { start: [start], stop: [stop], step: null, axes: [axis] });
      const [own, other] = [part("early", 0, extent - by), part("late", by, extent)];
      const joined = b.op(`joined_${by}`, "logaddexp", [own, other]);
      const pieces = back ? [joined, part("rest", extent - by, extent)] : [part("rest", 0, by), joined];
      sums = b.op(`sums_${by}`, "concat", pieces, { axis });
    }
    return sums === x! ? b.op("sums", "identity", [x!]) : sums;
  },
});
