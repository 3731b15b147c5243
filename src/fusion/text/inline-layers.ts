/** @file Layers that are made where they are called, `nn.Dense(64)(x)`, `nn.GELU()(h)`, `self.param("scale", ones, (d,))`: their weights are inputs with the sizes of what they meet. */
import { nodeId, type Attrs, type Shape } from "../ir";
import { findOp, opDef, withDefaults } from "../ops";
import { applyOp } from "./apply";
import type { GivenArgument } from "./bind";
import type { Interpreter, StatementRun } from "./interpreter";
import { startingWeights } from "./starting-weights";
import { addNode, typeOf } from "./interpreter";
import type { Expr } from "./syntax";
import type { Operand, PartialArgument, Value } from "./values";
import { BROKEN, describe, isBroken, numberValue, tensorValue } from "./values";

interface At {
  readonly path: string;
  readonly expr: Expr;
}

/** A weight, and where its numbers come from when a run starts. */
type Started = readonly [name: string, shape: Shape, source: Attrs];

const SCALE: Attrs = { source: "uniform", lo: 0.5, hi: 1.5 };
const SHIFT: Attrs = { source: "uniform", lo: -0.5, hi: 0.5 };

/** Weights of a layer whose input has `width` elements on its last axis; null: one that is not given. */
interface Inline {
  readonly op: string;
  /** Names of its sizes and flags, in order. */
  readonly params: readonly string[];
  readonly weights: (argument: (name: string) => Value | undefined, width: number) => readonly Started[] | null;
  readonly eps?: number;
}

const size = (value: Value | undefined): number | null =>
  value?.kind === "number" && Number.isInteger(value.value) ? value.value : null;
const off = (value: Value | undefined): boolean => value?.kind === "bool" && !value.value;

type Arguments = (name: string) => Value | undefined;

function denseWeights(argument: Arguments, width: number): readonly Started[] | null {
  const features = size(argument("features") ?? argument("output_size") ?? argument("out_features"));
  if (features === null) return null;
  const source = startingWeights(width);
  const none = off(argument("use_bias") ?? argument("with_bias") ?? argument("bias"));
  return [["kernel", [features, width], source], ...(none ? [] : [["bias", [features], source] as const])];
}
const dense: Inline = { op: "linear", params: ["features", "use_bias"], weights: denseWeights };
/** PyTorch's, which says both of its sizes. */
const linear: Inline = { ...dense, params: ["in_features", "out_features", "bias"] };

const norm = (op: string, eps: number, params: readonly string[] = ["epsilon"]): Inline => ({
  op,
  params,
  eps,
  weights: (argument, width) => [
    ...(off(argument("use_scale") ?? argument("create_scale")) ? [] : [["scale", [width], SCALE] as const]),
    ...(op === "rms_norm" || off(argument("use_bias") ?? argument("create_offset") ?? argument("bias"))
      ? []
      : [["bias", [width], SHIFT] as const]),
  ],
});

const embedding = (rowsBy: readonly string[], widthBy: readonly string[]): Inline => ({
  op: "embedding",
  params: [rowsBy[0]!, widthBy[0]!],
  weights: (argument) => {
    const [rows, width] = [rowsBy, widthBy].map((names) =>
      size(names.map(argument).find((value) => value !== undefined)),
    ) as [number | null, number | null];
    return rows === null || width === null ? null : [["embedding", [rows, width], { source: "randn" }]];
  },
});

/** By the name after `nn.` or `hk.`: layers of flax and haiku take the size of their input from what they meet. */
const INLINE: ReadonlyMap<string, Inline> = new Map([
  ["Dense", dense],
  ["Linear", dense],
  ["LayerNorm", norm("layer_norm", 1e-6)],
  ["RMSNorm", norm("rms_norm", 1e-6)],
  ["Embed", embedding(["num_embeddings", "vocab_size"], ["features", "embed_dim"])],
  ["Embedding", embedding(["num_embeddings"], ["embedding_dim"])],
]);

/** The same layers as PyTorch makes them, told by the sizes that they begin with. */
const TORCH: ReadonlyMap<string, Inline> = new Map([
  ["Linear", linear],
  ["LayerNorm", norm("layer_norm", 1e-5, ["normalized_shape", "eps"])],
  ["RMSNorm", norm("rms_norm", 1e-6, ["normalized_shape", "eps"])],
]);

/** Which of the two a call means. */
function inlineOf(name: string, args: readonly PartialArgument[]): Inline {
  const words = new Set(args.map((arg) => arg.name?.text));
  const sizes = args.filter((arg) => !arg.name && size(arg.operand.value) !== null).length;
  const torch = name === "Linear" ? sizes > 1 || words.has("in_features") : sizes > 0 || words.has("normalized_shape");
  return (torch ? TORCH.get(name) : undefined) ?? INLINE.get(name)!;
}

