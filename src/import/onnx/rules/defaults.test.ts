/** @file Attributes at the values that the ONNX specification gives them are read: none is refused as unknown where its mode does not need it. */
import { expect, test } from "vitest";
import { importModel } from "../import-model";
import type { OnnxTensor } from "../model";
import { graph, node, type Told } from "./testing";

/** Operands by name: shapes of those that come in, and numbers of those that are known (`#`). */
const COMING: Readonly<Record<string, readonly number[]>> = {
  x: [2, 2],
  w: [2, 2],
  y: [2, 2],
  i: [1, 4, 4, 4],
  v: [4],
  u: [2],
  k: [4, 4, 2, 2],
  g: [1, 2, 2, 2],
  q: [1, 2, 4],
  q4: [1, 1, 2, 4],
  cs: [1, 2, 2],
  s: [2, 1, 3],
  gw: [1, 9, 3],
  gr: [1, 9, 3],
  lw: [1, 12, 3],
  lr: [1, 12, 3],
  rw: [1, 3, 3],
  rr: [1, 3, 3],
  c: [1, 4, 4],
  roi: [1, 4],
  roi5: [1, 5],
  sc: [],
  bx: [1, 1, 4],
  sx: [1, 1, 1],
  sig: [1, 8, 1],
  dft: [1, 4, 1],
  x1: [1, 2],
  o: [2],
};
const KNOWN: Readonly<Record<string, readonly [dims: readonly number[], numbers: readonly number[]]>> = {
  "#0": [[], [0]],
  "#z": [
    [2, 2],
    [0, 0, 1, 1],
  ],
  "#t": [[2], [0, 1]],
  "#d": [[], [3]],
  "#p": [[4], [0, 0, 0, 0]],
  "#s": [[2], [2, 2]],
  "#r": [[4], [1, 4, 8, 8]],
  "#n": [
    [2, 1],
    [0, 1],
  ],
  "#k": [[1], [2]],
  "#u": [[4], [1, 1, 2, 2]],
  "#i5": [[2], [3, 3]],
  "#b": [[2], [2, 2]],
  "#b0": [[1], [0]],
  "#two": [[2], [2, 2]],
};

