/** @file Tensors that share memory, as PyTorch's and NumPy's do: second names, views, items of lists. What is written in place through one of them is read through all. */
import { stridesOf, type NodeId, type TensorType } from "../../ir";
import { isView, opDef, stridesOfView, throughView, type Strides } from "../../ops";
import type { Interpreter, StatementRun } from "../interpreter";
import { typeOf } from "../interpreter";
import type { Expr } from "../reading/syntax";
import type { Memory, Operand, Value, ViewStep } from "../values/values";
import { keepWritten } from "../objects/parameters";
import { shownFor } from "../values/grown";
import { applyParts } from "./apply";

/** JAX's arrays never change: `x += 1` makes another there. */
const IMMUTABLE = /\b(jax|jnp|flax|nnx|equinox|eqx|haiku|hk|optax)\b/;

/** The memory of a program; null where nothing is written in place. */
export const memoryOf = (text: string): Memory | null =>
  IMMUTABLE.test(text) && !/\btorch\b/.test(text) ? null : { later: new Map(), views: new WeakMap(), reads: null };

/** What shares memory with its first tensor, by the name of the call. NumPy's flatten copies; its ravel does not. */
const VIEWS: ReadonlySet<string> = new Set([
  "view",
  "view_as",
  "reshape",
  "reshape_as",
  "ravel",
  "flatten",
  "unflatten",
  "transpose",
  "permute",
  "swapaxes",
  "swapdims",
  "movedim",
  "moveaxis",
  "t",
  "squeeze",
  "unsqueeze",
  "expand_dims",
  "chunk",
  "split",
  "tensor_split",
  "array_split",
  "unbind",
  "select",
  "narrow",
  "detach",
  "to",
  "type",
  "float",
  "half",
  "int",
  "long",
  "bool",
  "double",
]);
/** Views that are no movement of whole axes: what is written into one does not reach the tensor here. */
const LOOSE_VIEWS: ReadonlySet<string> = new Set(["diagonal", "expand", "expand_as", "broadcast_to", "unfold"]);

/** Whether NumPy's arrays are meant: an element of one is a number of its own. */
const isNumpy = (text: string): boolean => /\b(np|numpy)\b|\.copy\(\)/.test(text) && !/\btorch\b/.test(text);

/** Whether the call of this name answers views. */
export const answersViews = ({ text }: Interpreter, name: string): boolean =>
  (VIEWS.has(name) && !(name === "flatten" && isNumpy(text))) || LOOSE_VIEWS.has(name);

/** Notes that `value`, a tensor or a tuple of tensors, shares the memory of `base`, and answers whether it does not because its elements lie there in another order. */
export function noteView(interpreter: Interpreter, base: Value, value: Value, name?: string): "copied" | null {
  const { memory } = interpreter;
  if (!memory || base.kind !== "tensor" || value === base) return null;
  if (value.kind === "sequence") for (const item of value.items) noteView(interpreter, base, item.value);
  if (value.kind !== "tensor" || memory.views.has(value) || interpreter.unknown.has(value.node)) return null;
  if (typeOf(interpreter, value.node).shape.length === 0 && isNumpy(interpreter.text)) return null;
  const steps = stepsTo(interpreter, base.node, value.node);
  const was = steps && layoutOf(interpreter, base);
  if (was && !layoutThrough(was, steps)) return "copied";
  if (steps || LOOSE_VIEWS.has(name ?? "")) memory.views.set(value, { base, steps });
  return null;
}

interface Layout {
  readonly type: TensorType;
  readonly strides: Strides;
}

/** Where the elements of a tensor lie in the memory that it shows; null where nobody knows. */
function layoutOf(interpreter: Interpreter, value: Value): Layout | null {
  if (value.kind !== "tensor") return null;
  const view = interpreter.memory?.views.get(value);
  const type = typeOf(interpreter, value.node);
  if (!view) return { type, strides: stridesOf(type.shape) };
  const whole = view.steps && layoutOf(interpreter, view.base);
  return whole && layoutThrough(whole, view.steps!);
}

function layoutThrough(whole: Layout, steps: readonly ViewStep[]): Layout | null {
  let now = whole;
  for (const { op, attrs } of steps) {
    const type = opDef(op).infer([now.type], attrs);
    const strides = type.ok
      ? stridesOfView(op, attrs, { shape: now.type.shape, strides: now.strides }, type.value.shape)
      : null;
    if (!type.ok || !strides) return null;
    now = { type: type.value, strides };
  }
  return now;
}

/** What `contiguous()` answers: a copy, where elements lie in another order than they are counted in. */
export function copiedInOrder(interpreter: Interpreter, value: Value): Value {
  if (value.kind !== "tensor" || !interpreter.memory?.views.has(value)) return value;
  const layout = layoutOf(interpreter, value);
  return layout && stridesOf(layout.type.shape).join() !== layout.strides.join() ? { ...value } : value;
}

