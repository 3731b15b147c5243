/** @file Parameters that training moves: what holds them, and a parameter that is changed in place, `p.data -= lr * p.grad`. */
import type { NodeId, Span } from "../../ir";
import type { Frame, Interpreter } from "../interpreter";
import { canBegin, startAsTrained, startAttrs } from "../statements/starting-values";
import { type Named, type Scope, tensorValue, type Value } from "../values/values";

/** What holds a parameter: what a name stands for, or a weight of a layer or an object. */
export interface ParameterHome {
  readonly node: NodeId;
  /** The layer whose weight it is; null: names hold it. */
  readonly home: { readonly named: Named; readonly key: string } | null;
}

/** `p.requires_grad = False`: nothing trains it, from here on; or something does. */
export function freeze({ optimizing, weightOf, frozen }: Interpreter, node: NodeId, off: boolean): void {
  const first = optimizing.first.get(node) ?? node;
  const weight = weightOf.get(first);
  if (weight && off) weight.named.frozen.add(weight.key);
  else weight?.named.frozen.delete(weight.key);
  if (off) frozen.add(first);
  else frozen.delete(first);
}

/** Whether nothing trains a parameter. */
export function isFrozen({ optimizing, weightOf, frozen }: Interpreter, node: NodeId): boolean {
  const first = optimizing.first.get(node) ?? node;
  const weight = weightOf.get(first);
  return weight ? weight.named.frozen.has(weight.key) : frozen.has(first);
}

/** Whether a derivative by something that is trained may pass through a value. */
export function requiresGrad(interpreter: Interpreter, node: NodeId): boolean {
  const { nodes, optimizing } = interpreter;
  const seen = new Set([node]);
  for (const id of seen) {
    const first = optimizing.first.get(id) ?? id;
    const role = nodes.get(first)?.attrs["role"];
    if ((role === "param" || role === "state" || optimizing.first.has(id)) && !isFrozen(interpreter, id)) return true;
    if (!nodes.still.has(id)) for (const input of nodes.get(id)?.inputs ?? []) seen.add(input);
  }
  return false;
}

/** Where a text asks for gradients of a tensor: `requires_grad=True`, `x.requires_grad_()`. */
const TRACKED = /\brequires_grad|\bretain_grad/;

/** Warns of the gradient of a tensor of PyTorch, `w = torch.randn(8)`, for which the text never asks: it has one here, and none there. */
export function warnUntracked(interpreter: Interpreter, at: Span, asked: NodeId): void {
  const { text, optimizing, drawn, sites, diagnostics } = interpreter;
  const first = optimizing.first.get(asked) ?? asked;
  const made = drawn.has(first) && sites.get(first)?.expr;
  if (!made || made.kind !== "call" || TRACKED.test(text)) return;
  if (!text.startsWith("torch.", made.span.from)) return;
  const name = interpreter.nodes.get(first)!.label;
  const end = made.span.to - 1;
  const title = "Write requires_grad=True";
  diagnostics.add(
    "no-gradient",
    at,
    `In PyTorch \`${name}\` has no gradient: make it with requires_grad=True. It is computed here all the same.`,
    {
      severity: "warning",
      fixes: [{ title, edits: [{ span: { from: end, to: end }, insert: ", requires_grad=True" }] }],
    },
  );
}

/**
 * Whether what is moved along derivatives is no training: its next values hang on weights that nothing freezes, and none of those is
 * moved, as where an input is made adversarial or sampled.
 * @param moved what is moved, and its next values
 */
export function sparesWeights(interpreter: Interpreter, moved: Iterable<readonly [was: NodeId, now: NodeId]>): boolean {
  const { nodes, optimizing } = interpreter;
  const firstOf = (id: NodeId): NodeId => optimizing.first.get(id) ?? id;
  const isWeight = (id: NodeId): boolean => /^(param|state)$/.test(String(nodes.get(id)?.attrs["role"]));
  const moves = [...moved];
  if (moves.some(([was]) => isWeight(firstOf(was)))) return false;
  const seen = new Set(moves.map(([, now]) => now));
  for (const id of seen) {
    if (nodes.get(id)?.attrs["role"] === "param" && !isFrozen(interpreter, id)) return true;
    for (const input of nodes.get(id)?.inputs ?? []) seen.add(input);
  }
  return false;
}

/** Whether training may move a weight: a norm's running means are none of its parameters. */
export const isTrained = ({ nodes, weightOf }: Interpreter, node: NodeId): boolean =>
  nodes.get(node)?.attrs["role"] !== "const" && !weightOf.get(node)?.buffer;

/** Every parameter in `value`: tensors, weights of layers and objects, groups of them. */
export function* homesIn(value: Value, seen = new Set<unknown>()): Generator<ParameterHome> {
  if (value.kind === "tensor") yield { node: value.node, home: null };
  else if (value.kind === "weight") yield* weightsOf(value.weight, seen);
  else if (value.kind === "layer") yield* weightsOf(value.layer, seen);
  else if (value.kind === "object") {
    yield* weightsOf(value.object, seen);
    for (const field of value.object.fields.values())
      if (field.kind !== "tensor" && !seen.has(field)) yield* homesIn(field, seen.add(field));
  } else if (value.kind === "sequence") {
    if (value.parametersOf) yield* homesIn(value.parametersOf, seen);
    for (const item of value.items) yield* homesIn(item.value, seen);
  } else if (value.kind === "dict") for (const [, item] of value.entries) yield* homesIn(item.value, seen);
}

