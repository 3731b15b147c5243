/** @file Maker of scans: every element becomes the fold of those up to itself along one axis. */
import type { Derivative, OpDef, Param } from "./define";
import { ONE_TENSOR } from "./families";
import { checkAxes, fine, normalAxis, numberOf } from "./shapes";

const AXIS: Param = { names: ["axis", "dim"], kind: "axis", default: -1, doc: "The axis along which it runs." };
const EXCLUSIVE: Param = {
  names: ["exclusive"],
  kind: "bool",
  default: false,
  doc: "Leaves out the element itself.",
};
const REVERSE: Param = { names: ["reverse"], kind: "bool", default: false, doc: "From the end." };

export interface ScanSpec extends Pick<
  OpDef,
  "name" | "jax" | "doc" | "indices" | "keeps" | "rowWithoutAxis" | "saysAxisInTorch"
> {
  /** The reduction that the last element is the result of. */
  readonly fold: OpDef;
  /** Whether a call may leave the element itself out; where it may not, nothing needs an identity. */
  readonly exclusive: boolean;
  readonly derivative?: Derivative;
}

/** Walks one axis and keeps what it has folded so far: shape and dtype are those of the folded operand. */
export const scan = ({ fold, exclusive, derivative, ...names }: ScanSpec): OpDef => ({
  ...names,
  kind: "scan",
  params: [ONE_TENSOR, AXIS, ...(exclusive ? [EXCLUSIVE] : []), REVERSE],
  infer([x], attrs, names = ["x"]) {
    const bad = checkAxes(numberOf(attrs["axis"], -1), x!.shape, names[0] ?? "x");
    return bad ?? fine({ dtype: fold.operandTypes!([x!.dtype], attrs)[0]!, shape: x!.shape });
  },
  operandTypes: (inputs, attrs) => fold.operandTypes!(inputs, attrs),
  weightedFlops: fold.weightedFlops,
  expensive: true,
  tolerance: fold.tolerance,
  ...(derivative ? { derivative } : {}),
  scan: {
    axis: (attrs, input) => normalAxis(numberOf(attrs["axis"], -1), input.length),
    fold,
    reverse: (attrs) => attrs["reverse"] === true,
    exclusive: (attrs) => attrs["exclusive"] === true,
  },
});
