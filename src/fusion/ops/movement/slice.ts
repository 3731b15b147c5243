import { showShape } from "../../ir";
import { moved } from "../derivatives";
import { movement, ONE_TENSOR } from "../families";
import { sliceVjp } from "../slice-vjp";
import { isAbsent, sliceAxes } from "../indices";
import { checkAxes, fine, normalAxis, numbersOf, wrong } from "../shapes";

export const slice = movement({
  name: "slice",
  doc: {
    formula: "x[start:stop:step]",
    teaches: "Only the selected elements are loaded. A negative step goes backwards.",
  },
  params: [
    ONE_TENSOR,
    {
      names: ["start", "starts", "start_indices"],
      kind: "ints",
      doc: "First index on each axis; negative counts from the end.",
    },
    {
      names: ["stop", "stops", "ends", "limit_indices"],
      kind: "ints",
      doc: "Index to stop before; what lies outside is cut.",
    },
    { names: ["step", "steps", "strides"], kind: "ints", default: null, doc: "1 when left out." },
    {
      names: ["axes", "axis", "dim"],
      kind: "axes",
      default: null,
      doc: "Which axes these are; the first ones when left out.",
    },
  ],
  shape([x], attrs, [name]) {
    const bad = checkAxes(attrs["axes"], x!, name!);
    if (bad) return bad;
    const [starts, stops, steps] = [numbersOf(attrs["start"]), numbersOf(attrs["stop"]), numbersOf(attrs["step"])];
    const axes = isAbsent(attrs["axes"]) ? starts.length : numbersOf(attrs["axes"]).length;
    if (steps.includes(0))
      return wrong("bad-attr", "A slice with step 0 never ends; steps are 1 or more, or −1 or less.");
    if (axes > x!.length)
      return wrong("bad-axis", `${name} is ${showShape(x!)}: it has ${x!.length} axes, the slice names ${axes}.`);
    if (stops.length !== starts.length || starts.length !== axes || (steps.length > 0 && steps.length !== axes)) {
      return wrong("bad-attr", `A slice needs one start, stop and step for each of its ${axes} axes.`);
    }
    return fine(sliceAxes(attrs, x!).map(({ count }) => count));
  },
  derivative: moved(sliceVjp),
  movement: {
    batched(attrs, { inputs: [x] }) {
      const axes = isAbsent(attrs["axes"]) ? numbersOf(attrs["start"]).map((_, i) => i) : numbersOf(attrs["axes"]);
      return { ...attrs, axes: axes.map((axis) => normalAxis(axis, x!.length) + 1) };
    },
    source(out, { inputs: [x], attrs }, algebra) {
      const index = sliceAxes(attrs, x!).map(({ start, step }, axis) => {
        const scaled = step === 1 ? out[axis]! : algebra.mul(out[axis]!, step);
        return start === 0 ? scaled : algebra.add(scaled, algebra.int(start));
      });
      return [{ when: null, operand: 0, index }];
    },
  },
});
