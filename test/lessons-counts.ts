/** @file What each example and each variant is there to show, in counts at size M. Every one of them has a row. */
import type { ReasonCode } from "../src/fusion/ir";

export type Pair = readonly [naive: number, fused: number];

export interface Counts {
  readonly kernels: Pair;
  /** Every (kernel, tensor) event. */
  readonly all: Pair;
  /** Those of full size. */
  readonly full: Pair;
  /** Codes that must be among the decisions. */
  readonly codes?: readonly ReasonCode[];
  /** The fused counts are upper bounds: no chapter says what they should be. */
  readonly atMost?: true;
}

const counts = (kernels: Pair, all: Pair, full: Pair, more: Omit<Counts, "kernels" | "all" | "full"> = {}): Counts => ({
  kernels,
  all,
  full,
  ...more,
});
const atMost = true;

export const expected: Readonly<Record<string, Counts>> = {
  // 000: memory is the bottleneck
  "ln-relu": counts([11, 1], [27, 4], [16, 2]),
  "ln-relu/statements": counts([5, 1], [15, 4], [8, 2]),
  "ln-relu/calls": counts([2, 1], [6, 4], [4, 2]),
  "gelu-dropout-residual": counts([3, 1], [7, 3], [7, 3]),
  "gelu-dropout-residual/tanh": counts([3, 1], [7, 3], [7, 3]),
  "layer-norm": counts([10, 1], [25, 4], [14, 2]),
  "layer-norm/statements": counts([4, 1], [13, 4], [6, 2]),
  "layer-norm/three-passes": counts([10, 1], [25, 6], [14, 4]),
  "layer-norm/welford": counts([10, 1], [25, 5], [14, 3]),
  "layer-norm/subgroups": counts([10, 1], [25, 4], [14, 2]),
  "layer-norm/long-rows": counts([12, 1], [29, 6], [14, 4]),
  "layer-norm-gelu": counts([12, 1], [30, 5], [19, 3]),
  "masked-lanes": counts([15, 2], [33, 6], [18, 4]),
  "masked-lanes/1000": counts([15, 2], [33, 6], [18, 4]),
  "masked-lanes/1024": counts([15, 1], [33, 4], [18, 2]),
  "masked-lanes/mended": counts([18, 2], [39, 6], [20, 4]),
  "dropout-softmax": counts([6, 1], [14, 2], [10, 2]),
  "dropout-softmax/calls": counts([2, 1], [4, 2], [4, 2]),
  "attention-scores": counts([5, 2], [12, 6], [8, 4], { codes: ["L_ROW_NOT_OWNED"], atMost }),
  swiglu: counts([2, 1], [5, 3], [5, 3]),
  "swiglu/primitives": counts([3, 1], [8, 3], [8, 3]),
  "swiglu/products": counts([4, 1], [11, 4], [11, 4]),
  "bias-dropout-add": counts([3, 1], [8, 4], [7, 3]),
  "rms-norm": counts([6, 1], [14, 3], [7, 2]),
  "square-matmul": counts([1, 1], [3, 3], [3, 3]),
  "matmul-softmax": counts([2, 2], [5, 5], [5, 5], { codes: ["L_ROW_NOT_OWNED"] }),
  // 001: operator fusion
  "matmul-bias-relu": counts([3, 1], [8, 4], [7, 3]),
  "matmul-softmax/narrow": counts([2, 1], [5, 3], [5, 3], { codes: ["A_BYTES"] }),
  "matmul-bias-relu/library": counts([3, 2], [8, 6], [7, 5], { codes: ["C_LIBRARY"] }),
  "conv-bn-relu": counts([3, 1], [11, 4], [6, 2]),
  "conv-bn-relu/training": counts([3, 2], [11, 9], [8, 6], { codes: ["L_NOT_CONST", "L_ROW_NOT_OWNED"], atMost }),
  "bias-gelu": counts([2, 1], [5, 3], [4, 2]),
  "bias-gelu/tanh": counts([2, 1], [5, 3], [4, 2]),
  "bias-gelu/written": counts([10, 1], [25, 3], [24, 2]),
  "flash-attention": counts([8, 2], [21, 11], [6, 0]),
  "scale-offset-power": counts([3, 1], [8, 4], [6, 2]),
  // 002: arithmetic intensity
  "l2-norm": counts([4, 1], [9, 2], [5, 2]),
  "linear-ln-gelu/narrow": counts([3, 1], [10, 6], [6, 2], { codes: ["A_BYTES"] }),
  "linear-ln-gelu": counts([3, 2], [10, 8], [7, 5], { codes: ["L_ROW_NOT_OWNED"] }),
  attention: counts([4, 1], [10, 4], [6, 0]),
  "attention/call": counts([9, 1], [22, 4], [12, 0]),
  "attention/causal": counts([15, 1], [35, 4], [16, 0]),
  "attention/strict": counts([4, 3], [10, 8], [6, 4], { codes: ["L_STRICT"] }),
  // 003: fusion and derivatives
  "log-exp": counts([3, 1], [6, 2], [6, 2]),
  "tanh-affine": counts([3, 1], [8, 4], [6, 2]),
  "mul-add": counts([2, 1], [6, 4], [6, 4]),
  "two-readers": counts([3, 1], [9, 6], [9, 6]),
  "two-readers/store": counts([3, 3], [9, 9], [9, 9], { codes: ["U_USER_BARRIER"] }),
  "two-readers/duplicate": counts([3, 2], [9, 8], [9, 8]),
  "two-readers/multi": counts([3, 1], [9, 6], [9, 6]),
  "jvp-mul": counts([4, 1], [12, 6], [12, 6]),
  "vjp-mul": counts([4, 1], [12, 7], [12, 7]),
  "dense-backward": counts([6, 3], [15, 10], [9, 6], { codes: ["C_PARALLELISM"], atMost }),
  "softmax-xent": counts([15, 1], [35, 3], [15, 2]),
  "softmax-xent/labels": counts([21, 1], [48, 4], [29, 2]),
  "softmax-xent/apart": counts([11, 1], [24, 3], [12, 2]),
  "saved-values": counts([9, 4], [20, 10], [16, 6], { atMost }),
  "saved-values/save": counts([9, 4], [20, 11], [16, 7], { codes: ["U_USER_BARRIER"], atMost }),
  "saved-values/invert": counts([11, 4], [24, 9], [20, 5], { atMost }),
  "sum-exp": counts([3, 2], [6, 4], [3, 1]),
  softmax: counts([5, 1], [12, 2], [8, 2]),
  "softmax/store": counts([3, 2], [7, 4], [5, 4], { codes: ["U_USER_BARRIER"] }),
  "softmax/recompute": counts([4, 2], [9, 5], [7, 3], { codes: ["U_USER_BARRIER"] }),
  "softmax/online": counts([5, 1], [12, 3], [8, 3]),
  "softmax/long-rows": counts([7, 1], [16, 4], [8, 4]),
  "scale-bias-relu": counts([3, 1], [8, 4], [6, 2]),
  "mul-add-relu": counts([3, 1], [6, 2], [6, 2]),
  "all-reduce": counts([4, 3], [10, 8], [10, 8], { codes: ["L_OPAQUE"] }),
  "all-reduce/alone": counts([3, 1], [8, 3], [8, 3]),
  "transpose-matmul": counts([4, 1], [10, 4], [9, 3]),
  // 004: intermediate tensors
  "log-relu": counts([3, 1], [7, 3], [7, 3]),
  "log-relu/vector": counts([3, 1], [7, 3], [6, 2]),
  "log-relu/scalar": counts([3, 1], [7, 3], [6, 2]),
  "unary-chain": counts([6, 1], [12, 2], [12, 2]),
  "batch-norm": counts([6, 1], [16, 6], [8, 2]),
  "batch-norm/training": counts([11, 1], [26, 6], [12, 4]),
  "matmul-max": counts([3, 1], [7, 3], [2, 0]),
  "linear-cross-entropy": counts([2, 2], [8, 7], [4, 0], { codes: ["A_BYTES"] }),
  "linear-cross-entropy/primitives": counts([9, 2], [23, 6], [7, 0], { codes: ["A_BYTES"] }),
  "linear-cross-entropy/strict": counts([2, 2], [8, 8], [4, 4], { codes: ["L_STRICT"] }),
  "splade-head": counts([5, 1], [12, 4], [8, 0]),
  // when fusion hurts
  overfuse: counts([62, 2], [154, 8], [154, 8], { codes: ["C_REGISTERS"], atMost }),
  "long-chain": counts([80, 2], [160, 4], [160, 4], { codes: ["C_CODE_SIZE"] }),
  "long-chain/larger": counts([80, 1], [160, 2], [160, 2]),
  "duplicate-expensive": counts([33, 2], [67, 5], [67, 5], { codes: ["C_RECOMPUTE"] }),
  "duplicate-expensive/forced": counts([33, 1], [67, 3], [67, 3], { codes: ["U_FORCE"] }),
  "duplicate-expensive/cheap": counts([2, 1], [5, 3], [5, 3]),
  "broadcast-recompute": counts([61, 2], [123, 5], [2, 2], { codes: ["C_RECOMPUTE"] }),
  "broadcast-recompute/forced": counts([61, 1], [123, 3], [2, 2], { codes: ["U_FORCE"] }),
  "library-matmul": counts([3, 2], [8, 6], [7, 5], { codes: ["C_LIBRARY"] }),
  "library-matmul/epilogue": counts([3, 1], [8, 4], [7, 3]),
  "against-the-grain": counts([3, 2], [7, 5], [6, 4], { codes: ["C_NEGATIVE"] }),
  "against-the-grain/forced": counts([3, 1], [7, 3], [6, 2], { codes: ["U_FORCE"] }),
  "one-workgroup": counts([3, 3], [7, 7], [3, 3], { codes: ["C_PARALLELISM"] }),
  "one-workgroup/forced": counts([3, 1], [7, 3], [3, 3], { codes: ["U_FORCE"] }),
  strict: counts([2, 1], [4, 2], [3, 1], { codes: ["L_STRICT"] }),
  "strict/fast": counts([2, 1], [4, 2], [3, 1]),
  // more to try
  scan: counts([3, 1], [7, 3], [6, 2]),
  "scan/softmax": counts([2, 1], [4, 2], [4, 2]),
  "scan/long-rows": counts([2, 1], [4, 2], [4, 2]),
  "scan/both-ways": counts([3, 2], [7, 5], [7, 5], { codes: ["L_INDEX"] }),
  "top-p": counts([10, 1], [24, 2], [20, 2]),
  "top-p/top-k": counts([7, 1], [16, 3], [10, 1]),
  "top-p/vocabulary": counts([2, 1], [4, 2], [3, 1]),
  mish: counts([5, 1], [11, 2], [11, 2]),
  "transpose-add": counts([2, 1], [5, 3], [5, 3]),
  "column-mean": counts([3, 3], [7, 7], [3, 3], { codes: ["C_PARALLELISM"], atMost }),
  function: counts([6, 1], [16, 4], [14, 2]),
};