/** Layers without weights: the op they call, and the names of their arguments in order. */
const PLAIN: ReadonlyMap<string, readonly [op: string, ...params: string[]]> = new Map([
  ["GELU", ["gelu", "approximate"]],
  ["ReLU", ["relu"]],
  ["SiLU", ["silu"]],
  ["Sigmoid", ["sigmoid"]],
  ["Tanh", ["tanh"]],
  ["Softplus", ["softplus"]],
  ["Identity", ["identity"]],
  ["Dropout", ["dropout", "p"]],
  ["Mish", ["mish"]],
  ["Hardswish", ["hard_swish"]],
  ["Softmax", ["softmax", "dim"]],
  ["LogSoftmax", ["log_softmax", "dim"]],
  ["LeakyReLU", ["leaky_relu", "negative_slope"]],
  ["ELU", ["elu", "alpha"]],
  ["Flatten", ["flatten", "start_dim", "end_dim"]],
  ["ZeroPad2d", ["pad", "pads"]],
  ["MaxPool2d", ["max_pool2d", "kernel_size", "stride", "padding"]],
  ["AvgPool2d", ["avg_pool2d", "kernel_size", "stride", "padding"]],
  ["AdaptiveAvgPool2d", ["adaptive_avg_pool2d", "output_size"]],
  ["CrossEntropyLoss", ["cross_entropy", "weight"]],
  ["MSELoss", ["mse_loss"]],
  ["L1Loss", ["l1_loss"]],
  ["BCEWithLogitsLoss", ["binary_cross_entropy_with_logits", "weight"]],
]);

/** Every layer that a call can make. */
export const layerNames: readonly string[] = [...INLINE.keys(), ...PLAIN.keys()];

/** What `name(…)` makes: a layer that waits for its input; null for a name that is no layer, or one that says its input's size. */
export function layerOf(name: string, given: readonly GivenArgument[]): Value | null {
  const plain = PLAIN.get(name);
  if (plain) {
    const [op, ...params] = plain;
    const args = given.map((arg, i) =>
      arg.name || !params[i] ? arg : { ...arg, name: { text: params[i], span: arg.span } },
    );
    return { kind: "partial", of: { kind: "op", op: findOp(op)! }, args };
  }
  return INLINE.has(name) ? { kind: "layer", name, args: given, first: { path: null } } : null;
}

/** An input that is a weight, under the layer's own path. */
function weightNode(
  interpreter: Interpreter,
  run: StatementRun,
  { path, expr }: At,
  name: string,
  shape: Shape,
  source: Attrs = { source: "randn" },
): Value {
  const known = nodeId(`${path}.${name}`);
  if (interpreter.nodes.has(known)) return tensorValue(known);
  const attrs = withDefaults(opDef("input"), { ...source, role: "param" });
  const made = {
    id: `${path}.${name}`,
    op: "input",
    inputs: [],
    attrs,
    type: { dtype: "f32", shape },
    label: name,
    groups: run.frame.groups,
    span: expr.span,
  } as const;
  const node = addNode(interpreter, made);
  interpreter.sites.set(node, { node, expr, run, param: null, op: null, attrs, operands: [] });
  return tensorValue(node);
}

/** A layer called with its input. */
export function callLayer(
  interpreter: Interpreter,
  run: StatementRun,
  at: At,
  { name, args, first }: Extract<Value, { kind: "layer" }>,
  [input]: readonly Operand[],
): Value {
  const layer = inlineOf(name, args);
  if (!input || isBroken(input.value)) return BROKEN;
  if (input.value.kind !== "tensor" || interpreter.unknown.has(input.value.node)) {
    if (input.value.kind !== "hole" && input.value.kind !== "tensor")
      interpreter.diagnostics.add(
        "bad-argument",
        at.expr.span,
        `${name} takes a tensor; this is ${describe(input.value)}.`,
      );
    return BROKEN;
  }
  const argument = (word: string): Value | undefined =>
    (args.find((arg) => arg.name?.text === word) ?? args.filter((arg) => !arg.name)[layer.params.indexOf(word)])
      ?.operand.value;
  const weights = layer.weights(argument, typeOf(interpreter, input.value.node).shape.at(-1) ?? 1);
  if (!weights) {
    interpreter.diagnostics.add(
      "bad-argument",
      at.expr.span,
      `${name} needs ${layer.params[0]}, a whole number that is known before the graph runs.`,
    );
    return BROKEN;
  }
  // Called again, a layer has the weights of its first call.
  first.path ??= at.path;
  const { path } = first;
  const operands = weights.map(([word, shape, source]): Operand => ({
    value: weightNode(interpreter, run, { path, expr: at.expr }, word, shape, source),
    path: `${path}.${word}`,
    expr: null,
  }));
  const op = findOp(layer.op)!;
  const optional = op.params.filter(({ kind }) => kind === "tensor").length - 1 - operands.length;
  const tensors = [input, ...operands, ...Array.from({ length: Math.max(0, optional) }, () => null)];
  const eps = argument("epsilon") ?? argument("eps");
  const attrs: Attrs = layer.eps === undefined ? {} : { eps: eps?.kind === "number" ? eps.value : layer.eps };
  return applyOp(interpreter, run, { op, ...at }, { tensors, attrs: withDefaults(op, attrs) });
}

/** `self.param("scale", init, (d,))`, `hk.get_parameter("w", [d])`: a weight of this shape. */
export function namedWeight(
  interpreter: Interpreter,
  run: StatementRun,
  at: At,
  operands: readonly Operand[],
): Value | null {
  const [name, ...rest] = operands.map(({ value }) => value);
  const shape =
    rest.find((value) => value.kind === "sequence" || value.kind === "number") ?? numberValue(Number.NaN, false);
  const sizes = shape.kind === "sequence" ? shape.items.map(({ value }) => size(value)) : [size(shape)];
  if (name?.kind !== "string" || sizes.includes(null)) return null;
  return weightNode(interpreter, run, at, name.value, sizes.map(Number));
}
