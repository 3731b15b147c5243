/** @file The layers of PyTorch, flax and haiku that are one function with weights: what they take, which weights they hold, which function they call. */
import type { Attrs, Shape } from "../../ir";
import { numberValue, type Value } from "../values/values";
import type { LayerArguments } from "./arguments";
import { lecunNormal, NOTHING, SCALE, SHIFT, startingWeights, UNIT } from "./starting-weights";

export interface LayerWeight {
  /** Its attribute, `weight`. */
  readonly name: string;
  /** The function's parameter, where that is called otherwise. */
  readonly to?: string;
  readonly shape: Shape;
  /** Its numbers where nothing trains it: no two alike, so that every one of them counts in the result. */
  readonly source: Attrs;
  /** How it begins where it is trained, if that is otherwise. */
  readonly begin?: Attrs;
  /** What the layer keeps and nothing trains: none of its parameters. */
  readonly buffer?: true;
}

export interface LayerType {
  /** The function, as calls name it. */
  readonly op: string;
  /** What the layer takes, in order; `eps=1e-5`: with its default. What the function takes by the same name is passed on. */
  readonly params: readonly string[];
  /**
   * @param width of the input's last axis; null where it is not known
   * @returns null where a size is missing
   */
  readonly weights?: (args: LayerArguments, width: number | null) => readonly LayerWeight[] | null;
  /** Arguments of the function that have to be worked out. */
  readonly options?: (args: LayerArguments) => Readonly<Record<string, Value>>;
  /** Why it can't be computed as it is asked for. */
  readonly refuses?: (args: LayerArguments) => string | null;
  /** Arguments that its library keeps as a number for each of so many axes, where they are given as one. */
  readonly perAxis?: { readonly names: readonly string[]; readonly count: number };
  /** It counts the batches that it is trained with. */
  readonly counts?: (args: LayerArguments) => boolean;
  /** A type that the layer's input may have; the extents before the last are examples. */
  readonly input?: (args: LayerArguments) => string | null;
}

const PICTURE = 32;
const known = <T>(sizes: readonly (T | null)[]): readonly T[] | null =>
  sizes.includes(null) ? null : (sizes as readonly T[]);
const product = (sizes: Shape): number => sizes.reduce((all, size) => all * size, 1);
const rows = (width: number | null): string | null => (width === null ? null : `f32[8, 64, ${width}]`);
const pictures = (channels: number | null, rank: number): string | null =>
  channels === null ? null : `f32[8, ${[channels, ...Array.from({ length: rank }, () => PICTURE)].join(", ")}]`;

/** A weight and a bias that sums over `fanIn` products start with. */
function started(shape: Shape, out: number, fanIn: number, bias: boolean): readonly LayerWeight[] {
  const source = startingWeights(fanIn);
  return [{ name: "weight", shape, source }, ...(bias ? [{ name: "bias", shape: [out], source }] : [])];
}

const plain = (op: string, ...params: readonly string[]): LayerType => ({ op, params });

/** PyTorch's, which says both of its sizes. */
const linear: LayerType = {
  op: "linear",
  params: ["in_features", "out_features", "bias=True"],
  weights(args) {
    const sizes = known([args.whole("out_features"), args.whole("in_features")]);
    return sizes && started(sizes, sizes[0]!, sizes[1]!, args.flag("bias"));
  },
  input: (args) => rows(args.whole("in_features")),
};

/** A matrix that the input is multiplied by from the right, as JAX's libraries hold it, and a bias. */
function kernelled(width: number, features: number, bias: boolean): readonly LayerWeight[] {
  const [kernel, ...shift] = started([width, features], features, width, bias);
  return [
    { ...kernel!, name: "kernel", begin: lecunNormal(width) },
    ...shift.map((weight) => ({ ...weight, begin: NOTHING })),
  ];
}

