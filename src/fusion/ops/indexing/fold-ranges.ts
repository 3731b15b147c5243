import { showShape, type Attrs } from "../../ir";
import type { OpDef } from "../define";
import { tensor } from "../families";
import { sum } from "../reduce/sum";
import { checkAxes, fine, normalAxis, numberOf, wrong } from "../shapes";

const FOLDS: ReadonlySet<string> = new Set(["sum", "prod", "max", "min"]);
const foldOf = ({ fold }: Attrs): string => String(fold ?? "sum");

/** Folds of ranges of a list of rows: what remains of a scatter once its updates are in the order of their indices. */
export const foldRanges: OpDef = {
  name: "fold_ranges",
  internal: true,
  kind: "ranges",
  doc: {
    formula: "y[n, …] = Σ x[order[i], …], starts[n] ≤ i < stops[n]; or Π, max, min",
    teaches: "Each update is read once, by the one result that it belongs to, in a fixed order.",
  },
  params: [
    tensor(["x"], "Rows."),
    tensor(["order"], "Which rows, one range after the other."),
    tensor(["starts"], "Where each range starts in the order."),
    tensor(["stops"], "Where it stops: the first that it no longer has."),
    { names: ["axis", "dim"], kind: "axis", default: 0, doc: "The axis of x along which rows are numbered." },
    { names: ["fold"], kind: "string", default: "sum", doc: "sum, prod, max or min." },
  ],
  infer([x, order, starts, stops], attrs, names = ["x", "order", "starts", "stops"]) {
    const bad = checkAxes(numberOf(attrs["axis"], 0), x!.shape, names[0]!);
    if (bad) return bad;
    if (!FOLDS.has(foldOf(attrs)))
      return wrong("bad-attr", `There is no fold ${JSON.stringify(foldOf(attrs))}; they are sum, prod, max and min.`);
    const lists = [order!, starts!, stops!];
    const long = lists.findIndex(({ shape }) => shape.length !== 1);
    if (long >= 0)
      return wrong("shape-mismatch", `${names[1 + long]} is ${showShape(lists[long]!.shape)}: it must have one axis.`);
    if (starts!.shape[0] !== stops!.shape[0])
      return wrong(
        "shape-mismatch",
        `${names[2]} is ${showShape(starts!.shape)} and ${names[3]} is ${showShape(stops!.shape)}: every range needs both.`,
      );
    const axis = normalAxis(numberOf(attrs["axis"], 0), x!.shape.length);
    return fine({ dtype: x!.dtype, shape: x!.shape.map((extent, i) => (i === axis ? starts!.shape[0]! : extent)) });
  },
  operandTypes: ([x]) => [x!, "i32", "i32", "i32"],
  weightedFlops: 1,
  expensive: true,
  tolerance: sum.tolerance,
  ranges: {
    axis: (attrs, x) => normalAxis(numberOf(attrs["axis"], 0), x.length),
    fold: foldOf,
  },
};
