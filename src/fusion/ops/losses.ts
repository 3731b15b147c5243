/** @file What the classification losses share: the target's column picked by comparing classes, weights, and how losses are averaged. */
import { showShape, type Attrs, type NodeId, type TensorType } from "../ir";
import type { GraphBuilder, Param } from "./define";
import { isAbsent } from "./indices";
import { along } from "./places";
import { numberOf, wrong, type Failed } from "./shapes";

export const LOSS: readonly Param[] = [
  { names: ["ignore_index"], kind: "int", default: null, doc: "Targets of this class cost nothing." },
  { names: ["reduction"], kind: "string", default: "mean", doc: "mean, sum or none." },
];

/** x [N, C, d…], target [N, d…] (or x [C] and one target), weight [C]. */
export function checkLoss(
  [x, target, weight]: readonly (TensorType | null)[],
  attrs: Attrs,
  names: readonly string[],
): Failed | null {
  const [a, b] = [x!.shape, target!.shape];
  const axis = a.length > 1 ? 1 : 0;
  const both = `${names[0]} is ${showShape(a)}, ${names[1]} is ${showShape(b)}`;
  if (a.length === 0 || b.join() !== a.filter((_, i) => i !== axis).join())
    return wrong(
      "shape-mismatch",
      `${both}: the target names one class for each row, so it has every axis but the classes'.`,
    );
  if (weight && weight.shape.join() !== String(a[axis]))
    return wrong("shape-mismatch", `${names[2]} is ${showShape(weight.shape)}: it needs one number for each of the ${a[axis]} classes.`); // prettier-ignore
  if (["mean", "sum", "none", null, undefined].includes(attrs["reduction"] as string | null)) return null;
  return wrong("bad-attr", `There is no reduction ${JSON.stringify(attrs["reduction"])}; they are mean, sum and none.`);
}

/** −Σ weight · logp[target] over what is not ignored. `logp` may carry −∞ outside the target's class: it is never added. */
export function pickedLoss(b: GraphBuilder, logp: NodeId, target: NodeId, weight: NodeId | null, attrs: Attrs): NodeId {
  const { shape, dtype } = b.typeOf(logp);
  const axis = shape.length > 1 ? 1 : 0;
  const classes = along(b, "classes", shape[axis]!, 1, axis, shape.length);
  const named = b.op("named", "unsqueeze", [target], { axes: [axis] });
  const here = b.op("here", "eq", [named, classes]);
  const zero = b.scalar(0, dtype);
  const fold = { axes: [axis], keepdims: false };
  const each = weight === null ? null : b.op("each", "reshape", [weight], { shape: shape.map((extent, i) => (i === axis ? extent : 1)) }); // prettier-ignore
  const cost = b.op("cost", "neg", [logp]);
  const weighted = each === null ? cost : b.op("weighted", "mul", [cost, each]);
  const picked = b.op("picked", "sum", [b.op("chosen", "where", [here, weighted, zero])], fold);
  const ignored = isAbsent(attrs["ignore_index"]) ? null : b.op("ignored", "eq", [target, b.scalar(numberOf(attrs["ignore_index"], 0), "i32")]); // prettier-ignore
  const losses = ignored === null ? picked : b.op("losses", "where", [ignored, zero, picked]);
  if (attrs["reduction"] === "none") return losses;
  const whole = { axes: null, keepdims: false };
  if (attrs["reduction"] === "sum") return b.op("total", "sum", [losses], whole);
  if (each === null && ignored === null) return b.op("average", "mean", [losses], whole);
  const shares = each === null ? null : b.op("share", "sum", [b.op("shares", "where", [here, each, zero])], fold);
  const one = shares ?? b.scalar(1, dtype);
  const counted = ignored === null ? shares! : b.op("counted", "where", [ignored, zero, one]);
  return b.op("average", "div", [b.op("total", "sum", [losses], whole), b.op("count", "sum", [counted], whole)]);
}