function* weightsOf(named: Named, seen: Set<unknown>): Generator<ParameterHome> {
  if (seen.has(named.weights)) return;
  seen.add(named.weights);
  for (const [key, node] of named.weights) yield { node, home: { named, key } };
}

/** Gradients begin anew: those of losses so far are asked for no more. */
export function zeroGradients({ losses, cotangents, optimizing }: Interpreter): void {
  losses.length = 0;
  cotangents.clear();
  optimizing.stale = false;
  optimizing.zeroed++;
}

/** One gradient is set to zero, `w.grad.zero_()`: the next `.backward()` begins anew. */
export function zeroOne({ optimizing }: Interpreter): void {
  optimizing.stale = true;
  optimizing.zeroed++;
}

/** `.backward()`: gradients are of the sum of these losses from here on. */
export function addLoss(interpreter: Interpreter, loss: NodeId, at: Span): void {
  if (interpreter.optimizing.stale) zeroGradients(interpreter);
  interpreter.losses.push(loss);
  interpreter.optimizing.losses.push(loss);
  interpreter.cotangents.clear();
  interpreter.optimizing.asked++;
  interpreter.optimizing.backwardAt = at;
}

/** From here on, and in the next step, `now` stands instead of `was`. */
export function replace({ optimizing }: Interpreter, was: NodeId, now: NodeId, label?: string): void {
  const first = optimizing.first.get(was) ?? was;
  optimizing.replaced.set(first, now);
  optimizing.first.set(now, first);
  if (label !== undefined && !optimizing.labels.has(first)) optimizing.labels.set(first, label);
}

/** `node` is that weight from here on. */
export function setWeight({ weightWrites }: Interpreter, named: Named, key: string, node: NodeId): void {
  weightWrites.push({ named, key, before: named.weights.get(key) });
  named.weights.set(key, node);
}

/** Whether a value is a draw of numbers that has nothing to do with what it is written over. */
function isFresh({ nodes }: Interpreter, was: NodeId, now: NodeId): boolean {
  const seen = new Set([now]);
  for (const id of seen) for (const input of nodes.get(id)!.inputs) seen.add(input);
  return (
    !seen.has(was) &&
    [...seen].some(
      (id) =>
        ["randn", "uniform"].includes(String(nodes.get(id)!.attrs["source"])) &&
        nodes.get(id)!.attrs["role"] !== "param",
    )
  );
}

/** A weight that is written in place, where nothing trains it: its layer has what was written. */
export function keepWritten(interpreter: Interpreter, was: Value, now: Value): void {
  if (was.kind !== "tensor" || now.kind !== "tensor" || was.node === now.node) return;
  const weight = interpreter.weightOf.get(was.node);
  if (
    !weight ||
    !(interpreter.keepsWeights || weight.buffer) ||
    (isFresh(interpreter, was.node, now.node) && startAttrs(interpreter, now.node) !== null)
  )
    return;
  setWeight(interpreter, weight.named, weight.key, now.node);
  interpreter.weightOf.set(now.node, weight);
}

/** Names of a parameter stand for its next value from here on. */
export function rebind(
  interpreter: Interpreter,
  { scope: from }: Frame,
  was: NodeId,
  now: NodeId,
  value: Value = tensorValue(now),
): void {
  for (let scope: Scope | null = from; scope; scope = scope.parent)
    for (const [name, history] of scope.names) {
      const last = history.at(-1);
      if (last?.value.kind === "tensor" && last.value.node === was)
        scope.bind(name, { step: ++interpreter.step, value, symbol: last.symbol });
    }
}

/** Whether a value is computed from a derivative. */
export function isLearned({ nodes }: Interpreter, value: NodeId): boolean {
  const seen = new Set([value]);
  for (const id of seen) {
    const { phase, inputs } = nodes.get(id)!;
    if (phase === "backward") return true;
    for (const input of inputs) seen.add(input);
  }
  return false;
}

/** What is written over a weight before it is trained is what training begins with. */
function beginAs(interpreter: Interpreter, was: NodeId, now: NodeId): void {
  const { weightOf, optimizing, keepsWeights } = interpreter;
  const weight = weightOf.get(was);
  if (!weight || keepsWeights || optimizing.open > 0 || optimizing.first.has(was)) return;
  const begin = startAsTrained(interpreter, now);
  if (begin) weight.named.begins.set(weight.key, begin);
}

/** A tensor that is written in place is another for everything that holds it, where training moves it. */
export function learnInPlace(interpreter: Interpreter, frame: Frame, was: Value, now: Value): void {
  if (was.kind !== "tensor" || now.kind !== "tensor" || was.node === now.node) return;
  const { first: firsts, written } = interpreter.optimizing;
  // `p.mul_(0.9).add_(w)`: what the parameter was before the first of both.
  const held = written.get(was.node) ?? was.node;
  const first = firsts.get(held) ?? held;
  if (!canBegin(interpreter, first)) return;
  // What was moved in this step may be put back: `p.data = old_p`.
  if (!isLearned(interpreter, now.node) && !firsts.has(held)) {
    beginAs(interpreter, held, now.node);
    return void written.set(now.node, held);
  }
  replace(interpreter, held, now.node);
  const seen = new Set<unknown>();
  for (let scope: Scope | null = frame.scope; scope; scope = scope.parent)
    for (const history of scope.names.values())
      for (const { node, home } of homesIn(history.at(-1)?.value ?? now, seen))
        if (home && node === held) setWeight(interpreter, home.named, home.key, now.node);
  rebind(interpreter, frame, held, now.node, now);
}
