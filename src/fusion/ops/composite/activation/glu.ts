import { showShape } from "../../../ir";
import { AXIS, composite } from "../../compose";
import { ONE_TENSOR } from "../../families";
import { checkAxes, normalAxis, numberOf, wrong } from "../../shapes";

export const glu = composite({
  name: "glu",
  doc: {
    formula: "a · σ(b), x = [a, b]",
    teaches: "Each half is read in place, so neither is copied.",
  },
  params: [ONE_TENSOR, AXIS],
  check([x], attrs, names) {
    const bad = checkAxes(numberOf(attrs["axis"], -1), x!.shape, names[0]!);
    if (bad || x!.shape[normalAxis(numberOf(attrs["axis"], -1), x!.shape.length)]! % 2 === 0) return bad;
    return wrong(
      "shape-mismatch",
      `${names[0]} is ${showShape(x!.shape)}: glu halves an axis, so its size must be even.`,
    );
  },
  build(b, [x], attrs) {
    const { shape } = b.typeOf(x!);
    const axis = normalAxis(numberOf(attrs["axis"], -1), shape.length);
    const middle = Math.floor((shape[axis] ?? 0) / 2);
    const half = (part: string, start: number) =>
      b.op(part, "slice", [x!], { start: [start], stop: [start + middle], step: null, axes: [axis] });
    return b.op("gated", "mul", [half("value", 0), b.op("gate", "sigmoid", [half("gates", middle)])]);
  },
});
