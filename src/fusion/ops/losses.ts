/** @file What the classification losses share: the target's column picked by comparing classes, weights, and how losses are averaged. */
import { showShape, type Attrs, type NodeId, type TensorType } from "../ir";
import type { Chosen, GraphBuilder, Param } from "./define";
import { number, tensor } from "./families";
import { isAbsent } from "./indices";
import { along } from "./linear-indices";
import { numberOf, wrong, type Failed } from "./shapes";

/** What was computed and what it should be, under either library's names. */
export const COMPARED: readonly Param[] = [
  tensor(["a", "input", "x", "predictions", "logits"], "What was computed."),
  tensor(["b", "target", "y", "targets", "labels"], "What it should be."),
];

export const REDUCED: Param = { names: ["reduction"], kind: "string", default: "mean", doc: "mean, sum or none." };

/** mean, sum or none. */
export function checkReduced(
  _inputs: readonly (TensorType | null)[],
  attrs: Attrs,
  _names: readonly string[],
): Failed | null {
  if (["mean", "sum", "none", null, undefined].includes(attrs["reduction"] as string | null)) return null;
  return wrong("bad-attr", `There is no reduction ${JSON.stringify(attrs["reduction"])}; they are mean, sum and none.`);
}

/** What the reduction makes of a loss for each element. */
export function reduced(b: GraphBuilder, losses: NodeId, attrs: Attrs): NodeId {
  const whole = { axes: null, keepdims: false };
  if (attrs["reduction"] === "none") return losses;
  return attrs["reduction"] === "sum" ? b.op("total", "sum", [losses], whole) : b.op("mean", "mean", [losses], whole);
}

/** max(x, 0) − x y + ln(1 + e^−|x|); a weight of the positive class scales what y says. */
export function logitLosses(b: GraphBuilder, x: NodeId, y: NodeId, positive: NodeId | null): NodeId {
  const { dtype } = b.typeOf(x);
  const one = b.scalar(1, dtype);
  const tail = b.op("tail", "log1p", [b.op("exp", "exp", [b.op("below", "neg", [b.op("size", "abs", [x])])])]);
  if (positive === null) {
    const above = b.op("above", "sub", [b.op("relu", "relu", [x]), b.op("said", "mul", [x, y])]);
    return b.op("losses", "add", [above, tail]);
  }
  const scale = b.op("scale", "add", [one, b.op("more", "mul", [b.op("extra", "sub", [positive, one]), y])]);
  const cost = b.op("cost", "add", [tail, b.op("under", "relu", [b.op("negated", "neg", [x])])]);
  const no = b.op("no", "mul", [b.op("rest", "sub", [one, y]), x]);
  return b.op("losses", "add", [no, b.op("scaled", "mul", [scale, cost])]);
}

export const LOSS: readonly Param[] = [
  { names: ["ignore_index"], kind: "int", default: null, doc: "Targets of this class cost nothing." },
  REDUCED,
];

export const SMOOTHING = number("label_smoothing", 0, "Fraction of the target that is spread over all classes.");

/** Whether the target gives a share for every class instead of one class for each row. */
export const isShared = (x: TensorType, target: TensorType): boolean =>
  target.shape.join() === x.shape.join() && (target.dtype === "f32" || target.dtype === "f16");

/** The class of each row, where the target is no share of every class. */
export const chosenClass = ([x, target]: readonly (TensorType | null)[], attrs: Attrs): Chosen | null =>
  !x || !target || isShared(x, target)
    ? null
    : {
        by: 1,
        of: null,
        extent: x.shape[x.shape.length > 1 ? 1 : 0]!,
        ...(typeof attrs["ignore_index"] === "number" && { none: attrs["ignore_index"] }),
      };

