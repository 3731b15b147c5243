/** @file Layers that a class makes in its __init__: the weights they hold and the op they call. PyTorch's torch.nn. */

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
  /** The type that an input of this layer may have. */
  readonly input?: (args: LayerArgs) => string;
}

const weight = (suffix: string, ...shape: readonly string[]): Weight => ({ suffix, type: `f32[${shape.join(", ")}]`, source: "param()" }); // prettier-ignore
const at = (args: LayerArgs, name: string): string => args.get(name) ?? "1";
const wanted = (args: LayerArgs, name: string): boolean => args.get(name) !== "False" && args.get(name) !== "None";
/** Keywords that differ from their default. */
const said = (...names: readonly (readonly [name: string, usual: string])[]) => (args: LayerArgs): readonly string[] =>
  names.flatMap(([name, usual]) => (at(args, name) === usual ? [] : [`${name}=${at(args, name)}`])); // prettier-ignore

/** `3` is a square of 3; `(3, 5)` is as it says. */
const sizes = (source: string, rank: number): readonly string[] => {
  const tuple = /^\((.*)\)$/.exec(source)?.[1];
  return tuple ? tuple.split(",").map((part) => part.trim()).filter((part) => part !== "") : Array.from({ length: rank }, () => source); // prettier-ignore
};

const plain = (op: string, ...params: readonly string[]): Layer => ({
  op,
  params,
  last: said(...params.filter((param) => !param.startsWith("inplace")).map((param) => param.split("=") as [string, string])), // prettier-ignore
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
    const w = weight("w", at(args, "out_channels"), share, ...sizes(at(args, "kernel_size"), rank));
    return wanted(args, "bias") ? [w, weight("b", at(args, "out_channels"))] : [w];
  },
  last: said(["stride", "1"], ["padding", "0"], ["dilation", "1"], ["groups", "1"]),
  input: (args) => `f32[8, ${[at(args, "in_channels"), ...Array.from({ length: rank }, () => "32")].join(", ")}]`,
});

const batchNorm: Layer = {
  op: "batch_norm",
  params: ["num_features", "eps=1e-5"],
  weights: (args) => [
    { ...weight("mean", at(args, "num_features")), source: "param(zeros())" },
    { ...weight("var", at(args, "num_features")), source: "param(ones())" },
    weight("w", at(args, "num_features")),
    weight("b", at(args, "num_features")),
  ],
  last: said(["eps", "1e-5"]),
  input: (args) => `f32[8, ${at(args, "num_features")}, 32, 32]`,
};

const pool = (op: string): Layer => plain(op, "kernel_size=", "stride=None", "padding=0");

/** By the name after `nn.`. */
export const LAYERS: ReadonlyMap<string, Layer> = new Map<string, Layer>([
  ["Linear", {
    op: "linear",
    params: ["in_features", "out_features", "bias=True"],
    weights: (args) => {
      const w = weight("w", at(args, "out_features"), at(args, "in_features"));
      return wanted(args, "bias") ? [w, weight("b", at(args, "out_features"))] : [w];
    },
    input: (args) => `f32[8, 64, ${at(args, "in_features")}]`,
  }],
  ["LayerNorm", {
    op: "layer_norm",
    params: ["normalized_shape", "eps=1e-5", "elementwise_affine=True", "bias=True"],
    first: (args) => (wanted(args, "elementwise_affine") ? [] : [`(${sizes(at(args, "normalized_shape"), 1).join(", ")},)`]),
    weights: (args) => {
      if (!wanted(args, "elementwise_affine")) return [];
      const shape = sizes(at(args, "normalized_shape"), 1);
      return wanted(args, "bias") ? [weight("w", ...shape), weight("b", ...shape)] : [weight("w", ...shape)];
    },
    last: said(["eps", "1e-5"]),
    input: (args) => `f32[8, 64, ${sizes(at(args, "normalized_shape"), 1).join(", ")}]`,
  }],
  ["RMSNorm", {
    op: "rms_norm",
    params: ["normalized_shape", "eps=1e-6"],
    weights: (args) => [weight("w", ...sizes(at(args, "normalized_shape"), 1))],
    last: (args) => [`eps=${at(args, "eps")}`],
    input: (args) => `f32[8, 64, ${sizes(at(args, "normalized_shape"), 1).join(", ")}]`,
  }],
  ["GroupNorm", {
    op: "group_norm",
    params: ["num_groups", "num_channels", "eps=1e-5"],
    first: (args) => [at(args, "num_groups")],
    weights: (args) => [weight("w", at(args, "num_channels")), weight("b", at(args, "num_channels"))],
    last: said(["eps", "1e-5"]),
    input: (args) => `f32[8, ${at(args, "num_channels")}, 32, 32]`,
  }],
  ["Embedding", {
    op: "embedding",
    params: ["num_embeddings", "embedding_dim"],
    weights: (args) => [weight("w", at(args, "num_embeddings"), at(args, "embedding_dim"))],
    input: (args) => `i32[8, 64] = uniform(0, ${at(args, "num_embeddings")})`,
  }],
  ["Conv1d", conv(1)], ["Conv2d", conv(2)], ["Conv3d", conv(3)],
  ["BatchNorm1d", batchNorm], ["BatchNorm2d", batchNorm], ["BatchNorm3d", batchNorm],
  ["Dropout", { op: "dropout", params: ["p=0.5", "inplace=False"], last: (args) => [`p=${at(args, "p")}`] }],
  ["ReLU", plain("relu", "inplace=False")], ["ReLU6", plain("relu6", "inplace=False")], ["SiLU", plain("silu", "inplace=False")],
  ["GELU", plain("gelu", "approximate='none'")], ["Sigmoid", plain("sigmoid")], ["Tanh", plain("tanh")], ["Softplus", plain("softplus")],
  ["LeakyReLU", plain("leaky_relu", "negative_slope=0.01", "inplace=False")], ["ELU", plain("elu", "alpha=1.0", "inplace=False")],
  ["Softmax", plain("softmax", "dim=None")], ["LogSoftmax", plain("log_softmax", "dim=None")], ["Mish", plain("mish")],
  ["Hardswish", plain("hard_swish", "inplace=False")], ["Hardsigmoid", plain("hard_sigmoid", "inplace=False")],
  ["Flatten", { op: "flatten", params: ["start_dim=1", "end_dim=-1"], first: (args) => [at(args, "start_dim")] }],
  ["MaxPool1d", pool("max_pool1d")], ["MaxPool2d", pool("max_pool2d")], ["AvgPool1d", pool("avg_pool1d")], ["AvgPool2d", pool("avg_pool2d")],
  ["AdaptiveAvgPool2d", { op: "adaptive_avg_pool2d", params: ["output_size"], first: (args) => [at(args, "output_size")] }],
  ["Identity", { op: "", params: [] }],
]); // prettier-ignore

/** Sizes that a class takes and nobody says: what people usually call them. */
const USUAL: readonly (readonly [RegExp, string])[] = [
  [/vocab|num_embeddings/, "1024"],
  [/heads?$|^n_head|groups/, "8"],
  [/classes|n_out/, "16"],
  [/drop|^p$/, "0.1"],
  [/eps/, "1e-5"],
  [/bias|causal|affine/, "True"],
  [/(in|input)_ch/, "16"],
  [/kernel|^k$/, "3"],
  [/stride|layers?$|depth|ratio|mult/, "2"],
  [/len|block_size|seq|context|positions/, "64"],
];

/** A size for a parameter called `name`. */
export const usualValue = (name: string): string => USUAL.find(([pattern]) => pattern.test(name))?.[1] ?? "256";
