/** @file A layer of a library as a value: made by a call, called with its input, asked for its weights and sizes. */
import { type NodeId } from "../../ir";
import { findOp } from "../../ops";
import { isTorchIn } from "../calls/dialect";
import { einops, isEinops } from "../calls/einops";
import { noteWanted } from "../calls/wanted";
import type { CallAt, Interpreter, StatementRun } from "../interpreter";
import { modeOf, typeOf } from "../interpreter";
import { libraryDef, libraryScope } from "../library/library";
import type { Expr, Identifier } from "../reading/syntax";
import {
  BROKEN,
  describe,
  type GivenArgument,
  isBroken,
  type LayerInfo,
  numberValue,
  type Operand,
  tensorValue,
  unnamed,
  type Value,
} from "../values/values";
import { LayerArguments } from "./arguments";
import { LAYERS, layerType, type LayerType, type LayerWeight } from "./table";
import { beginOf } from "./begins";
import { SCALE, SHIFT, startingAs } from "./starting-weights";
import { weightNode } from "./weights";

export const layerNames: readonly string[] = [...LAYERS.keys()];
export const isLayer = (name: string): boolean => LAYERS.has(name);

/** The layer of a function, as configurations call it: `gelu`; null where none is. */
export function layerNamed(word: string): Value | null {
  const op = findOp(word)?.name ?? word;
  const found = [...LAYERS].find(([, type]) => type.op === op);
  return found ? { kind: "layer-class", name: found[0] } : null;
}

/** What `nn.name(…)` makes; null for a name that is no layer. */
export const layerOf = (type: string, args: readonly GivenArgument[], expr: Expr): Value | null =>
  LAYERS.has(type) ? { kind: "layer", layer: { ...unnamed(), type, args, expr } } : null;

interface Read {
  readonly type: LayerType;
  readonly args: LayerArguments;
}

function read({ type, args }: LayerInfo): Read {
  const sizes = args.filter(({ name, operand: { value } }) => !name && value.kind !== "bool");
  const found = layerType(type, sizes.length, new Set(args.map(({ name }) => name?.text ?? "")))!;
  return { type: found, args: new LayerArguments(found.params, args) };
}

/** What flax says of the mode, in each call or where a layer is made; PyTorch sets it once. */
const MODE = /^(deterministic|use_running_average|train|training|rngs?|mutable)$/;

/** What sets up, names or moves a layer, and changes no value. */
const IDLE =
  /_?(init|initializer|dtype|device)$|^(name|rngs?|key|generator|padding_idx|precision|num_features|in_features|features|parent|sparse|scale_grad_by_freq)$|^\w_init$/;
/** What changes no value as long as it says what holds anyway. */
const IDLE_AS: readonly (readonly [word: RegExp, says: (value: Value) => boolean])[] = [
  [/_?(axis|axes)$/, (value) => value.kind === "none" || (value.kind === "number" && value.value === -1)],
  [/^max_norm$/, (value) => value.kind === "none"],
  [/^(size_average|reduce)$/, (value) => value.kind === "none" || (value.kind === "bool" && value.value)],
];

const isIdle = ({ name, operand: { value } }: GivenArgument): boolean =>
  !name ||
  IDLE.test(name.text) ||
  MODE.test(name.text) ||
  IDLE_AS.some(([word, says]) => word.test(name.text) && says(value));

