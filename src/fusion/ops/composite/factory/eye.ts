import { composite } from "../../compose";
import { checkDtype, dtypeNamed, optionalDtype } from "../../dtypes";
import { diagonalMask } from "../../factories";
import { numberOf } from "../../shapes";

export const eye = composite({
  name: "eye",
  doc: {
    formula: "row = column",
    teaches: "A comparison of two indices; its reader computes it instead of loading it.",
  },
  params: [
    { names: ["n", "N"], kind: "int", doc: "Rows." },
    { names: ["m", "M"], kind: "int", default: null, doc: "Columns; as many as rows when left out." },
    { names: ["k"], kind: "int", default: 0, doc: "Which diagonal; positive ones are above the main one." },
    optionalDtype("f32 when left out."),
  ],
  check: (_inputs, attrs) => checkDtype(attrs),
  build(b, _inputs, attrs) {
    const rows = numberOf(attrs["n"], 1);
    const mask = diagonalMask(b, rows, numberOf(attrs["m"], rows), numberOf(attrs["k"], 0));
    return b.op("ones", "cast", [mask], { dtype: dtypeNamed(attrs) ?? "f32" });
  },
});