/** The movements from `whole` to `part`; null where something else lies between, or nothing. */
function stepsTo({ nodes }: Interpreter, whole: NodeId, part: NodeId): readonly ViewStep[] | null {
  const steps: ViewStep[] = [];
  for (let at = part; at !== whole;) {
    const { op, attrs, inputs, type } = nodes.get(at)!;
    const [from] = inputs;
    if (from === undefined || !isView(op, nodes.get(from)!.type.dtype, type.dtype)) return null;
    steps.unshift({ op, attrs });
    at = from;
  }
  return steps.length > 0 ? steps : null;
}

/** An identity that no node has yet. */
function freePath({ nodes }: Interpreter, { root }: StatementRun, word: string): string {
  for (let i = 0; ; i++) if (!nodes.has(`${root}/${word}#${i}` as NodeId)) return `${root}/${word}#${i}`;
}

const operandOf = (value: Value, expr: Expr): Operand => ({ value, path: "", expr });

/** What `was` and everything that shares its memory stand for since `now` was stored over it. */
export function writeInPlace(interpreter: Interpreter, run: StatementRun, expr: Expr, was: Value, now: Value): void {
  const { memory } = interpreter;
  if (!memory || was.kind !== "tensor" || now.kind !== "tensor" || was === now || memory.later.has(was)) return;
  const view = memory.views.get(was);
  memory.later.set(was, now);
  keepWritten(interpreter, was, now);
  if (!view) return;
  const { steps } = view;
  if (!steps) {
    interpreter.diagnostics.add(
      "bad-target",
      expr.span,
      "This writes into a view whose elements can't be told apart in its tensor here: copy it first, or write into the tensor.",
    );
    return;
  }
  const base = current(interpreter, run, expr, view.base);
  const path = freePath(interpreter, run, "whole");
  const operands = [operandOf(base, expr), operandOf(now, expr)];
  const whole = applyParts(interpreter, run, { path, expr, label: "set" }, operands, (b, [x, part]) => {
    const stages = [x!];
    for (const { op, attrs } of steps.slice(0, -1)) stages.push(b.op("view", op, [stages.at(-1)!], attrs));
    return steps.reduceRight((value, { op, attrs }, at) => throughView(b, stages[at]!, op, attrs, value), part!);
  });
  memory.views.set(now, { base: whole, steps });
  writeInPlace(interpreter, run, expr, base, whole);
}

/** What a tensor that was bound or stored stands for now. */
export function current(interpreter: Interpreter, run: StatementRun, expr: Expr, value: Value): Value {
  const { memory } = interpreter;
  if (!memory) return value;
  let now = value;
  for (let next = memory.later.get(now); next; next = memory.later.get(now)) now = next;
  memory.reads?.add(now);
  const view = memory.views.get(now);
  if (!view?.steps) return now;
  const { steps } = view;
  const base = current(interpreter, run, expr, view.base);
  if (base === view.base) return now;
  const path = freePath(interpreter, run, "view");
  const again = applyParts(interpreter, run, { path, expr, label: "view" }, [operandOf(base, expr)], (b, [x]) =>
    steps.reduce((at, { op, attrs }) => b.op("view", op, [at], attrs), x!),
  );
  memory.views.set(again, { base, steps });
  memory.later.set(now, again);
  return again;
}

/** The tensor whose memory a value shows. */
export function wholeOf({ memory }: Interpreter, value: Value): Value {
  let at = value;
  for (let view = memory?.views.get(at); view; view = memory?.views.get(at)) at = view.base;
  return at;
}

/** The same of all tensors in a list or a dictionary. */
export function currentAll(interpreter: Interpreter, run: StatementRun, expr: Expr, value: Value): Value {
  const { memory } = interpreter;
  if (!memory || (memory.later.size === 0 && !memory.reads)) return value;
  if (value.kind === "tensor") return current(interpreter, run, expr, value);
  const renewed = (operand: Operand): Operand => {
    const now = currentAll(interpreter, run, expr, operand.value);
    return now === operand.value ? operand : { ...operand, value: now };
  };
  if (value.kind === "sequence") {
    const items = value.items.map(renewed);
    return items.every((item, i) => item === value.items[i]) ? value : shownFor(value, { ...value, items });
  }
  if (value.kind !== "dict") return value;
  const entries = [...value.entries].map(([key, operand]) => [key, renewed(operand)] as const);
  return entries.every(([key, operand]) => operand === value.entries.get(key))
    ? value
    : shownFor(value, { ...value, entries: new Map(entries) });
}
