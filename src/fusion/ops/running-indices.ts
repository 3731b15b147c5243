/** @file Where a running maximum or minimum was met: what PyTorch answers beside its values. */
import type { Attrs, NodeId } from "../ir";
import type { GraphBuilder, Param } from "./define";
import { ONE_TENSOR } from "./families";
import { along } from "./linear-indices";
import { normalAxis, numberOf } from "./shapes";

/** As the scans are called; `reverse` walks from the end. */
export const RUNNING: readonly Param[] = [
  ONE_TENSOR,
  { names: ["axis", "dim"], kind: "axis", default: -1, doc: "The axis that is walked." },
];

/** The index of the last element up to each that is what `scan` has there; one that is no number counts too. */
export function buildRunningIndices(b: GraphBuilder, x: NodeId, attrs: Attrs, scan: "cummax" | "cummin"): NodeId {
  const { shape } = b.typeOf(x);
  const axis = normalAxis(numberOf(attrs["axis"], -1), shape.length);
  const best = b.op("best", scan, [x], { axis });
  const met = b.op("met", "or", [b.op("equal", "eq", [x, best]), b.op("nan", "ne", [x, x])]);
  const indices = along(b, "places", shape[axis]!, 1, axis, shape.length);
  const here = b.op("here", "where", [met, indices, b.scalar(0, "i32")]);
  return b.op("last", "cummax", [here], { axis });
}
