import { sizeOf, type DType } from "../../ir";
import type { OpDef } from "../define";
import { EXACT } from "../families";
import { fine, numbersOf, wrong } from "../shapes";

const SOURCES = new Set(["randn", "uniform", "zeros", "ones", "arange", "values", "data"]);

/** Data that a run brings: `x: f32[8, 4]`. Its type is the node's own; `shape` and `dtype` attributes serve whoever has no annotation. */
export const input: OpDef = {
  name: "input",
  kind: "source",
  doc: { formula: "x: f32[n]", teaches: "It has to be loaded at least once; fusion can't remove this traffic." },
  params: [
    {
      names: ["role"],
      kind: "string",
      default: "input",
      doc: "input, param (a weight), const, or state (training replaces it).",
    },
    {
      names: ["source"],
      kind: "string",
      default: "randn",
      doc: "randn, uniform, zeros, ones, arange, values or data.",
    },
    {
      names: ["seed"],
      kind: "int",
      default: null,
      doc: "Of randn and uniform; from the name when left out. Beside it, randn may have a `mean` and a `std`.",
    },
    { names: ["lo"], kind: "float", default: 0, doc: "Lower end of uniform." },
    { names: ["hi"], kind: "float", default: 1, doc: "Upper end of uniform." },
    { names: ["values"], kind: "ints", default: null, doc: "The numbers themselves." },
    { names: ["set"], kind: "string", default: null, doc: "Of data: the data set." },
    { names: ["part"], kind: "string", default: null, doc: "Of data: what of its examples." },
  ],
  infer(_inputs, attrs) {
    const shape = numbersOf(attrs["shape"]);
    if (!SOURCES.has(String(attrs["source"]))) {
      return wrong(
        "bad-attr",
        `There is no data source ${String(attrs["source"])}; the sources are ${[...SOURCES].join(", ")}.`,
      );
    }
    const given = numbersOf(attrs["values"]).length;
    if (attrs["source"] === "values" && attrs["shape"] !== undefined && given !== sizeOf(shape)) {
      return wrong("bad-attr", `${given} values were given for ${sizeOf(shape)} elements.`);
    }
    return fine({ dtype: (attrs["dtype"] as DType | undefined) ?? "f32", shape });
  },
  weightedFlops: 0,
  expensive: false,
  tolerance: EXACT,
};
