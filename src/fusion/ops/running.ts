/** @file Running folds: every element folds those up to itself, chosen by comparing two indices. */
import type { Attrs, NodeId } from "../ir";
import type { GraphBuilder, Param } from "./define";
import { along } from "./places";
import { normalAxis, numberOf } from "./shapes";

export const RUNNING: readonly Param[] = [
  { names: ["axis", "dim"], kind: "axis", default: -1, doc: "The axis that is walked." },
  { names: ["exclusive"], kind: "bool", default: false, doc: "The element itself does not count." },
  { names: ["reverse"], kind: "bool", default: false, doc: "From the end." },
];

/** fold over j of (j ≤ i ? x[j] : start) */
export function buildRunning(b: GraphBuilder, x: NodeId, attrs: Attrs, fold: "sum" | "prod", start: number): NodeId {
  const { dtype, shape } = b.typeOf(x);
  const axis = normalAxis(numberOf(attrs["axis"], -1), shape.length);
  const [extent, rank] = [shape[axis]!, shape.length + 1];
  const terms = b.op("terms", "unsqueeze", [x], { axes: [axis] });
  const [here, there] = [along(b, "result", extent, 1, axis, rank), along(b, "term", extent, 1, axis + 1, rank)];
  const strictly = attrs["exclusive"] === true;
  const compare = attrs["reverse"] === true ? (strictly ? "gt" : "ge") : strictly ? "lt" : "le";
  const counts = b.op("counts", compare, [there, here]);
  const kept = b.op("kept", "where", [counts, terms, b.scalar(start, dtype === "bool" ? "i32" : dtype)]);
  return b.op("running", fold, [kept], { axes: [axis + 1], keepdims: false });
}