/** flax's and haiku's, which take the size of their input from what they meet. */
const dense: LayerType = {
  op: "dense",
  params: ["features", "use_bias=True", "output_size=None", "with_bias=True", "out_features=None", "bias=True"],
  weights(args, width) {
    const features = args.whole("features") ?? args.whole("output_size") ?? args.whole("out_features");
    if (features === null || width === null) return null;
    return kernelled(width, features, args.flag("use_bias") && args.flag("with_bias") && args.flag("bias"));
  },
};

/** That of flax.nnx, which says both of its sizes. */
const sizedDense: LayerType = {
  op: "dense",
  params: ["in_features", "out_features", "use_bias=True"],
  weights(args) {
    const sizes = known([args.whole("in_features"), args.whole("out_features")]);
    return sizes && kernelled(sizes[0]!, sizes[1]!, args.flag("use_bias"));
  },
  input: (args) => rows(args.whole("in_features")),
};

/** @param shifts it adds a bias too */
const torchNorm = (op: string, eps: string, shifts: boolean): LayerType => ({
  op,
  params: ["normalized_shape", eps, "elementwise_affine=True", "bias=True"],
  weights(args) {
    const shape = args.sizes("normalized_shape", 1);
    if (!shape || !args.flag("elementwise_affine")) return shape && [];
    const shift = shifts && args.flag("bias");
    return [
      { name: "weight", shape, source: SCALE, begin: UNIT },
      ...(shift ? [{ name: "bias", shape, source: SHIFT, begin: NOTHING }] : []),
    ];
  },
  input: (args) => {
    const shape = args.sizes("normalized_shape", 1);
    return shape && `f32[8, 64, ${shape.join(", ")}]`;
  },
});

/** @param sized it says the width of its input, as flax.nnx's do */
const jaxNorm = (op: string, shifts: boolean, sized = false): LayerType => ({
  op,
  params: [
    ...(sized ? ["num_features"] : []),
    "epsilon=1e-6",
    "use_scale=True",
    "use_bias=True",
    "create_scale=True",
    "create_offset=True",
    "eps=None",
  ],
  weights(args, met) {
    const width = sized ? args.whole("num_features") : met;
    if (width === null) return null;
    const scaled = args.flag("use_scale") && args.flag("create_scale");
    const shifted = shifts && args.flag("use_bias") && args.flag("create_offset");
    return [
      ...(scaled ? [{ name: "scale", to: "weight", shape: [width], source: SCALE, begin: UNIT }] : []),
      ...(shifted ? [{ name: "bias", shape: [width], source: SHIFT, begin: NOTHING }] : []),
    ];
  },
  options: (args): Readonly<Record<string, Value>> => (args.given("eps") ? { eps: args.value("eps")! } : {}),
});

/** @param weight what its library calls the table */
const embeddingNamed = (weight: string): LayerType => ({
  op: "embedding",
  params: ["num_embeddings", "embedding_dim", "padding_idx=None", "features=None", "vocab_size=None", "embed_dim=None"],
  weights(args) {
    const sizes = known([
      args.whole("num_embeddings") ?? args.whole("vocab_size"),
      args.whole("embedding_dim") ?? args.whole("features") ?? args.whole("embed_dim"),
    ]);
    return sizes && [{ name: weight, to: "weight", shape: sizes, source: { source: "randn" } }];
  },
  input: (args) => `i32[8, 64] = uniform(0, ${args.whole("num_embeddings") ?? args.whole("vocab_size") ?? 1024})`,
});

const affine = (args: LayerArguments, sizes: string): readonly LayerWeight[] | null => {
  const width = args.whole(sizes);
  if (width === null) return null;
  return args.flag("affine")
    ? [
        { name: "weight", shape: [width], source: SCALE, begin: UNIT },
        { name: "bias", shape: [width], source: SHIFT, begin: NOTHING },
      ]
    : [];
};

