/** @file Layers that a class makes in its __init__: the weights they hold and the op they call. PyTorch's torch.nn. */

import { findOp } from "../../ops";
import type { AnnotatedKind } from "../python-types";

/** Source of each argument by parameter name; those not given have their default's source. */
export type LayerArgs = ReadonlyMap<string, string>;

export interface Weight {
  /** `w` of `fc1_w`. */
  readonly suffix: string;
  readonly type: string;
  /** Where its data comes from. */
  readonly source: string;
}

export interface Layer {
  /** `name` or `name=default`, in order. */
  readonly params: readonly string[];
  readonly op: string;
  readonly weights?: (args: LayerArgs) => readonly Weight[];
  /** Arguments between the input and the weights. */
  readonly first?: (args: LayerArgs) => readonly string[];
  /** Arguments after the weights. */
  readonly last?: (args: LayerArgs) => readonly string[];
  /** What the layer is, as a def called `name`, where it is more than one op. */
  readonly def?: (name: string, args: LayerArgs) => readonly string[];
  /** The type that an input of this layer may have. */
  readonly input?: (args: LayerArgs) => string;
}

const weight = (suffix: string, ...shape: readonly string[]): Weight => ({
  suffix,
  type: `f32[${shape.join(", ")}]`,
  source: "param()",
});
/** The weights of a layer whose results are sums over as many products as `sizes` multiply to. */
const started = (weights: readonly Weight[], ...sizes: readonly string[]): readonly Weight[] => {
  const factors = sizes.length > 1 ? sizes.map((size) => (/^\w+$/.test(size) ? size : `(${size})`)) : sizes;
  return weights.map((each) => ({ ...each, source: `param(fan_in=${factors.join(" * ")})` }));
};
/** Scale and shift of a norm: near 1 and near 0, and no two alike. */
const scale = (...shape: readonly string[]): Weight => ({
  ...weight("w", ...shape),
  source: "param(uniform(0.5, 1.5))",
});
const shift = (...shape: readonly string[]): Weight => ({
  ...weight("b", ...shape),
  source: "param(uniform(-0.5, 0.5))",
});
const at = (args: LayerArgs, name: string): string => args.get(name) ?? "1";
const wanted = (args: LayerArgs, name: string): boolean => args.get(name) !== "False" && args.get(name) !== "None";
/** Keywords that differ from their default. */
const argumentsThen =
  (...names: readonly (readonly [name: string, usual: string])[]) =>
  (args: LayerArgs): readonly string[] =>
    names.flatMap(([name, usual]) => (at(args, name) === usual ? [] : [`${name}=${at(args, name)}`]));

/** `3` is a square of 3; `(3, 5)` is as it says. */
const sizes = (source: string, rank: number): readonly string[] => {
  const tuple = /^\((.*)\)$/.exec(source)?.[1];
  return tuple
    ? tuple
        .split(",")
        .map((part) => part.trim())
        .filter((part) => part !== "")
    : Array.from({ length: rank }, () => source);
};

const plain = (op: string, ...params: readonly string[]): Layer => ({
  op,
  params,
  last: argumentsThen(
    ...params.filter((param) => !param.startsWith("inplace")).map((param) => param.split("=") as [string, string]),
  ),
});

const conv = (rank: number): Layer => ({
  op: `conv${rank}d`,
  params: [
    "in_channels",
    "out_channels",
    "kernel_size",
    "stride=1",
    "padding=0",
    "dilation=1",
    "groups=1",
    "bias=True",
  ],
  weights: (args) => {
    const [inputs, groups] = [at(args, "in_channels"), at(args, "groups")];
    const share = groups === "1" ? inputs : `(${inputs}) // (${groups})`;
    const kernel = sizes(at(args, "kernel_size"), rank);
    const w = weight("w", at(args, "out_channels"), share, ...kernel);
    const all = wanted(args, "bias") ? [w, weight("b", at(args, "out_channels"))] : [w];
    return started(all, share, ...kernel);
  },
  last: argumentsThen(["stride", "1"], ["padding", "0"], ["dilation", "1"], ["groups", "1"]),
  input: (args) => `f32[8, ${[at(args, "in_channels"), ...Array.from({ length: rank }, () => "32")].join(", ")}]`,
});