/** Says what the layer can't be made of; whether there is something. */
function isRefused(interpreter: Interpreter, { type: name, expr }: LayerInfo, { type, args }: Read): boolean {
  const odd = args.odd.find((arg) => !isIdle(arg) && type.op !== "rearrange" && type.op !== "reduce");
  const text = odd
    ? `${name} has no argument \`${odd.name!.text}\`. It has ${type.params.map((param) => `\`${param.split("=")[0]!}\``).join(", ")}.`
    : type.refuses?.(args);
  if (text) interpreter.diagnostics.add("bad-argument", odd?.span ?? expr.span, text);
  return Boolean(text);
}

/** Weights by the arguments that say how they begin. */
const INITS: ReadonlyMap<string, string> = new Map([
  ["kernel_init", "kernel"],
  ["w_init", "kernel"],
  ["bias_init", "bias"],
  ["b_init", "bias"],
  ["scale_init", "scale"],
  ["embedding_init", "embedding"],
]);

function weightOperand(
  interpreter: Interpreter,
  run: StatementRun,
  layer: LayerInfo,
  { name, shape, source, begin, buffer }: LayerWeight,
  path: string,
): Operand {
  const { expr } = layer;
  const draws = layer.args.find((arg) => INITS.get(arg.name?.text ?? "") === name)?.operand.value;
  const said = draws ? beginOf(interpreter, run, { expr, path }, draws, shape) : null;
  const at = { named: layer, path, name, shape, source, begin: said ?? begin ?? null, ...(buffer && { buffer }), expr };
  const node = weightNode(interpreter, run, at);
  return { value: tensorValue(node), path: "", expr: null };
}

/** The function that a layer is; its keywords are those of `args` that it has parameters for. */
function functionOf(name: string): {
  readonly value: Value;
  readonly names: ReadonlySet<string>;
  /** What only the library's function of that name understands: passed on where it is given. */
  readonly more: ReadonlySet<string>;
  /** Its parameters that are tensors. */
  readonly tensors: ReadonlySet<string>;
} | null {
  const op = findOp(name);
  if (op && op.kind !== "source")
    return {
      more: new Set(
        libraryDef(op.name, "torch")?.params.flatMap(({ name: { text } }) =>
          op.params.some(({ names }) => names.includes(text)) ? [] : [text],
        ),
      ),
      value: { kind: "op", op },
      names: new Set(op.params.filter(({ kind }) => kind !== "tensor").flatMap((param) => param.names)),
      tensors: new Set(op.params.filter(({ kind }) => kind === "tensor").flatMap((param) => param.names)),
    };
  const def = libraryDef(name, "torch");
  return (
    def && {
      value: { kind: "def", def, scope: libraryScope() },
      names: new Set(def.params.map((param) => param.name.text)),
      more: new Set(),
      tensors: new Set(),
    }
  );
}

function trains(interpreter: Interpreter, layer: LayerInfo, args: readonly GivenArgument[]): boolean {
  const said = args.find(({ name }) => name && /^(deterministic|use_running_average)$/.test(name.text))?.operand.value;
  return said?.kind === "bool" ? !said.value : (modeOf(interpreter, layer) ?? false);
}

/** Says once that dropout is off where PyTorch's new modules train, and nothing says that this one does not. */
function tellOff(interpreter: Interpreter, at: CallAt, layer: LayerInfo, args: LayerArguments): void {
  const p = args.value("p");
  if (p?.kind !== "number" || p.value === 0) return;
  if (!isTorchIn(interpreter) || modeOf(interpreter, layer) !== null || interpreter.diagnostics.has("inference"))
    return;
  const text = "Dropout is off: the module is read as for inference. Write m.train() for training.";
  interpreter.diagnostics.add("inference", at.expr.span, text, { severity: "info" });
}

/** A layer called with its input. */
export function callLayer(
  interpreter: Interpreter,
  run: StatementRun,
  at: CallAt,
  layer: LayerInfo,
  all: readonly GivenArgument[],
): Value {
  const given = all.filter(({ name }) => !name || !MODE.test(name.text));
  const [input] = given;
  if (!input || given.some(({ operand }) => isBroken(operand.value))) return BROKEN;
  const { value } = input.operand;
  if (value.kind !== "tensor" && value.kind !== "hole" && value.kind !== "number") {
    interpreter.diagnostics.add(
      "bad-argument",
      at.expr.span,
      `${layer.type} takes a tensor; this is ${describe(value)}.`,
    );
    return BROKEN;
  }
  const found = read(layer);
  const { type, args } = found;
  if (isRefused(interpreter, layer, found)) return BROKEN;
  const open = value.kind !== "tensor" || interpreter.unknown.has(value.node);
  const wanted = type.input?.(args);
  if (value.kind === "tensor" && open && wanted) noteWanted(interpreter, value.node, wanted);
  const width = value.kind === "tensor" && !open ? (typeOf(interpreter, value.node).shape.at(-1) ?? 1) : null;
  const weights = type.weights?.(args, width) ?? (type.weights ? null : []);
  if (!weights) {
    if (open && type.weights?.(args, 1)) return BROKEN;
    const missing = type.params.filter((param) => !param.includes("=")).map((param) => `\`${param}\``);
    interpreter.diagnostics.add(
      "bad-argument",
      at.expr.span,
      `${layer.type} needs ${missing.join(" and ")}, whole numbers that are known before the graph runs.`,
    );
    return BROKEN;
  }
  if (isEinops(type.op, [input.operand, args.operand("pattern") ?? input.operand]))
    return einops(interpreter, run, { ...at, name: { text: type.op, span: at.expr.callee.span } }, [
      input,
      ...layer.args,
    ]);
  const callee = functionOf(type.op);
  if (!callee) return BROKEN;
  const keyword = (text: string, operand: Operand): GivenArgument => ({
    name: { text, span: at.expr.span },
    operand,
    span: at.expr.span,
  });
  const options = new Map<string, Operand>();
  for (const name of args.names()) {
    const option = args.value(name)!;
    // `bias=True` says that there is such a weight.
    const isWeight = weights.some((each) => (each.to ?? each.name) === name);
    const understands = callee.names.has(name)
      ? args.given(name) || option.kind !== "none"
      : callee.more.has(name) && args.given(name);
    if (!isWeight && understands) options.set(name, args.operand(name) ?? { value: option, path: "", expr: null });
  }
  for (const [name, option] of Object.entries(type.options?.(args) ?? {}))
    options.set(name, { value: option, path: "", expr: null });
  // Weights of a loss are tensors that the program gives it.
  const own = type.weights ? [] : [...args.names()].filter((name) => callee.tensors.has(name));
  const tensors = own.flatMap((name) => {
    const operand = args.operand(name);
    return operand && operand.value.kind !== "none" ? [keyword(name, operand)] : [];
  });
  // A module is as after eval() until the program says otherwise.
  if (callee.names.has("training")) tellOff(interpreter, at, layer, args);
  if (callee.names.has("training") && !options.has("training"))
    options.set("training", {
      value: { kind: "bool", value: trains(interpreter, layer, [...all, ...layer.args]) },
      path: "",
      expr: null,
    });
  const inPlace = args.operand("inplace")?.value;
  if (inPlace?.kind === "bool" && inPlace.value) options.set("inplace", { value: inPlace, path: "", expr: null });
  const result = interpreter.call(run, { ...at, called: type.op }, callee.value, [
    ...given,
    ...weights.map((each) => keyword(each.to ?? each.name, weightOperand(interpreter, run, layer, each, at.path))),
    ...tensors,
    ...[...options].map(([name, operand]) => keyword(name, operand)),
  ]);
  const training = options.get("training")?.value;
  if (type.counts?.(args) && training?.kind === "bool" && training.value && result.kind === "tensor")
    (layer.batches ??= []).push(result.node);
  return result;
}

