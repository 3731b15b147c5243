import { composite } from "../compose";
import type { DType } from "../../ir";
import { tensor } from "../families";
import { along } from "../linear-indices";
import { normalAxis, numberOf, wrong } from "../shapes";

export const oneHot = composite({
  name: "one_hot",
  jaxDefaults: { dtype: "f32" },
  doc: {
    formula: "index = 0, 1, 2 …",
    teaches: "A comparison with the class index: its reader computes it instead of loading it.",
  },
  params: [
    tensor(["index", "input", "x"], "Class of each element."),
    { names: ["num_classes", "depth"], kind: "int", doc: "How many classes." },
    { names: ["axis", "dim"], kind: "axis", default: -1, doc: "Where the classes stand in the result." },
    { names: ["dtype"], kind: "dtype", default: "i32", doc: "Of the ones and zeros." },
  ],
  chosen: (_, attrs) => ({ by: 0, of: null, extent: numberOf(attrs["num_classes"], 0) }),
  check([index], attrs) {
    const [axis, rank] = [numberOf(attrs["axis"], -1), index!.shape.length + 1];
    if (!(numberOf(attrs["num_classes"], 0) >= 1)) return wrong("bad-attr", "one_hot needs at least one class.");
    return axis >= -rank && axis < rank
      ? null
      : wrong("bad-axis", `one_hot has ${rank} axes; there is no axis ${axis}.`);
  },
  build(b, [index], attrs) {
    const rank = b.typeOf(index!).shape.length + 1;
    const axis = normalAxis(numberOf(attrs["axis"], -1), rank);
    const spread = b.op("spread", "unsqueeze", [index!], { axes: [axis] });
    const hot = b.op("hot", "eq", [spread, along(b, "classes", numberOf(attrs["num_classes"], 1), 1, axis, rank)]);
    return b.op("ones", "cast", [hot], { dtype: (attrs["dtype"] ?? "i32") as DType });
  },
});