const batchNorm: LayerType = {
  op: "batch_norm",
  params: ["num_features", "eps=1e-5", "momentum=0.1", "affine=True", "track_running_stats=True"],
  weights(args) {
    const scales = affine(args, "num_features");
    const width = args.whole("num_features");
    if (!args.flag("track_running_stats")) return scales;
    return (
      scales && [
        { name: "running_mean", shape: [width!], source: { source: "zeros" }, buffer: true },
        { name: "running_var", shape: [width!], source: { source: "ones" }, buffer: true },
        ...scales,
      ]
    );
  },
  counts: (args) => args.flag("track_running_stats"),
  // Without running values, each batch's own are all there is.
  options: (args): Readonly<Record<string, Value>> =>
    args.flag("track_running_stats") ? {} : { training: { kind: "bool", value: true } },
  input: (args) => pictures(args.whole("num_features"), 2),
};

const instanceNorm: LayerType = {
  op: "instance_norm",
  params: ["num_features", "eps=1e-5", "momentum=0.1", "affine=False", "track_running_stats=False"],
  weights: (args) => affine(args, "num_features"),
  refuses: (args) =>
    args.flag("track_running_stats")
      ? "Running values of InstanceNorm are not stored here: leave track_running_stats out, or use nn.BatchNorm."
      : null,
  input: (args) => pictures(args.whole("num_features"), 2),
};

const groupNorm: LayerType = {
  op: "group_norm",
  params: ["num_groups", "num_channels", "eps=1e-5", "affine=True"],
  weights: (args) => affine(args, "num_channels"),
  input: (args) => pictures(args.whole("num_channels"), 2),
};

/** What `padding="same"` puts around: where the window's reach is odd, one element more behind. */
function samePadding(args: LayerArguments, rank: number): Readonly<Record<string, Value>> {
  const padding = args.value("padding");
  const kernel = args.sizes("kernel_size", rank);
  const dilation = args.sizes("dilation", rank);
  if (padding?.kind !== "string" || !kernel || !dilation) return {};
  const around = kernel.map((size, i) => (padding.value === "same" ? (size - 1) * dilation[i]! : 0));
  const sides = [...around.map((all) => Math.floor(all / 2)), ...around.map((all) => Math.ceil(all / 2))];
  const items = sides.map((side) => ({ value: numberValue(side, true), path: "", expr: null }));
  return { padding: { kind: "sequence", items } };
}

/** Between the slopes that a randomized ReLU draws from, once it draws no more. */
function meanSlope(args: LayerArguments): Readonly<Record<string, Value>> {
  const ends = ["lower", "upper"].map((name) => args.value(name));
  const sum = ends.reduce((all, end) => all + (end?.kind === "number" ? end.value : 0), 0);
  return { negative_slope: numberValue(sum / 2, false) };
}

const WINDOW = ["kernel_size", "stride", "padding", "dilation"] as const;
const CONV = ["in_channels", "out_channels", "kernel_size", "stride=1", "padding=0"] as const;

function modeOfPadding(args: LayerArguments): string | null {
  const mode = args.value("padding_mode");
  return mode?.kind === "string" && mode.value !== "zeros"
    ? `A convolution pads with zeros here: pad the input first, F.pad(x, …, mode="${mode.value}").`
    : null;
}

const conv = (rank: number): LayerType => ({
  op: `conv${rank}d`,
  perAxis: { names: WINDOW, count: rank },
  params: [...CONV, "dilation=1", "groups=1", "bias=True", "padding_mode='zeros'"],
  weights(args) {
    const sizes = known([args.whole("out_channels"), args.whole("in_channels"), args.whole("groups")]);
    const kernel = args.sizes("kernel_size", rank);
    if (!sizes || !kernel) return null;
    const share = Math.floor(sizes[1]! / Math.max(1, sizes[2]!));
    return started([sizes[0]!, share, ...kernel], sizes[0]!, share * product(kernel), args.flag("bias"));
  },
  options: (args) => samePadding(args, rank),
  input: (args) => pictures(args.whole("in_channels"), rank),
});

