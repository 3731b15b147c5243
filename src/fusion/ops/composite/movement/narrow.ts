import { showShape } from "../../../ir";
import { composite } from "../../compose";
import { ONE_TENSOR } from "../../families";
import { checkAxes, normalAxis, numberOf, wrong } from "../../shapes";

export const narrow = composite({
  name: "narrow",
  doc: {
    formula: "x[start : start + length] along an axis",
    teaches: "Only the selected elements are loaded.",
  },
  params: [
    ONE_TENSOR,
    { names: ["dim", "axis"], kind: "axis", doc: "The axis." },
    { names: ["start"], kind: "int", doc: "First index; negative counts from the end." },
    { names: ["length"], kind: "int", doc: "How many." },
  ],
  check([x], attrs, names) {
    const { shape } = x!;
    const bad = checkAxes(numberOf(attrs["dim"], 0), shape, names[0]!);
    if (bad) return bad;
    const extent = shape[normalAxis(numberOf(attrs["dim"], 0), shape.length)]!;
    const [start, length] = [normalAxis(numberOf(attrs["start"], 0), extent), numberOf(attrs["length"], 0)];
    if (start >= 0 && length >= 0 && start + length <= extent) return null;
    return wrong(
      "bad-attr",
      `${names[0]} is ${showShape(shape)}: ${length} elements from ${start} on are not inside the ${extent} of that axis.`,
    );
  },
  build(b, [x], attrs) {
    const { shape } = b.typeOf(x!);
    const axis = normalAxis(numberOf(attrs["dim"], 0), shape.length);
    const start = normalAxis(numberOf(attrs["start"], 0), shape[axis] ?? 0);
    const stop = start + numberOf(attrs["length"], 0);
    return b.op("part", "slice", [x!], { start: [start], stop: [stop], step: null, axes: [axis] });
  },
});
