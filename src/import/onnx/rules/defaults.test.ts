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

const CASES: readonly (readonly [op: string, operands: readonly string[], told: Told])[] = [
  [
    "ArgMax",
    ["x"],
    [
      { name: "axis", i: 0 },
      { name: "keepdims", i: 1 },
      { name: "select_last_index", i: 0 },
    ],
  ],
  [
    "AveragePool",
    ["i"],
    [
      { name: "auto_pad", s: "NOTSET" },
      { name: "ceil_mode", i: 0 },
      { name: "count_include_pad", i: 0 },
      { name: "dilations", ints: [1, 1] },
      { name: "kernel_shape", ints: [2, 2] },
      { name: "pads", ints: [0, 0, 0, 0] },
      { name: "strides", ints: [1, 1] },
    ],
  ],
  [
    "BatchNormalization",
    ["i", "v", "v", "v", "v"],
    [
      { name: "epsilon", f: 1e-5 },
      { name: "momentum", f: 0.9 },
      { name: "training_mode", i: 0 },
    ],
  ],
  [
    "Cast",
    ["x"],
    [
      { name: "to", i: 1 },
      { name: "saturate", i: 1 },
      { name: "round_mode", s: "up" },
    ],
  ],
  [
    "CastLike",
    ["x", "x"],
    [
      { name: "saturate", i: 1 },
      { name: "round_mode", s: "up" },
    ],
  ],
  ["Celu", ["x"], [{ name: "alpha", f: 1.0 }]],
  ["Concat", ["x", "x"], [{ name: "axis", i: 1 }]],
  [
    "Conv",
    ["i", "k"],
    [
      { name: "auto_pad", s: "NOTSET" },
      { name: "dilations", ints: [1, 1] },
      { name: "group", i: 1 },
      { name: "kernel_shape", ints: [2, 2] },
      { name: "pads", ints: [0, 0, 0, 0] },
      { name: "strides", ints: [1, 1] },
    ],
  ],
  [
    "ConvTranspose",
    ["i", "k"],
    [
      { name: "auto_pad", s: "NOTSET" },
      { name: "dilations", ints: [1, 1] },
      { name: "group", i: 1 },
      { name: "kernel_shape", ints: [2, 2] },
      { name: "output_padding", ints: [0, 0] },
      { name: "pads", ints: [0, 0, 0, 0] },
      { name: "strides", ints: [1, 1] },
    ],
  ],
  [
    "CumSum",
    ["x", "#0"],
    [
      { name: "exclusive", i: 0 },
      { name: "reverse", i: 0 },
    ],
  ],
  [
    "DepthToSpace",
    ["i"],
    [
      { name: "blocksize", i: 2 },
      { name: "mode", s: "DCR" },
    ],
  ],
  ["Dropout", ["x"], [{ name: "seed", i: 0 }]],
  ["Elu", ["x"], [{ name: "alpha", f: 1.0 }]],
  [
    "EyeLike",
    ["x"],
    [
      { name: "dtype", i: 1 },
      { name: "k", i: 0 },
    ],
  ],
  ["Flatten", ["x"], [{ name: "axis", i: 1 }]],
  ["Gather", ["x", "#0"], [{ name: "axis", i: 0 }]],
  ["GatherElements", ["x", "#z"], [{ name: "axis", i: 0 }]],
  ["Gelu", ["x"], [{ name: "approximate", s: "none" }]],
  [
    "Gemm",
    ["x", "w"],
    [
      { name: "alpha", f: 1.0 },
      { name: "beta", f: 1.0 },
      { name: "transA", i: 0 },
      { name: "transB", i: 0 },
    ],
  ],
  ["GlobalLpPool", ["i"], [{ name: "p", i: 2 }]],
  [
    "GridSample",
    ["i", "g"],
    [
      { name: "align_corners", i: 0 },
      { name: "mode", s: "linear" },
      { name: "padding_mode", s: "zeros" },
    ],
  ],
  [
    "GroupNormalization",
    ["i", "v", "v"],
    [
      { name: "epsilon", f: 1e-5 },
      { name: "num_groups", i: 4 },
      { name: "stash_type", i: 1 },
    ],
  ],
  [
    "HardSigmoid",
    ["x"],
    [
      { name: "alpha", f: 0.2 },
      { name: "beta", f: 0.5 },
    ],
  ],
  ["Hardmax", ["x"], [{ name: "axis", i: -1 }]],
  ["InstanceNormalization", ["i", "v", "v"], [{ name: "epsilon", f: 1e-5 }]],
  [
    "IsInf",
    ["x"],
    [
      { name: "detect_negative", i: 1 },
      { name: "detect_positive", i: 1 },
    ],
  ],
  [
    "LRN",
    ["i"],
    [
      { name: "alpha", f: 0.0001 },
      { name: "beta", f: 0.75 },
      { name: "bias", f: 1.0 },
      { name: "size", i: 3 },
    ],
  ],
  [
    "LayerNormalization",
    ["x", "u"],
    [
      { name: "axis", i: -1 },
      { name: "epsilon", f: 1e-5 },
      { name: "stash_type", i: 1 },
    ],
  ],
  ["LeakyRelu", ["x"], [{ name: "alpha", f: 0.01 }]],
  ["LogSoftmax", ["x"], [{ name: "axis", i: -1 }]],
  [
    "LpNormalization",
    ["x"],
    [
      { name: "axis", i: -1 },
      { name: "p", i: 2 },
    ],
  ],
  [
    "LpPool",
    ["i"],
    [
      { name: "auto_pad", s: "NOTSET" },
      { name: "ceil_mode", i: 0 },
      { name: "dilations", ints: [1, 1] },
      { name: "kernel_shape", ints: [2, 2] },
      { name: "p", i: 2 },
      { name: "pads", ints: [0, 0, 0, 0] },
      { name: "strides", ints: [1, 1] },
    ],
  ],
  [
    "MaxPool",
    ["i"],
    [
      { name: "auto_pad", s: "NOTSET" },
      { name: "ceil_mode", i: 0 },
      { name: "dilations", ints: [1, 1] },
      { name: "kernel_shape", ints: [2, 2] },
      { name: "pads", ints: [0, 0, 0, 0] },
      { name: "storage_order", i: 0 },
      { name: "strides", ints: [1, 1] },
    ],
  ],
  ["MeanVarianceNormalization", ["i"], [{ name: "axes", ints: [0, 2, 3] }]],
  ["Mod", ["x", "x"], [{ name: "fmod", i: 0 }]],
  [
    "NegativeLogLikelihoodLoss",
    ["x", "#t"],
    [
      { name: "ignore_index", i: -100 },
      { name: "reduction", s: "mean" },
    ],
  ],
  [
    "SoftmaxCrossEntropyLoss",
    ["x", "#t"],
    [
      { name: "ignore_index", i: -100 },
      { name: "reduction", s: "mean" },
    ],
  ],
  ["OneHot", ["#t", "#d", "o"], [{ name: "axis", i: -1 }]],
  ["Pad", ["x", "#p"], [{ name: "mode", s: "constant" }]],
  [
    "RMSNormalization",
    ["x", "u"],
    [
      { name: "axis", i: -1 },
      { name: "epsilon", f: 1e-5 },
      { name: "stash_type", i: 1 },
    ],
  ],
  [
    "ReduceSum",
    ["x"],
    [
      { name: "keepdims", i: 1 },
      { name: "noop_with_empty_axes", i: 0 },
    ],
  ],
  [
    "ReduceMax",
    ["x"],
    [
      { name: "keepdims", i: 1 },
      { name: "noop_with_empty_axes", i: 0 },
    ],
  ],
  [
    "ReduceLogSumExp",
    ["x"],
    [
      { name: "keepdims", i: 1 },
      { name: "noop_with_empty_axes", i: 0 },
    ],
  ],
  ["Reshape", ["x", "#s"], [{ name: "allowzero", i: 0 }]],
  [
    "Resize",
    ["i", "", "", "#r"],
    [
      { name: "antialias", i: 0 },
      { name: "coordinate_transformation_mode", s: "half_pixel" },
      { name: "cubic_coeff_a", f: -0.75 },
      { name: "exclude_outside", i: 0 },
      { name: "extrapolation_value", f: 0.0 },
      { name: "keep_aspect_ratio_policy", s: "stretch" },
      { name: "mode", s: "nearest" },
      { name: "nearest_mode", s: "round_prefer_floor" },
    ],
  ],
  [
    "Resize",
    ["i", "", "", "#r"],
    [
      { name: "antialias", i: 0 },
      { name: "coordinate_transformation_mode", s: "half_pixel" },
      { name: "cubic_coeff_a", f: -0.75 },
      { name: "exclude_outside", i: 0 },
      { name: "extrapolation_value", f: 0.0 },
      { name: "keep_aspect_ratio_policy", s: "stretch" },
      { name: "mode", s: "linear" },
      { name: "nearest_mode", s: "round_prefer_floor" },
    ],
  ],
  [
    "Resize",
    ["i", "", "", "#r"],
    [
      { name: "antialias", i: 0 },
      { name: "coordinate_transformation_mode", s: "half_pixel" },
      { name: "cubic_coeff_a", f: -0.75 },
      { name: "exclude_outside", i: 0 },
      { name: "extrapolation_value", f: 0.0 },
      { name: "keep_aspect_ratio_policy", s: "stretch" },
      { name: "mode", s: "cubic" },
      { name: "nearest_mode", s: "round_prefer_floor" },
    ],
  ],
  [
    "ScatterElements",
    ["x", "#z", "y"],
    [
      { name: "axis", i: 0 },
      { name: "reduction", s: "none" },
    ],
  ],
  ["ScatterND", ["x", "#n", "y"], [{ name: "reduction", s: "none" }]],
  [
    "Selu",
    ["x"],
    [
      { name: "alpha", f: 1.67 },
      { name: "gamma", f: 1.05 },
    ],
  ],
  ["Shape", ["x"], [{ name: "start", i: 0 }]],
  [
    "Shrink",
    ["x"],
    [
      { name: "bias", f: 0.0 },
      { name: "lambd", f: 0.5 },
    ],
  ],
  ["Softmax", ["x"], [{ name: "axis", i: -1 }]],
  ["SpaceToDepth", ["i"], [{ name: "blocksize", i: 2 }]],
  [
    "Split",
    ["x"],
    [
      { name: "axis", i: 0 },
      { name: "num_outputs", i: 2 },
    ],
  ],
  ["ThresholdedRelu", ["x"], [{ name: "alpha", f: 1.0 }]],
  [
    "TopK",
    ["x", "#k"],
    [
      { name: "axis", i: -1 },
      { name: "largest", i: 1 },
      { name: "sorted", i: 1 },
    ],
  ],
  ["Transpose", ["x"], [{ name: "perm", ints: [1, 0] }]],
  ["Trilu", ["x"], [{ name: "upper", i: 1 }]],
  ["Unique", ["#t"], [{ name: "sorted", i: 1 }]],
  ["Upsample", ["i", "#u"], [{ name: "mode", s: "nearest" }]],
  [
    "Attention",
    ["q", "q", "q"],
    [
      { name: "is_causal", i: 0 },
      { name: "kv_num_heads", i: 1 },
      { name: "q_num_heads", i: 1 },
      { name: "qk_matmul_output_mode", i: 0 },
      { name: "scale", f: 1.0 },
      { name: "softcap", f: 0.0 },
      { name: "softmax_precision", i: 1 },
    ],
  ],
  [
    "RotaryEmbedding",
    ["q4", "cs", "cs"],
    [
      { name: "interleaved", i: 0 },
      { name: "num_heads", i: 0 },
      { name: "rotary_embedding_dim", i: 0 },
    ],
  ],
  [
    "GRU",
    ["s", "gw", "gr"],
    [
      { name: "activation_alpha", ints: [] },
      { name: "activation_beta", ints: [] },
      { name: "direction", s: "forward" },
      { name: "hidden_size", i: 3 },
      { name: "layout", i: 0 },
      { name: "linear_before_reset", i: 0 },
    ],
  ],
  [
    "LSTM",
    ["s", "lw", "lr"],
    [
      { name: "activation_alpha", ints: [] },
      { name: "activation_beta", ints: [] },
      { name: "direction", s: "forward" },
      { name: "hidden_size", i: 3 },
      { name: "input_forget", i: 0 },
      { name: "layout", i: 0 },
    ],
  ],
  [
    "RNN",
    ["s", "rw", "rr"],
    [
      { name: "activation_alpha", ints: [] },
      { name: "activation_beta", ints: [] },
      { name: "direction", s: "forward" },
      { name: "hidden_size", i: 3 },
      { name: "layout", i: 0 },
    ],
  ],
  [
    "Col2Im",
    ["c", "#i5", "#b"],
    [
      { name: "dilations", ints: [1, 1] },
      { name: "pads", ints: [0, 0, 0, 0] },
      { name: "strides", ints: [1, 1] },
    ],
  ],
  [
    "RoiAlign",
    ["i", "roi", "#b0"],
    [
      { name: "coordinate_transformation_mode", s: "half_pixel" },
      { name: "mode", s: "avg" },
      { name: "output_height", i: 1 },
      { name: "output_width", i: 1 },
      { name: "sampling_ratio", i: 2 },
      { name: "spatial_scale", f: 1.0 },
    ],
  ],
  [
    "MaxRoiPool",
    ["i", "roi5"],
    [
      { name: "pooled_shape", ints: [1, 1] },
      { name: "spatial_scale", f: 1.0 },
    ],
  ],
  [
    "DequantizeLinear",
    ["#t", "sc"],
    [
      { name: "axis", i: 1 },
      { name: "block_size", i: 0 },
      { name: "output_dtype", i: 0 },
    ],
  ],
  [
    "HannWindow",
    ["#k"],
    [
      { name: "output_datatype", i: 1 },
      { name: "periodic", i: 1 },
    ],
  ],
  [
    "ReverseSequence",
    ["x", "#two"],
    [
      { name: "batch_axis", i: 1 },
      { name: "time_axis", i: 0 },
    ],
  ],
  ["STFT", ["sig", "#k", "", "#k"], [{ name: "onesided", i: 1 }]],
  [
    "DFT",
    ["dft"],
    [
      { name: "inverse", i: 0 },
      { name: "onesided", i: 0 },
    ],
  ],
  ["Squeeze", ["x1"], []],
  ["BitShift", ["#t", "#t"], [{ name: "direction", s: "LEFT" }]],
  [
    "QuantizeLinear",
    ["x", "sc"],
    [
      { name: "axis", i: 1 },
      { name: "block_size", i: 0 },
      { name: "output_dtype", i: 0 },
      { name: "precision", i: 0 },
      { name: "saturate", i: 1 },
    ],
  ],
  ["Swish", ["x"], [{ name: "alpha", f: 1.0 }]],
];

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
