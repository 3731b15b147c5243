import type { Attrs } from "../../../ir";
import { composite } from "../../compose";
import { checkDtype, dtypeNamed, optionalDtype } from "../../dtypes";
import { numberOf, wrong } from "../../shapes";

/** The first number, the step and how many there are. */
function spaced(attrs: Attrs): { readonly start: number; readonly by: number; readonly steps: number } {
  const [start, stop, steps] = [numberOf(attrs["start"], 0), numberOf(attrs["stop"], 1), numberOf(attrs["steps"], 50)];
  return { start, by: (stop - start) / Math.max(1, attrs["endpoint"] === false ? steps : steps - 1), steps };
}

export const linspace = composite({
  name: "linspace",
  doc: {
    formula: "start + i · (stop − start) / (steps − 1)",
    teaches: "Computed from the index where it is needed, which is cheaper than loading it.",
  },
  params: [
    { names: ["start"], kind: "float", doc: "The first number." },
    { names: ["stop", "end"], kind: "float", doc: "The last number." },
    { names: ["steps", "num"], kind: "int", default: 50, doc: "How many numbers." },
    { names: ["endpoint"], kind: "bool", default: true, doc: "False: the last number is left out." },
    optionalDtype("f32 when left out."),
  ],
  numbers(attrs) {
    const { start, by, steps } = spaced(attrs);
    return Array.from({ length: steps }, (_, i) => start + i * by);
  },
  check(_inputs, attrs) {
    const bad = checkDtype(attrs);
    if (bad || numberOf(attrs["steps"], 50) >= 0) return bad;
    return wrong("bad-attr", `linspace makes 0 numbers or more; ${numberOf(attrs["steps"], 50)} are asked for.`);
  },
  build(b, _inputs, attrs) {
    const { start, by, steps } = spaced(attrs);
    const count = b.op("count", "iota", [], { start: 0, stop: steps, step: 1, dtype: "f32" });
    const numbers = b.op("numbers", "add", [b.op("steps", "mul", [count, b.scalar(by)]), b.scalar(start)]);
    const dtype = dtypeNamed(attrs) ?? "f32";
    return dtype === "f32" ? numbers : b.op("cast", "cast", [numbers], { dtype });
  },
});
