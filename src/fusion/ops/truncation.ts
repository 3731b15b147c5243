/** @file Rounding towards 0: what trunc and frac share. */
import type { NodeId } from "../ir";
import type { GraphBuilder } from "./define";

/** floor where x is positive, ceil where it is not. */
export function buildTrunc(b: GraphBuilder, x: NodeId): NodeId {
  const positive = b.op("positive", "gt", [x, b.scalar(0, b.typeOf(x).dtype)]);
  return b.op("whole", "where", [positive, b.op("floor", "floor", [x]), b.op("ceil", "ceil", [x])]);
}
