import { showShape } from "../../../ir";
import { composite } from "../../compose";
import { ONE_TENSOR } from "../../families";
import { checkAxes, normalAxis, numberOf, wrong } from "../../shapes";

export const select = composite({
  name: "select",
  withTensor: "where",
  doc: {
    formula: "x[…, index, …]",
    teaches: "One index of an axis, and the axis is gone: a slice and a reshape that costs nothing.",
  },
  params: [
    ONE_TENSOR,
    { names: ["dim", "axis"], kind: "axis", doc: "The axis." },
    { names: ["index"], kind: "int", doc: "Which one; negative counts from the end." },
  ],
  check([x], attrs, names) {
    const { shape } = x!;
    const bad = checkAxes(numberOf(attrs["dim"], 0), shape, names[0]!);
    if (bad) return bad;
    const extent = shape[normalAxis(numberOf(attrs["dim"], 0), shape.length)]!;
    const at = numberOf(attrs["index"], 0);
    return at >= -extent && at < extent
      ? null
      : wrong(
          "bad-attr",
          `${names[0]} is ${showShape(shape)}: there is no index ${at} among the ${extent} of that axis.`,
        );
  },
  build(b, [x], attrs) {
    const { shape } = b.typeOf(x!);
    const axis = normalAxis(numberOf(attrs["dim"], 0), shape.length);
    const at = normalAxis(numberOf(attrs["index"], 0), shape[axis] ?? 0);
    const one = b.op("one", "slice", [x!], { start: [at], stop: [at + 1], step: null, axes: [axis] });
    return b.op("selected", "squeeze", [one], { axes: [axis] });
  },
});