const batchNorm: Layer = {
  op: "batch_norm",
  params: ["num_features", "eps=1e-5"],
  weights: (args) => [
    { ...weight("mean", at(args, "num_features")), source: "param(zeros())" },
    { ...weight("var", at(args, "num_features")), source: "param(ones())" },
    scale(at(args, "num_features")),
    shift(at(args, "num_features")),
  ],
  last: argumentsThen(["eps", "1e-5"]),
  input: (args) => `f32[8, ${at(args, "num_features")}, 32, 32]`,
};

const maxPool = (op: string): Layer =>
  plain(op, "kernel_size=", "stride=None", "padding=0", "dilation=1", "return_indices=False", "ceil_mode=False");
const avgPool = (op: string): Layer =>
  plain(op, "kernel_size=", "stride=None", "padding=0", "ceil_mode=False", "count_include_pad=True");
const adaptive = (op: string): Layer => ({ op, params: ["output_size"], first: (args) => [at(args, "output_size")] });

const convTranspose = (rank: number): Layer => ({
  op: `conv_transpose${rank}d`,
  params: [
    "in_channels",
    "out_channels",
    "kernel_size",
    "stride=1",
    "padding=0",
    "output_padding=0",
    "groups=1",
    "bias=True",
    "dilation=1",
  ],
  weights: (args) => {
    const [outputs, groups] = [at(args, "out_channels"), at(args, "groups")];
    const share = groups === "1" ? outputs : `(${outputs}) // (${groups})`;
    const kernel = sizes(at(args, "kernel_size"), rank);
    const w = weight("w", at(args, "in_channels"), share, ...kernel);
    return started(wanted(args, "bias") ? [w, weight("b", outputs)] : [w], share, ...kernel);
  },
  last: argumentsThen(["stride", "1"], ["padding", "0"], ["output_padding", "0"], ["groups", "1"], ["dilation", "1"]),
  input: (args) => `f32[8, ${[at(args, "in_channels"), ...Array.from({ length: rank }, () => "32")].join(", ")}]`,
});

const instanceNorm: Layer = {
  op: "instance_norm",
  params: ["num_features", "eps=1e-5", "momentum=0.1", "affine=False"],
  weights: (args) => (wanted(args, "affine") ? [scale(at(args, "num_features")), shift(at(args, "num_features"))] : []),
  last: argumentsThen(["eps", "1e-5"]),
  input: (args) => `f32[8, ${at(args, "num_features")}, 32, 32]`,
};

/** A pattern, and extents by any names. */
const einops = (op: string): Layer => ({
  op,
  params: ["pattern", "reduction=None"],
  first: (args) => [at(args, "pattern"), ...(wanted(args, "reduction") ? [at(args, "reduction")] : [])],
  last: (args) =>
    [...args].flatMap(([key, value]) => (key === "pattern" || key === "reduction" ? [] : [`${key}=${value}`])),
});

/** Self- and cross-attention over several heads, with PyTorch's one weight for query, key and value. */
const multiheadAttention: Layer = {
  op: "",
  params: [
    "embed_dim",
    "num_heads",
    "dropout=0.0",
    "bias=True",
    "add_bias_kv=False",
    "add_zero_attn=False",
    "kdim=None",
    "vdim=None",
    "batch_first=False",
  ],
  weights: (args) => {
    const width = at(args, "embed_dim");
    const all = [
      weight("in_w", `3 * ${width}`, width),
      weight("in_b", `3 * ${width}`),
      weight("out_w", width, width),
      weight("out_b", width),
    ];
    return started(wanted(args, "bias") ? all : all.filter(({ suffix }) => suffix.endsWith("w")), width);
  },
  def: (name, args) => {
    const [width, heads] = [at(args, "embed_dim"), at(args, "num_heads")];
    const bias = wanted(args, "bias");
    const swap = wanted(args, "batch_first") ? "" : ".transpose(0, 1)";
    const piece = (of: string, i: number): string => {
      const rows = [`:${width}`, `${width}:2 * ${width}`, `2 * ${width}:`][i]!;
      return `linear(${of}, ${name}_in_w[${rows}]${bias ? `, ${name}_in_b[${rows}]` : ""})`;
    };
    const split = (of: string): string => `${of}.reshape(B, -1, ${heads}, ${width} // ${heads}).transpose(1, 2)`;
    return [
      `def ${name}(query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None, average_attn_weights=True, is_causal=False):`,
      "    if key_padding_mask is not None:",
      "        attn_mask = ~key_padding_mask[:, None, None, :]",
      ...(swap === "" ? [] : [`    query, key, value = query${swap}, key${swap}, value${swap}`]),
      "    B, T, E = query.shape",
      "    if query is key and key is value:",
      `        q, k, v = linear(query, ${name}_in_w${bias ? `, ${name}_in_b` : ""}).chunk(3, dim=-1)`,
      "    else:",
      ...["query", "key", "value"].map((of, n) => `        ${of[0]!} = ${piece(of, n)}`),
      ...["q", "k", "v"].map((of) => `    ${of} = ${split(of)}`),
      "    y = scaled_dot_product_attention(q, k, v, attn_mask=attn_mask, is_causal=is_causal)",
      `    y = linear(y.transpose(1, 2).reshape(B, T, E), ${name}_out_w${bias ? `, ${name}_out_b` : ""})${swap}`,
      "    return y, None",
    ];
  },
  input: (args) => `f32[8, 64, ${at(args, "embed_dim")}]`,
};

