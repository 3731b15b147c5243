import { showShape } from "../../ir";
import { movement, ONE_TENSOR } from "../families";
import { padding } from "../derivatives";
import { modeOf, padAlongAxes, padSource, padTables, widthsOf } from "../padding";
import { fine, numberOf, numbersOf, wrong } from "../shapes";

export const pad = movement({
  name: "pad",
  doc: {
    formula: "x with a border",
    teaches: "Fused, the border is a condition on the index: it is never read from memory.",
  },
  params: [
    ONE_TENSOR,
    { names: ["pads", "pad", "pad_width"], kind: "ints", doc: "Pairs (before, after), the last axis first." },
    {
      names: ["mode"],
      kind: "string",
      default: "constant",
      doc: "constant, edge (replicate), reflect or wrap (circular).",
    },
    { names: ["value", "constant_values"], kind: "float", default: 0, doc: "What a constant border holds." },
  ],
  shape([x], attrs, [name]) {
    const pads = numbersOf(attrs["pads"]);
    const mode = modeOf(attrs);
    if (mode !== "constant" && mode !== "edge" && mode !== "reflect" && mode !== "wrap") {
      return wrong(
        "bad-attr",
        `pad has no mode ${JSON.stringify(attrs["mode"])}; the modes are constant, reflect, replicate (edge) and circular (wrap).`,
      );
    }
    if (pads.length % 2 === 1 || pads.length > 2 * x!.length) {
      return wrong(
        "bad-attr",
        `${name} is ${showShape(x!)}: pad takes up to ${x!.length} pairs (before, after); ${pads.length} numbers were given.`,
      );
    }
    const sides = widthsOf(attrs, x!.length);
    const shape = x!.map((extent, axis) => extent + sides[axis]!.left + sides[axis]!.right);
    const limit = (extent: number): number =>
      mode === "edge" ? (extent === 0 ? 0 : Infinity) : mode === "wrap" ? extent : extent - 1;
    const over =
      mode === "constant"
        ? -1
        : sides.findIndex(
            ({ left, right }, axis) => Math.min(left, right) < 0 || Math.max(left, right) > limit(x![axis]!),
          );
    if (over >= 0) {
      return wrong(
        "bad-attr",
        `${name} is ${showShape(x!)}: mode ${String(mode)} can add 0 to ${limit(x![over]!)} on a side of axis ${over}.`,
      );
    }
    return fine(shape);
  },
  derivative: padding,
  movement: {
    // Its attributes count from the last axis.
    batched: (attrs) => attrs,
    tables: ({ inputs: [x], attrs }) => padTables(x!, attrs),
    source: (out, { inputs: [x], attrs }, algebra) => padSource(out, x!, attrs, algebra),
    alongAxes: (out, { inputs: [x], attrs }, algebra) => padAlongAxes(out, x!, attrs, algebra),
    fill: (attrs) => numberOf(attrs["value"], 0),
  },
});
