/** @file Layers that are made where they are called, `nn.Dense(64)(x)`, `nn.GELU()(h)`, `self.param("scale", ones, (d,))`: their weights are inputs with the sizes of what they meet. */
import type { Attrs, Shape } from "../ir";
import { findOp, opDef, withDefaults } from "../ops";
import { applyOp } from "./apply";
import type { GivenArgument } from "./bind";
import type { Interpreter, StatementRun } from "./interpreter";
import { addNode, typeOf } from "./interpreter";
import type { Expr } from "./syntax";
import type { Operand, Value } from "./values";
import { BROKEN, describe, isBroken, numberValue, tensorValue } from "./values";

interface At {
  readonly path: string;
  readonly expr: Expr;
}

/** Weights of a layer whose input has `width` elements on its last axis; null: one that is not given. */
interface Inline {
  readonly op: string;
  /** Names of its sizes and flags, in order. */
  readonly params: readonly string[];
  readonly weights: (
    argument: (name: string) => Value | undefined,
    width: number,
  ) => readonly (readonly [name: string, shape: Shape])[] | null;
  readonly eps?: number;
}

const size = (value: Value | undefined): number | null =>
  value?.kind === "number" && Number.isInteger(value.value) ? value.value : null;
const off = (value: Value | undefined): boolean => value?.kind === "bool" && !value.value;

const dense: Inline = {
  op: "linear",
  params: ["features", "use_bias"],
  weights(argument, width) {
    const features = size(argument("features") ?? argument("output_size"));
    if (features === null) return null;
    const bias = off(argument("use_bias") ?? argument("with_bias")) ? [] : [["bias", [features]] as const];
    return [["kernel", [features, width]], ...bias];
  },
};
const norm = (op: string, eps: number): Inline => ({
  op,
  params: ["epsilon"],
  eps,
  weights: (argument, width) => [
    ...(off(argument("use_scale") ?? argument("create_scale")) ? [] : [["scale", [width]] as const]),
    ...(op === "rms_norm" || off(argument("use_bias") ?? argument("create_offset"))
      ? []
      : [["bias", [width]] as const]),
  ],
});

/** By the name after `nn.` or `hk.`; PyTorch's layers say both of their sizes and are made in an __init__. */
const INLINE: ReadonlyMap<string, Inline> = new Map([
  ["Dense", dense],
  ["Linear", dense],
  ["LayerNorm", norm("layer_norm", 1e-6)],
  ["RMSNorm", norm("rms_norm", 1e-6)],
  [
    "Embed",
    {
      op: "embedding",
      params: ["num_embeddings", "features"],
      weights: (argument) => {
        const [rows, width] = [
          size(argument("num_embeddings") ?? argument("vocab_size")),
          size(argument("features") ?? argument("embed_dim")),
        ];
        return rows === null || width === null ? null : [["embedding", [rows, width]]];
      },
    },
  ],
]);

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
  const sizes = given.filter(({ name: word, operand }) => !word && size(operand.value) !== null);
  return INLINE.has(name) && !(name === "Linear" && sizes.length > 1) ? { kind: "layer", name, args: given } : null;
}

/** An input that is a weight, under the layer's own path. */
function weightNode(
  interpreter: Interpreter,
  run: StatementRun,
  { path, expr }: At,
  name: string,
  shape: Shape,
): Value {
  const attrs = withDefaults(opDef("input"), { source: "randn", role: "param" });
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
  { name, args }: Extract<Value, { kind: "layer" }>,
  [input]: readonly Operand[],
): Value {
  const layer = INLINE.get(name)!;
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
  const operands = weights.map(([word, shape]): Operand => ({
    value: weightNode(interpreter, run, at, word, shape),
    path: `${at.path}.${word}`,
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