/** Borders: one number for all sides, or a tuple of them. */
const padded = (mode = "constant"): Layer => ({
  op: "pad",
  params: ["padding", "value=0"],
  first: (args) => {
    const sides = sizes(at(args, "padding"), 4);
    return [`(${sides.join(", ")})`, ...(mode === "constant" ? [] : [`mode="${mode}"`])];
  },
});

const dropout: Layer = { op: "dropout", params: ["p=0.5", "inplace=False"], last: (args) => [`p=${at(args, "p")}`] };

/** By the name after `nn.`. */
export const LAYERS: ReadonlyMap<string, Layer> = new Map<string, Layer>([
  [
    "Linear",
    {
      op: "linear",
      params: ["in_features", "out_features", "bias=True"],
      weights: (args) => {
        const w = weight("w", at(args, "out_features"), at(args, "in_features"));
        const all = wanted(args, "bias") ? [w, weight("b", at(args, "out_features"))] : [w];
        return started(all, at(args, "in_features"));
      },
      input: (args) => `f32[8, 64, ${at(args, "in_features")}]`,
    },
  ],
  [
    "LayerNorm",
    {
      op: "layer_norm",
      params: ["normalized_shape", "eps=1e-5", "elementwise_affine=True", "bias=True"],
      first: (args) =>
        wanted(args, "elementwise_affine") ? [] : [`(${sizes(at(args, "normalized_shape"), 1).join(", ")},)`],
      weights: (args) => {
        if (!wanted(args, "elementwise_affine")) return [];
        const shape = sizes(at(args, "normalized_shape"), 1);
        return wanted(args, "bias") ? [scale(...shape), shift(...shape)] : [scale(...shape)];
      },
      last: argumentsThen(["eps", "1e-5"]),
      input: (args) => `f32[8, 64, ${sizes(at(args, "normalized_shape"), 1).join(", ")}]`,
    },
  ],
  [
    "RMSNorm",
    {
      op: "rms_norm",
      params: ["normalized_shape", "eps=1e-6"],
      weights: (args) => [scale(...sizes(at(args, "normalized_shape"), 1))],
      last: (args) => [`eps=${at(args, "eps")}`],
      input: (args) => `f32[8, 64, ${sizes(at(args, "normalized_shape"), 1).join(", ")}]`,
    },
  ],
  [
    "GroupNorm",
    {
      op: "group_norm",
      params: ["num_groups", "num_channels", "eps=1e-5"],
      first: (args) => [at(args, "num_groups")],
      weights: (args) => [scale(at(args, "num_channels")), shift(at(args, "num_channels"))],
      last: argumentsThen(["eps", "1e-5"]),
      input: (args) => `f32[8, ${at(args, "num_channels")}, 32, 32]`,
    },
  ],
  [
    "Embedding",
    {
      op: "embedding",
      params: ["num_embeddings", "embedding_dim"],
      weights: (args) => [weight("w", at(args, "num_embeddings"), at(args, "embedding_dim"))],
      input: (args) => `i32[8, 64] = uniform(0, ${at(args, "num_embeddings")})`,
    },
  ],
  ["Conv1d", conv(1)],
  ["Conv2d", conv(2)],
  ["Conv3d", conv(3)],
  ["BatchNorm1d", batchNorm],
  ["BatchNorm2d", batchNorm],
  ["BatchNorm3d", batchNorm],
  ["ReLU", plain("relu", "inplace=False")],
  ["ReLU6", plain("relu6", "inplace=False")],
  ["SiLU", plain("silu", "inplace=False")],
  ["GELU", plain("gelu", "approximate='none'")],
  ["Sigmoid", plain("sigmoid")],
  ["Tanh", plain("tanh")],
  ["LeakyReLU", plain("leaky_relu", "negative_slope=0.01", "inplace=False")],
  ["ELU", plain("elu", "alpha=1.0", "inplace=False")],
  ["Softmax", plain("softmax", "dim=None")],
  ["LogSoftmax", plain("log_softmax", "dim=None")],
  ["Mish", plain("mish")],
  ["Hardswish", plain("hard_swish", "inplace=False")],
  ["Hardsigmoid", plain("hard_sigmoid", "inplace=False")],
  ["Flatten", { op: "flatten", params: ["start_dim=1", "end_dim=-1"], first: (args) => [at(args, "start_dim")] }],
  ["MaxPool1d", maxPool("max_pool1d")],
  ["MaxPool2d", maxPool("max_pool2d")],
  ["AvgPool1d", avgPool("avg_pool1d")],
  ["AvgPool2d", avgPool("avg_pool2d")],
  ["AdaptiveAvgPool1d", adaptive("adaptive_avg_pool1d")],
  ["AdaptiveAvgPool2d", adaptive("adaptive_avg_pool2d")],
  ["AdaptiveMaxPool1d", adaptive("adaptive_max_pool1d")],
  ["AdaptiveMaxPool2d", adaptive("adaptive_max_pool2d")],
  ["ConvTranspose1d", convTranspose(1)],
  ["ConvTranspose2d", convTranspose(2)],
  ["InstanceNorm1d", instanceNorm],
  ["InstanceNorm2d", instanceNorm],
  ["InstanceNorm3d", instanceNorm],
  ["MultiheadAttention", multiheadAttention],
  ["PixelShuffle", plain("pixel_shuffle", "upscale_factor=")],
  ["LogSigmoid", plain("log_sigmoid")],
  ["Hardtanh", plain("hardtanh", "min_val=-1.0", "max_val=1.0", "inplace=False")],
  [
    "PReLU",
    {
      op: "prelu",
      params: ["num_parameters=1", "init=0.25"],
      weights: (args) => [weight("w", at(args, "num_parameters"))],
    },
  ],
  ["Dropout1d", dropout],
  ["Dropout2d", dropout],
  ["Dropout", dropout],
  ["AlphaDropout", dropout],
  ["Identity", { op: "", params: [] }],
  ["DropPath", { op: "", params: ["drop_prob=0"] }],
  ["StochasticDepth", { op: "", params: ["p", "mode=None"] }],
  ["CrossEntropyLoss", plain("cross_entropy", "weight=None", "reduction='mean'", "label_smoothing=0.0")],
  ["NLLLoss", plain("nll_loss", "weight=None", "reduction='mean'")],
  ["MSELoss", plain("mse_loss", "reduction='mean'")],
  ["L1Loss", plain("l1_loss", "reduction='mean'")],
  ["SmoothL1Loss", plain("smooth_l1_loss", "reduction='mean'", "beta=1.0")],
  ["HuberLoss", plain("huber_loss", "reduction='mean'", "delta=1.0")],
  ["BCELoss", plain("binary_cross_entropy", "weight=None", "reduction='mean'")],
  ["BCEWithLogitsLoss", plain("binary_cross_entropy_with_logits", "weight=None", "reduction='mean'")],
  ["KLDivLoss", plain("kl_div", "reduction='mean'")],
  ["SyncBatchNorm", batchNorm],
  ["GLU", plain("glu", "dim=-1")],
  ["CELU", plain("celu", "alpha=1.0", "inplace=False")],
  ["SELU", plain("selu", "inplace=False")],
  ["Softsign", plain("softsign")],
  ["Softmin", plain("softmin", "dim=None")],
  ["Tanhshrink", plain("tanhshrink")],
  ["Softplus", plain("softplus", "beta=1", "threshold=20")],
  ["ZeroPad2d", padded()],
  ["ConstantPad2d", padded()],
  ["ReflectionPad2d", padded("reflect")],
  ["ReplicationPad2d", padded("replicate")],
  ["ZeroPad1d", padded()],
  ["PixelUnshuffle", plain("pixel_unshuffle", "downscale_factor=")],
  ["Upsample", plain("interpolate", "size=None", "scale_factor=None", "mode='nearest'", "align_corners=None")],
  [
    "Unflatten",
    {
      op: "unflatten",
      params: ["dim", "unflattened_size"],
      first: (args) => [at(args, "dim"), at(args, "unflattened_size")],
    },
  ],
  [
    "Conv1D",
    {
      op: "",
      params: ["nf", "nx"],
      weights: (args) =>
        started([weight("w", at(args, "nx"), at(args, "nf")), weight("b", at(args, "nf"))], at(args, "nx")),
      def: (name) => [`def ${name}(x):`, `    return x @ ${name}_w + ${name}_b`],
      input: (args) => `f32[8, 64, ${at(args, "nx")}]`,
    },
  ],
  ["Rearrange", einops("rearrange")],
  ["Reduce", einops("reduce")],
]);