const convTranspose = (rank: number): LayerType => ({
  op: `conv_transpose${rank}d`,
  perAxis: { names: [...WINDOW, "output_padding"], count: rank },
  params: [...CONV, "output_padding=0", "groups=1", "bias=True", "dilation=1", "padding_mode='zeros'"],
  weights(args) {
    const sizes = known([args.whole("in_channels"), args.whole("out_channels"), args.whole("groups")]);
    const kernel = args.sizes("kernel_size", rank);
    if (!sizes || !kernel) return null;
    const share = Math.floor(sizes[1]! / Math.max(1, sizes[2]!));
    return started([sizes[0]!, share, ...kernel], sizes[1]!, share * product(kernel), args.flag("bias"));
  },
  refuses: modeOfPadding,
  input: (args) => pictures(args.whole("in_channels"), rank),
});

/** Borders: one number for all sides, or a tuple of them. */
const padded = (rank: number, mode = "constant"): LayerType => ({
  op: "pad",
  params: ["padding", "value=0"],
  options(args) {
    const sides = args.sizes("padding", 2 * rank) ?? [];
    const items = sides.map((side) => ({ value: numberValue(side, true), path: "", expr: null }));
    return { pads: { kind: "sequence", items }, mode: { kind: "string", value: mode } };
  },
});

const maxPool = (op: string): LayerType =>
  plain(op, "kernel_size", "stride=None", "padding=0", "dilation=1", "return_indices=False", "ceil_mode=False");
const avgPool = (op: string): LayerType =>
  plain(op, "kernel_size", "stride=None", "padding=0", "ceil_mode=False", "count_include_pad=True");
const perRank = (name: string, of: (rank: number) => LayerType, ranks = [1, 2, 3]): [string, LayerType][] =>
  ranks.map((rank) => [`${name}${rank}d`, of(rank)]);

const REDUCED = "reduction='mean'";

const bilinear: LayerType = {
  op: "bilinear",
  params: ["in1_features", "in2_features", "out_features", "bias=True"],
  weights(args) {
    const sizes = known([args.whole("out_features"), args.whole("in1_features"), args.whole("in2_features")]);
    return sizes && started(sizes, sizes[0]!, sizes[1]!, args.flag("bias"));
  },
};