/** One line a node: its op, its operands and its attributes (with a point: a float). */
const NODES = `
  ArgMax x axis=0 keepdims=1 select_last_index=0
  AveragePool i auto_pad="NOTSET" ceil_mode=0 count_include_pad=0 dilations=[1,1] kernel_shape=[2,2] pads=[0,0,0,0] strides=[1,1]
  BatchNormalization i,v,v,v,v epsilon=1e-5 momentum=.9 training_mode=0
  Cast x to=1 saturate=1 round_mode="up"
  CastLike x,x saturate=1 round_mode="up"
  Celu x alpha=1.
  Concat x,x axis=1
  Conv i,k auto_pad="NOTSET" dilations=[1,1] group=1 kernel_shape=[2,2] pads=[0,0,0,0] strides=[1,1]
  ConvTranspose i,k auto_pad="NOTSET" dilations=[1,1] group=1 kernel_shape=[2,2] output_padding=[0,0] pads=[0,0,0,0] strides=[1,1]
  CumSum x,#0 exclusive=0 reverse=0
  DepthToSpace i blocksize=2 mode="DCR"
  Dropout x seed=0
  Elu x alpha=1.
  EyeLike x dtype=1 k=0
  Flatten x axis=1
  Gather x,#0 axis=0
  GatherElements x,#z axis=0
  Gelu x approximate="none"
  Gemm x,w alpha=1. beta=1. transA=0 transB=0
  GlobalLpPool i p=2
  GridSample i,g align_corners=0 mode="linear" padding_mode="zeros"
  GroupNormalization i,v,v epsilon=1e-5 num_groups=4 stash_type=1
  HardSigmoid x alpha=.2 beta=.5
  Hardmax x axis=-1
  InstanceNormalization i,v,v epsilon=1e-5
  IsInf x detect_negative=1 detect_positive=1
  LRN i alpha=1e-4 beta=.75 bias=1. size=3
  LayerNormalization x,u axis=-1 epsilon=1e-5 stash_type=1
  LeakyRelu x alpha=.01
  LogSoftmax x axis=-1
  LpNormalization x axis=-1 p=2
  LpPool i auto_pad="NOTSET" ceil_mode=0 dilations=[1,1] kernel_shape=[2,2] p=2 pads=[0,0,0,0] strides=[1,1]
  MaxPool i auto_pad="NOTSET" ceil_mode=0 dilations=[1,1] kernel_shape=[2,2] pads=[0,0,0,0] storage_order=0 strides=[1,1]
  MeanVarianceNormalization i axes=[0,2,3]
  Mod x,x fmod=0
  NegativeLogLikelihoodLoss x,#t ignore_index=-100 reduction="mean"
  SoftmaxCrossEntropyLoss x,#t ignore_index=-100 reduction="mean"
  OneHot #t,#d,o axis=-1
  Pad x,#p mode="constant"
  RMSNormalization x,u axis=-1 epsilon=1e-5 stash_type=1
  ReduceSum x keepdims=1 noop_with_empty_axes=0
  ReduceMax x keepdims=1 noop_with_empty_axes=0
  ReduceLogSumExp x keepdims=1 noop_with_empty_axes=0
  Reshape x,#s allowzero=0
  Resize i,,,#r antialias=0 coordinate_transformation_mode="half_pixel" cubic_coeff_a=-.75 exclude_outside=0 extrapolation_value=0. keep_aspect_ratio_policy="stretch" mode="nearest" nearest_mode="round_prefer_floor"
  Resize i,,,#r antialias=0 coordinate_transformation_mode="half_pixel" cubic_coeff_a=-.75 exclude_outside=0 extrapolation_value=0. keep_aspect_ratio_policy="stretch" mode="linear" nearest_mode="round_prefer_floor"
  Resize i,,,#r antialias=0 coordinate_transformation_mode="half_pixel" cubic_coeff_a=-.75 exclude_outside=0 extrapolation_value=0. keep_aspect_ratio_policy="stretch" mode="cubic" nearest_mode="round_prefer_floor"
  ScatterElements x,#z,y axis=0 reduction="none"
  ScatterND x,#n,y reduction="none"
  Selu x alpha=1.67 gamma=1.05
  Shape x start=0
  Shrink x bias=0. lambd=.5
  Softmax x axis=-1
  SpaceToDepth i blocksize=2
  Split x axis=0 num_outputs=2
  ThresholdedRelu x alpha=1.
  TopK x,#k axis=-1 largest=1 sorted=1
  Transpose x perm=[1,0]
  Trilu x upper=1
  Unique #t sorted=1
  Upsample i,#u mode="nearest"
  Attention q,q,q is_causal=0 kv_num_heads=1 q_num_heads=1 qk_matmul_output_mode=0 scale=1. softcap=0. softmax_precision=1
  RotaryEmbedding q4,cs,cs interleaved=0 num_heads=0 rotary_embedding_dim=0
  GRU s,gw,gr activation_alpha=[] activation_beta=[] direction="forward" hidden_size=3 layout=0 linear_before_reset=0
  LSTM s,lw,lr activation_alpha=[] activation_beta=[] direction="forward" hidden_size=3 input_forget=0 layout=0
  RNN s,rw,rr activation_alpha=[] activation_beta=[] direction="forward" hidden_size=3 layout=0
  Col2Im c,#i5,#b dilations=[1,1] pads=[0,0,0,0] strides=[1,1]
  RoiAlign i,roi,#b0 coordinate_transformation_mode="half_pixel" mode="avg" output_height=1 output_width=1 sampling_ratio=2 spatial_scale=1.
  MaxRoiPool i,roi5 pooled_shape=[1,1] spatial_scale=1.
  DequantizeLinear #t,sc axis=1 block_size=0 output_dtype=0
  HannWindow #k output_datatype=1 periodic=1
  ReverseSequence x,#two batch_axis=1 time_axis=0
  STFT sig,#k,,#k onesided=1
  DFT dft inverse=0 onesided=0
  Squeeze x1
  BitShift #t,#t direction="LEFT"
  QuantizeLinear x,sc axis=1 block_size=0 output_dtype=0 precision=0 saturate=1
  Swish x alpha=1.
`;

function attributeOf(text: string): Told[number] {
  const [name, value] = text.split("=") as [string, string];
  const said = JSON.parse(value.replace(/(^|[-[,])\./g, "$10.").replace(/\.$/, ".0")) as string | number | number[];
  if (typeof said === "string") return { name, s: said };
  if (Array.isArray(said)) return { name, ints: said };
  return /[.e]/.test(value) ? { name, f: said } : { name, i: said };
}
const CASES = NODES.trim()
  .split("\n")
  .map((line): readonly [op: string, operands: readonly string[], told: Told] => {
    const [op, operands, ...told] = line.trim().split(" ") as [string, string, ...string[]];
    return [op, operands.split(","), told.map(attributeOf)];
  });

test.each(CASES)("%s of %s", (op, operands, told) => {
  const initializers = operands.flatMap((name): OnnxTensor[] => {
    const [dims, numbers] = KNOWN[name] ?? [null, []];
    return dims
      ? [
          {
            name,
            dims,
            numbers,
            dataType: op === "Upsample" || (op === "Resize" && name === "#u") ? 1 : 7,
            raw: null,
            external: false,
          },
        ]
      : [];
  });
  const coming = Object.fromEntries(operands.flatMap((name) => (COMING[name] ? [[name, COMING[name]]] : [])));
  const main = graph([node(op, operands, ["result"], told)], coming, ["result"]);
  const { unsupported } = importModel({
    opsets: new Map([["", op === "Upsample" ? 9 : 23]]),
    functions: [],
    graph: { ...main, initializers },
  });
  expect(unsupported).toEqual([]);
});