/** Activations by the name that a configuration gives them. */
const ACTIVATIONS: ReadonlyMap<string, Layer> = new Map<string, Layer>([
  ...["relu", "silu", "gelu", "tanh", "sigmoid", "mish", "elu", "selu", "relu6"].map(
    (name) => [name, { op: name, params: [] }] as const,
  ),
  ["swish", { op: "silu", params: [] }],
  ...["gelu_new", "gelu_fast", "gelu_pytorch_tanh"].map(
    (name) => [name, { op: "gelu", params: [], last: () => ['approximate="tanh"'] }] as const,
  ),
]);

/** The layer that a name in a configuration, the name of an op or the name of a class stands for. */
export function activationCalled(name: string): Layer | null {
  const op = findOp(name);
  return ACTIVATIONS.get(name) ?? LAYERS.get(name.split(".").at(-1)!) ?? (op ? { op: op.name, params: [] } : null);
}

/** Sizes that a class takes and nobody says: what people usually call them. */
const USUAL: readonly (readonly [RegExp, string])[] = [
  [/drop|^p$/, "0.1"],
  [/^_?(use|is|has|with|fused|flash|fast|supports)(_|$)/, "False"],
  [/attn_implementation/, '"eager"'],
  [/act(ivation|_fn|_layer|_type)?$|act_fn|nonlinearity/, '"silu"'],
  [/dim_head|head_(dim|size)/, "64"],
  [/vocab|num_embeddings/, "1024"],
  [/heads?$|^n_head|groups/, "8"],
  [/classes|n_out/, "16"],
  [/eps/, "1e-5"],
  [/bias|causal|affine/, "True"],
  [/(in|input)_ch/, "16"],
  [/kernel|^k$/, "3"],
  [/stride|layers?$|depth|ratio|mult/, "2"],
  [/idx$|index$/, "0"],
  [/len|block_size|seq|context|positions/, "64"],
];

/** A value for a parameter called `name` that holds this. */
export function usualOf(name: string, annotated: AnnotatedKind): string {
  const usual = usualValue(name);
  if (annotated === "flag") return usual === "True" && /causal/.test(name) ? "True" : "False";
  if (annotated === "text") return usual.startsWith('"') ? usual : '""';
  if (annotated === "sizes") return "(8, 8)";
  if (annotated === "number") return /^[\d.e-]+$/.test(usual) && Number(usual) < 1 ? usual : "1.0";
  return annotated === "whole" && /^\d+$/.test(usual) ? usual : annotated === "whole" ? "8" : "None";
}

/** A size for a parameter called `name`. */
export const usualValue = (name: string): string => USUAL.find(([pattern]) => pattern.test(name))?.[1] ?? "256";