/** By the name after `nn.`: PyTorch's, and those of JAX's libraries that nothing in PyTorch is called. */
export const LAYERS: ReadonlyMap<string, LayerType> = new Map<string, LayerType>([
  ["Linear", linear],
  ["Dense", dense],
  ["LayerNorm", torchNorm("layer_norm", "eps=1e-5", true)],
  ["RMSNorm", torchNorm("rms_norm", "eps=None", false)],
  ["Embedding", embeddingNamed("weight")],
  ["Embed", embeddingNamed("embedding")],
  ["GroupNorm", groupNorm],
  ...perRank("BatchNorm", () => batchNorm),
  ["SyncBatchNorm", batchNorm],
  ...perRank("InstanceNorm", () => instanceNorm),
  ...perRank("Conv", conv),
  ...perRank("ConvTranspose", convTranspose),
  ...perRank("MaxPool", (rank) => maxPool(`max_pool${rank}d`)),
  ...perRank("AvgPool", (rank) => avgPool(`avg_pool${rank}d`)),
  ...perRank("AdaptiveAvgPool", (rank) => plain(`adaptive_avg_pool${rank}d`, "output_size")),
  ...perRank("AdaptiveMaxPool", (rank) => plain(`adaptive_max_pool${rank}d`, "output_size")),
  ...perRank("ZeroPad", (rank) => padded(rank)),
  ...perRank("ConstantPad", (rank) => padded(rank)),
  ...perRank("ReflectionPad", (rank) => padded(rank, "reflect")),
  ...perRank("ReplicationPad", (rank) => padded(rank, "replicate")),
  ["ReLU", plain("relu", "inplace=False")],
  ["ReLU6", plain("relu6", "inplace=False")],
  ["SiLU", plain("silu", "inplace=False")],
  ["GELU", plain("gelu", "approximate='none'")],
  ["Sigmoid", plain("sigmoid")],
  ["Tanh", plain("tanh")],
  ["RReLU", { ...plain("leaky_relu", "lower=0.125", "upper=0.3333333333333333"), options: meanSlope }],
  ["LeakyReLU", plain("leaky_relu", "negative_slope=0.01", "inplace=False")],
  ["ELU", plain("elu", "alpha=1.0", "inplace=False")],
  ["CELU", plain("celu", "alpha=1.0", "inplace=False")],
  ["SELU", plain("selu", "inplace=False")],
  ["GLU", plain("glu", "dim=-1")],
  ["Softmax", plain("softmax", "dim=None")],
  ["Softmin", plain("softmin", "dim=None")],
  ["LogSoftmax", plain("log_softmax", "dim=None")],
  ["LogSigmoid", plain("log_sigmoid")],
  ["Softplus", plain("softplus", "beta=1", "threshold=20")],
  ["Softsign", plain("softsign")],
  ["Tanhshrink", plain("tanhshrink")],
  ["Mish", plain("mish", "inplace=False")],
  ["Hardswish", plain("hard_swish", "inplace=False")],
  ["Hardsigmoid", plain("hard_sigmoid", "inplace=False")],
  ["Hardtanh", plain("hardtanh", "min_val=-1.0", "max_val=1.0", "inplace=False")],
  [
    "PReLU",
    {
      op: "prelu",
      params: ["num_parameters=1", "init=0.25"],
      weights(args) {
        const count = args.whole("num_parameters");
        return count === null
          ? null
          : [{ name: "weight", to: "b", shape: [count], source: SHIFT, begin: { source: "values", values: [0.25] } }];
      },
    },
  ],
  ["Dropout", plain("dropout", "p=0.5", "inplace=False")],
  ...perRank("Dropout", (rank) => plain(`dropout${rank}d`, "p=0.5", "inplace=False")),
  ["AlphaDropout", plain("alpha_dropout", "p=0.5", "inplace=False")],
  ["Identity", plain("identity")],
  ["Flatten", plain("flatten", "start_dim=1", "end_dim=-1")],
  ["Unflatten", plain("unflatten", "dim", "unflattened_size")],
  ["PixelShuffle", plain("pixel_shuffle", "upscale_factor")],
  ["PixelUnshuffle", plain("pixel_unshuffle", "downscale_factor")],
  ["Upsample", plain("interpolate", "size=None", "scale_factor=None", "mode='nearest'", "align_corners=None")],
  [
    "CrossEntropyLoss",
    plain("cross_entropy", "weight=None", "ignore_index=None", "reduction='mean'", "label_smoothing=0.0"),
  ],
  ["NLLLoss", plain("nll_loss", "weight=None", "ignore_index=None", "reduction='mean'")],
  ["MSELoss", plain("mse_loss", "reduction='mean'")],
  ["L1Loss", plain("l1_loss", "reduction='mean'")],
  ["SmoothL1Loss", plain("smooth_l1_loss", "reduction='mean'", "beta=1.0")],
  ["HuberLoss", plain("huber_loss", "reduction='mean'", "delta=1.0")],
  ["BCELoss", plain("binary_cross_entropy", "weight=None", "reduction='mean'")],
  [
    "BCEWithLogitsLoss",
    plain("binary_cross_entropy_with_logits", "weight=None", "reduction='mean'", "pos_weight=None"),
  ],
  ["KLDivLoss", plain("kl_div", "reduction='mean'", "log_target=False")],
  ["PoissonNLLLoss", plain("poisson_nll_loss", "log_input=True", "full=False", "eps=1e-8", REDUCED)],
  ["GaussianNLLLoss", plain("gaussian_nll_loss", "full=False", "eps=1e-6", REDUCED)],
  ["CosineEmbeddingLoss", plain("cosine_embedding_loss", "margin=0.0", REDUCED)],
  ["MarginRankingLoss", plain("margin_ranking_loss", "margin=0.0", REDUCED)],
  ["HingeEmbeddingLoss", plain("hinge_embedding_loss", "margin=1.0", REDUCED)],
  ["SoftMarginLoss", plain("soft_margin_loss", REDUCED)],
  ["MultiMarginLoss", plain("multi_margin_loss", "p=1", "margin=1.0", REDUCED)],
  ["MultiLabelSoftMarginLoss", plain("multilabel_soft_margin_loss", REDUCED)],
  ["TripletMarginLoss", plain("triplet_margin_loss", "margin=1.0", "p=2.0", "eps=1e-6", "swap=False", REDUCED)],
  ["CosineSimilarity", plain("cosine_similarity", "dim=1", "eps=1e-8")],
  ["PairwiseDistance", plain("pairwise_distance", "p=2.0", "eps=1e-6", "keepdim=False")],
  ["Unfold", plain("unfold", "kernel_size", "dilation=1", "padding=0", "stride=1")],
  ["Fold", plain("fold", "output_size", "kernel_size", "dilation=1", "padding=0", "stride=1")],
  ["ChannelShuffle", plain("channel_shuffle", "groups")],
  ["Hardshrink", plain("hardshrink", "lambd=0.5")],
  ["Softshrink", plain("softshrink", "lambd=0.5")],
  ["Threshold", plain("threshold", "threshold", "value", "inplace=False")],
  ["Softmax2d", { ...plain("softmax"), options: () => ({ dim: numberValue(-3, true) }) }],
  ["LocalResponseNorm", plain("local_response_norm", "size", "alpha=1e-4", "beta=0.75", "k=1.0")],
  ...perRank("LPPool", (rank) => plain(`lp_pool${rank}d`, "norm_type", "kernel_size", "stride=None"), [1, 2]),
  ["Bilinear", bilinear],
  ["UpsamplingNearest2d", plain("interpolate", "size=None", "scale_factor=None")],
  [
    "UpsamplingBilinear2d",
    {
      ...plain("interpolate", "size=None", "scale_factor=None"),
      options: () => ({ mode: { kind: "string", value: "bilinear" }, align_corners: { kind: "bool", value: true } }),
    },
  ],
  ["Rearrange", plain("rearrange", "pattern")],
  ["Reduce", plain("reduce", "pattern", "reduction")],
]);

/** What flax and haiku call like PyTorch, and that takes the size of its input from what it meets. */
const JAX: ReadonlyMap<string, LayerType> = new Map([
  ["Linear", dense],
  ["LayerNorm", jaxNorm("layer_norm", true)],
  ["RMSNorm", jaxNorm("rms_norm", false)],
]);

/** What flax.nnx calls like PyTorch: it says the size of its input, too. */
const NNX: ReadonlyMap<string, LayerType> = new Map([
  ["Linear", sizedDense],
  ["LayerNorm", jaxNorm("layer_norm", true, true)],
  ["RMSNorm", jaxNorm("rms_norm", false, true)],
]);

/** The layer that a call means: PyTorch's says its input's size, and so does that of flax.nnx, which takes `rngs`. */
export function layerType(name: string, positional: number, words: ReadonlySet<string>): LayerType | null {
  const nnx = words.has("rngs") ? NNX.get(name) : undefined;
  if (nnx) return nnx;
  const jax = JAX.get(name);
  if (!jax) return LAYERS.get(name) ?? null;
  const torch =
    name === "Linear" ? positional > 1 || words.has("in_features") : positional > 0 || words.has("normalized_shape");
  return torch ? LAYERS.get(name)! : jax;
}
