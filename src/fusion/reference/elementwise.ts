import type { DType, Node, TensorType } from "../ir";
import { sizeOf } from "../ir";
import { opDef, type LoopMeaning, type ScalarMeaning } from "../ops";
import { roundingOf, type Precision } from "./rounding";
import { eachRow, mergedWalk, stridesIn } from "./strided-loops";

/** The rule of an elementwise or random op; integers where it has one for them. What a loop computes on its way is rounded as well. */
export function ruleOf(node: Node, precision: Precision = "f64"): (args: readonly number[]) => number {
  const { scalar, loop } = opDef(node.op) as { scalar: ScalarMeaning; loop?: LoopMeaning };
  const { attrs } = node;
  if (loop) {
    const change = (value: number, dtype: DType): number => roundingOf(dtype, precision)(value);
    return (args) => loop.run(args, attrs, precision === "f64" ? null : change);
  }
  const isWhole = node.type.dtype === "i32" && scalar.int !== undefined;
  return isWhole ? (args) => scalar.int!(args, attrs) : (args) => scalar.js(args, attrs);
}

/** Values of an elementwise op; operands broadcast. */
export function evaluateElementwise(
  node: Node,
  inputs: readonly ArrayLike<number>[],
  types: readonly TensorType[],
  precision: Precision,
): Float64Array {
  const { shape } = node.type;
  const out = new Float64Array(sizeOf(shape));
  const rule = ruleOf(node, precision);
  const round = roundingOf(node.type.dtype, precision);
  const walk = mergedWalk(shape, [stridesIn(shape, shape), ...types.map((type) => stridesIn(type.shape, shape))]);
  const count = walk.extents.at(-1)!;
  const steps = walk.strides.map((own) => own.at(-1)!);
  const usesIndex = opDef(node.op).scalar!.usesIndex === true;
  const args = inputs.map(() => 0);
  if (usesIndex) args.push(0);
  const [first, second] = inputs;
  eachRow(walk, (offsets) => {
    const [to, from = 0, other = 0] = offsets;
    const [, step = 0, otherStep = 0] = steps;
    for (let i = 0; i < count; i++) {
      if (first) args[0] = first[from + i * step]!;
      if (second) args[1] = second[other + i * otherStep]!;
      for (let k = 2; k < inputs.length; k++) args[k] = inputs[k]![offsets[k + 1]! + i * steps[k + 1]!]!;
      if (usesIndex) args[inputs.length] = to! + i;
      out[to! + i] = round(rule(args));
    }
  });
  return out;
}