/** x [N, C, d…], target [N, d…] (or x [C] and one target), weight [C]. */
export function checkLoss(
  [x, target, weight]: readonly (TensorType | null)[],
  attrs: Attrs,
  names: readonly string[],
): Failed | null {
  const [a, b] = [x!.shape, target!.shape];
  const axis = a.length > 1 ? 1 : 0;
  if (target!.dtype.startsWith("f") && b.length < a.length)
    return wrong(
      "bad-operand",
      `${names[1]} is ${target!.dtype}: a target names one class for each row, by a whole number, or a share of ${names[0]}'s shape for every class; write ${names[1]}.long().`,
    );
  const both = `${names[0]} is ${showShape(a)}, ${names[1]} is ${showShape(b)}`;
  if (a.length === 0 || b.join() !== a.filter((_, i) => i !== axis).join())
    return wrong(
      "shape-mismatch",
      `${both}: the target names one class for each row, so it has every axis but the classes'.`,
    );
  if (weight && weight.shape.join() !== String(a[axis]))
    return wrong(
      "shape-mismatch",
      `${names[2]} is ${showShape(weight.shape)}: it needs one number for each of the ${a[axis]} classes.`,
    );
  return checkReduced([], attrs, names);
}

/** −Σ weight · y · logp over the classes, averaged over the rows; a share of y is spread over all classes first. */
export function sharedLoss(b: GraphBuilder, logp: NodeId, y: NodeId, weight: NodeId | null, attrs: Attrs): NodeId {
  const { shape, dtype } = b.typeOf(logp);
  const axis = shape.length > 1 ? 1 : 0;
  const spread = numberOf(attrs["label_smoothing"], 0);
  const own = spread === 0 ? y : b.op("own", "mul", [y, b.scalar(1 - spread, dtype)]);
  const share = spread === 0 ? own : b.op("share", "add", [own, b.scalar(spread / shape[axis]!, dtype)]);
  const product = b.op("product", "mul", [share, logp]);
  const each =
    weight === null
      ? null
      : b.op("each", "reshape", [weight], { shape: shape.map((extent, i) => (i === axis ? extent : 1)) });
  const weighted = each === null ? product : b.op("weighted", "mul", [product, each]);
  return reduced(b, b.op("losses", "neg", [b.op("sum", "sum", [weighted], { axes: [axis], keepdims: false })]), attrs);
}

/** −Σ weight · logp[target] over what is not ignored. `logp` may carry −∞ outside the target's class: it is never added. */
export function pickedLoss(b: GraphBuilder, logp: NodeId, target: NodeId, weight: NodeId | null, attrs: Attrs): NodeId {
  const { shape, dtype } = b.typeOf(logp);
  const axis = shape.length > 1 ? 1 : 0;
  const classes = along(b, "classes", shape[axis]!, 1, axis, shape.length);
  const named = b.op("label", "unsqueeze", [target], { axes: [axis] });
  const here = b.op("is_label", "eq", [named, classes]);
  const zero = b.scalar(0, dtype);
  const fold = { axes: [axis], keepdims: false };
  const spread = numberOf(attrs["label_smoothing"], 0);
  const each =
    weight === null
      ? null
      : b.op("each", "reshape", [weight], { shape: shape.map((extent, i) => (i === axis ? extent : 1)) });
  const cost = b.op("cost", "neg", [logp]);
  const weighted = each === null ? cost : b.op("weighted", "mul", [cost, each]);
  const picked = b.op("picked", "sum", [b.op("chosen", "where", [here, weighted, zero])], fold);
  const ignored = isAbsent(attrs["ignore_index"])
    ? null
    : b.op("ignored", "eq", [target, b.scalar(numberOf(attrs["ignore_index"], 0), "i32")]);
  const smoothed =
    spread === 0
      ? picked
      : b.op("smoothed", "add", [
          b.op("own", "mul", [picked, b.scalar(1 - spread, dtype)]),
          b.op("others", "mul", [b.op("all", "sum", [weighted], fold), b.scalar(spread / shape[axis]!, dtype)]),
        ]);
  const losses = ignored === null ? smoothed : b.op("losses", "where", [ignored, zero, smoothed]);
  if (attrs["reduction"] === "none") return losses;
  const whole = { axes: null, keepdims: false };
  if (attrs["reduction"] === "sum") return b.op("total", "sum", [losses], whole);
  if (each === null && ignored === null) return b.op("average", "mean", [losses], whole);
  const shares = each === null ? null : b.op("share", "sum", [b.op("shares", "where", [here, each, zero])], fold);
  const one = shares ?? b.scalar(1, dtype);
  const counted = ignored === null ? shares! : b.op("counted", "where", [ignored, zero, one]);
  return b.op("average", "div", [b.op("total", "sum", [losses], whole), b.op("count", "sum", [counted], whole)]);
}
