/** @file What isclose and allclose share. */
import type { Attrs, NodeId } from "../ir";
import type { GraphBuilder, Param } from "./define";
import { number } from "./families";

export const CLOSENESS: readonly Param[] = [
  number("rtol", 1e-5, "Allowed difference as a fraction of |b|."),
  number("atol", 1e-8, "What may differ besides."),
  { names: ["equal_nan"], kind: "bool", default: false, doc: "NaN is close to NaN." },
];

/** Equal, or a finite distance apart that the bound allows. */
export function buildClose(b: GraphBuilder, left: NodeId, right: NodeId, attrs: Attrs): NodeId {
  const apart = b.op("apart", "abs", [b.op("difference", "sub", [left, right])]);
  const share = b.op("share", "mul", [b.op("size", "abs", [right]), b.scalar(Number(attrs["rtol"]))]);
  const bound = b.op("bound", "add", [share, b.scalar(Number(attrs["atol"]))]);
  const within = b.op("within", "and", [
    b.op("near", "le", [apart, bound]),
    b.op("finite", "not", [b.op("endless", "is_inf", [right])]),
  ]);
  const close = b.op("close", "or", [b.op("equal", "eq", [left, right]), within]);
  if (attrs["equal_nan"] !== true) return close;
  const nans = b.op("nans", "and", [b.op("left_nan", "is_nan", [left]), b.op("right_nan", "is_nan", [right])]);
  return b.op("either", "or", [close, nans]);
}
