import { showShape } from "../../ir";
import type { OpDef } from "../define";
import { EXACT, tensor } from "../families";
import { gatherVjp } from "../gather-vjp";
import { checkAxes, fine, indexing, normalAxis, numberOf, wrong } from "../shapes";

/** Elements at indices that are data: the only primitive whose addresses nobody knows before it runs. */
export const gather: OpDef = {
  name: "gather",
  kind: "gather",
  withAxisFirst: "gather_elements",
  doc: {
    formula: "x[…, index, …]",
    teaches: "Loads the index and then the element, so only the selected elements are loaded.",
  },
  params: [
    tensor(["x", "input", "a", "data"], "Where the elements are."),
    tensor(["index", "indices"], "Indices along the axis; those out of range are clamped."),
    { names: ["axis", "dim"], kind: "axis", default: 0, doc: "The axis that is indexed." },
  ],
  chosen: indexing(1, 0, "axis"),
  infer([x, index], attrs, names = ["x", "index"]) {
    const axis = numberOf(attrs["axis"], 0);
    const bad = checkAxes(axis, x!.shape, names[0] ?? "x");
    if (bad) return bad;
    const at = normalAxis(axis, x!.shape.length);
    const shape = [...x!.shape.slice(0, at), ...index!.shape, ...x!.shape.slice(at + 1)];
    if (x!.shape[at] === 0 && !shape.includes(0)) {
      return wrong(
        "shape-mismatch",
        `${names[0]} is ${showShape(x!.shape)}: there is no element to take along axis ${at}.`,
      );
    }
    return fine({ dtype: x!.dtype, shape });
  },
  operandTypes: ([x]) => [x!, "i32"],
  weightedFlops: 0,
  derivative: { vjp: gatherVjp },
  expensive: true,
  tolerance: EXACT,
  gather: {
    axis: (attrs, x) => normalAxis(numberOf(attrs["axis"], 0), x.length),
  },
};