/** Makes the weights of a layer whose sizes are known before it is called, by their names. */
export function makeWeights(
  interpreter: Interpreter,
  run: StatementRun,
  layer: LayerInfo,
): ReadonlyMap<string, NodeId> {
  const { type, args } = read(layer);
  for (const weight of type.weights?.(args, null) ?? []) {
    const { size } = interpreter.nodes;
    const { value } = weightOperand(interpreter, run, layer, weight, "");
    // One that no call reads is none of the program's inputs; one that was there may be what training makes of it.
    if (value.kind === "tensor" && interpreter.nodes.size > size) interpreter.spare.add(value.node);
  }
  return layer.weights;
}

const BATCHES = "num_batches_tracked";

/** How many calls have trained the layer: those whose results are still there. */
const batchesOf = ({ nodes }: Interpreter, { batches = [] }: LayerInfo): Value => ({
  ...numberOf(batches.filter((id) => nodes.has(id)).length),
  isTensor: true,
});
const numberOf = (value: number) => ({ kind: "number", value, whole: true }) as const;

/** What a layer keeps beside its weights, by name. */
export function countsOf(interpreter: Interpreter, layer: LayerInfo): readonly (readonly [string, Value])[] {
  const { type, args } = read(layer);
  return type.counts?.(args) ? [[BATCHES, batchesOf(interpreter, layer)]] : [];
}

/** A weight or an argument of a layer, `fc.weight`, `fc.in_features`; null where it has no such thing. */
export function layerMember(
  interpreter: Interpreter,
  run: StatementRun,
  layer: LayerInfo,
  { text }: Identifier,
  path: string,
): Value | null {
  const { type, args } = read(layer);
  const weights = type.weights?.(args, null) ?? [];
  const weight = weights.find(({ name }) => name === text);
  if (weight) return weightOperand(interpreter, run, layer, weight, path).value;
  if (text === "weight" || text === "bias") return type.weights ? { kind: "none" } : null;
  if (text === BATCHES && type.counts?.(args)) return batchesOf(interpreter, layer);
  const each = type.perAxis?.names.includes(text) ? args.sizes(text, type.perAxis.count) : null;
  if (each)
    return { kind: "sequence", items: each.map((size) => ({ value: numberValue(size, true), path: "", expr: null })) };
  return args.value(text) ?? args.odd.find(({ name }) => name?.text === text)?.operand.value ?? null;
}

/** `self.param("scale", init, (d,))`, `hk.get_parameter("w", [d])`: a weight of this shape. */
export function namedWeight(
  interpreter: Interpreter,
  run: StatementRun,
  at: CallAt,
  operands: readonly Operand[],
  holder = unnamed(),
): Value | null {
  const size = (value: Value): number | null =>
    value.kind === "number" && Number.isInteger(value.value) ? value.value : null;
  const [name, ...rest] = operands.map(({ value }) => value);
  const draws = rest.find(({ kind }) => kind === "def" || kind === "partial" || kind === "op");
  const shape = rest.find((value) => value.kind === "sequence" || value.kind === "number");
  if (name?.kind !== "string" || !shape) return null;
  const sizes = shape.kind === "sequence" ? shape.items.map(({ value }) => size(value)) : [size(shape)];
  if (sizes.includes(null)) return null;
  const begin = draws ? beginOf(interpreter, run, at, draws, sizes.map(Number)) : null;
  const named = { named: holder, path: at.path, name: name.value, shape: sizes.map(Number), expr: at.expr };
  // What begins with ones is a scale, or a variance, which is above 0.
  // A draw stands for itself, as small as a layer needs it.
  const drawn = /^(randn|uniform)$/.test(String(begin?.["source"])) ? begin! : startingAs(sizes.map(Number));
  const source = begin?.["source"] === "ones" ? SCALE : begin?.["source"] === "zeros" ? SHIFT : drawn;
  return tensorValue(weightNode(interpreter, run, { ...named, source, begin }));
}
